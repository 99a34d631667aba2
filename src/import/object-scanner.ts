import { TextDecoder } from 'node:util'
import * as b from './bytes.ts'
import { type Match, ObjectMatcher } from './object-matcher.ts'
import { quoted } from './quoted.ts'

/** The list of a whole graph that an object stood in, or `graph` for what stood beside the lists. */
export type Section = 'entities' | 'relations' | 'graph' | undefined

export type Scanned =
  | { line: number; text: string; section: Section }
  | { line: number; reason: string }

export interface ScanOptions {
  /** The largest object that is read, in bytes: the bound of what a scan holds in memory. */
  maxObjectBytes: number
}

// How the memory server begins a record: where reading goes on behind a record that was cut off in
// the middle of a line.
const recordStart = /^\{[ \t]{0,8}"_?type"[ \t]{0,8}:/
const recordStartLength = 64
const snippetBytes = 240
const byteOrderMark = Buffer.from('\ufeff')
const recordSeparator = 0x1e

interface PendingObject {
  matcher: ObjectMatcher
  line: number
  /** Bytes before this one went through the matcher. */
  read: number
  /** Bytes that were given up because the object is too long. */
  dropped: number
  /** The members of a graph that are not its lists, rather than an object of its own. */
  beside: boolean
}

interface PendingText {
  line: number
  snippet: Buffer
}

type Ended = Exclude<Match, { status: 'more' }>

/**
 * Takes JSON objects out of a stream of bytes, with the line that each begins on. Between objects,
 * line breaks, commas and square brackets are all the same, so that one object a line, several on a
 * line, an array of objects and objects over many lines need no telling apart. Whatever else there
 * is comes out as a failure, once a line, and reading goes on behind it.
 */
export class ObjectScanner {
  readonly #maxObjectBytes: number
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #out: Scanned[] = []
  #bytes = Buffer.alloc(0)
  #at = 0
  #line = 1
  #failedThrough = 0
  #section: Section
  #inGraph = false
  #object: PendingObject | undefined
  #text: PendingText | undefined

  constructor({ maxObjectBytes }: ScanOptions) {
    this.#maxObjectBytes = maxObjectBytes
  }

  push(bytes: Uint8Array): Scanned[] {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), bytes])
    if (this.#object !== undefined) this.#object.read -= this.#at
    this.#at = 0
    return this.#scan(false)
  }

  end(): Scanned[] {
    return this.#scan(true)
  }

  #scan(final: boolean): Scanned[] {
    while (this.#step(final)) {}
    const out = this.#out
    this.#out = []
    return out
  }

  /** Does one thing; false when the rest needs more bytes. */
  #step(final: boolean): boolean {
    if (this.#object !== undefined) return this.#stepObject(this.#object, final)
    if (this.#text !== undefined) return this.#stepText(this.#text, final)
    return this.#stepBetween(final)
  }

  #stepBetween(final: boolean): boolean {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) return false
    if (byte === byteOrderMark[0]) {
      if (this.#bytes.length - this.#at < byteOrderMark.length && !final) return false
      if (this.#bytes.indexOf(byteOrderMark, this.#at) === this.#at) {
        this.#advance(this.#at + byteOrderMark.length)
        return true
      }
    }
    const beside = byte === b.quote && this.#inGraph && this.#section === undefined
    if (byte === b.openBrace || beside) {
      const matcher = beside ? graphRest() : wholeObject()
      this.#object = { matcher, line: this.#line, read: this.#at, dropped: 0, beside }
    } else if (this.#isSeparator(byte)) {
      this.#advance(this.#at + 1)
    } else {
      this.#text = { line: this.#line, snippet: Buffer.alloc(0) }
    }
    return true
  }

  #isSeparator(byte: number): boolean {
    if (this.#inGraph && byte === b.closeBracket) this.#section = undefined
    if (this.#inGraph && byte === b.closeBrace) {
      this.#leaveGraph()
      return true
    }
    return (
      b.isWhitespace(byte) ||
      byte === b.comma ||
      byte === b.openBracket ||
      byte === b.closeBracket ||
      byte === recordSeparator
    )
  }

  #stepObject(object: PendingObject, final: boolean): boolean {
    let match: Match = object.matcher.match(this.#bytes, object.read)
    object.read = match.at
    if (match.status === 'more' && final) {
      match = { status: 'broken', at: match.at, reason: 'the file ends inside it' }
    }
    const overlong = object.dropped + match.at - this.#at > this.#maxObjectBytes
    if (match.status === 'more') {
      // What is too long to be read is not kept either; only its end is still looked for.
      if (overlong) {
        object.dropped += match.at - this.#at
        this.#advance(match.at)
      }
      return false
    }
    this.#object = undefined
    if (overlong) this.#endOverlong(object, match)
    else this.#endObject(object, match)
    return true
  }

  #endOverlong({ line, beside }: PendingObject, match: Ended): void {
    const reason = `an object larger than ${this.#maxObjectBytes / 2 ** 20} MiB`
    this.#advance(match.at)
    if (match.status === 'broken') {
      this.#fail(line, `${reason}, of which nothing was read up to line ${this.#line}`, this.#line)
      this.#text = { line: this.#line, snippet: Buffer.alloc(0) }
    } else {
      this.#fail(line, reason, line)
      this.#moveOn(match, beside)
    }
  }

  #endObject(object: PendingObject, match: Ended): void {
    const start = this.#at
    if (match.status === 'broken') {
      const brokenLine = this.#line + newlines(this.#bytes.subarray(start, match.at))
      const where = brokenLine === this.#line ? '' : ` on line ${brokenLine}`
      this.#fail(object.line, `not valid JSON: ${match.reason}${where}`, brokenLine)
      this.#advance(start + 1)
      this.#text = { line: object.line, snippet: Buffer.alloc(0) }
      return
    }
    const end = match.status === 'section' ? start + object.matcher.keyStart : match.at
    const text = this.#decode(this.#bytes.subarray(start, end))
    this.#advance(match.at)
    if (text === undefined) {
      this.#fail(object.line, 'not valid UTF-8: the file may be in another encoding', object.line)
    } else if (match.status === 'section' || object.beside) {
      this.#emitBeside(object, match.status === 'section' ? closed(text) : text)
    } else {
      this.#out.push({ line: object.line, text, section: this.#section })
    }
    this.#moveOn(match, object.beside)
  }

  #emitBeside({ line, beside }: PendingObject, members: string): void {
    const text = beside ? `{${members}` : members
    if (text !== '{}') this.#out.push({ line, text, section: 'graph' })
  }

  #moveOn(match: Ended, beside: boolean): void {
    if (match.status === 'section') {
      this.#inGraph = true
      this.#section = match.key as Section
    } else if (beside) this.#leaveGraph()
  }

  #leaveGraph(): void {
    this.#inGraph = false
    this.#section = undefined
  }

  #stepText(text: PendingText, final: boolean): boolean {
    const lineEnd = indexOfLineEnd(this.#bytes, this.#at)
    const record = indexOfRecord(this.#bytes, this.#at, lineEnd ?? this.#bytes.length)
    const ends = record !== undefined || lineEnd !== undefined || final
    // The last bytes may be the beginning of a record that goes on in the next piece.
    const unended = Math.max(this.#at, this.#bytes.length - recordStartLength)
    const end = record ?? lineEnd ?? (final ? this.#bytes.length : unended)
    const found = this.#bytes.subarray(this.#at, end)
    text.snippet = Buffer.concat([text.snippet, found]).subarray(0, snippetBytes)
    this.#advance(end)
    if (!ends) return false
    this.#text = undefined
    if (text.line > this.#failedThrough) {
      const shown = quoted(text.snippet.toString('utf8').trim())
      this.#fail(text.line, `text that is not a JSON object: ${shown}`, text.line)
    }
    return true
  }

  #fail(line: number, reason: string, through: number): void {
    this.#failedThrough = through
    this.#out.push({ line, reason })
  }

  #decode(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes)
    } catch {
      return undefined
    }
  }

  #advance(to: number): void {
    this.#line += newlines(this.#bytes.subarray(this.#at, to))
    this.#at = to
  }
}

const wholeObject = () => new ObjectMatcher(['entities'])
const graphRest = () => new ObjectMatcher(['entities', 'relations'], true)

/** The members before a section, as an object that ends there. */
const closed = (members: string) => `${members.replace(/[\s,]+$/, '')}}`

function indexOfLineEnd(bytes: Buffer, from: number): number | undefined {
  const ends = [b.newline, b.carriageReturn].map(byte => bytes.indexOf(byte, from))
  const [first] = ends.filter(at => at !== -1).sort((a, z) => a - z)
  return first
}

function indexOfRecord(bytes: Buffer, from: number, end: number): number | undefined {
  for (
    let at = bytes.indexOf(b.openBrace, from);
    at !== -1 && at < end;
    at = bytes.indexOf(b.openBrace, at + 1)
  ) {
    if (recordStart.test(bytes.toString('latin1', at, at + recordStartLength))) return at
  }
  return undefined
}

function newlines(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(b.newline); at !== -1; at = bytes.indexOf(b.newline, at + 1)) count++
  return count
}
