import * as b from './bytes.ts'

const maxDepth = 100
// Long enough to tell the keys that open a section from all others.
const keyLength = 16

type Expected = 'value' | 'first value' | 'first key' | 'key' | 'colon' | 'comma or end'

/** Where a match stands after the bytes it was given; `at` is the first byte it did not read. */
export type Match =
  | { status: 'more' | 'done'; at: number }
  | { status: 'section'; at: number; key: string }
  | { status: 'broken'; at: number; reason: string }

/**
 * Finds the end of one JSON object in bytes that arrive in pieces. It follows the grammar closely
 * enough to notice a broken object where it breaks, instead of taking the objects behind it for
 * its contents; what is inside strings, numbers and literals is left to `JSON.parse`.
 *
 * A key of the object itself that is one of `sections` and holds a list of objects ends the match
 * early, inside the list: its elements are to be read one by one, however many they are.
 */
export class ObjectMatcher {
  readonly #sections: readonly string[]
  readonly #stack: number[] = []
  #expected: Expected = 'value'
  #inString = false
  #escaped = false
  #inScalar = false
  #isKey = false
  #key: number[] = []
  #read = 0
  #keyStart = 0
  // The key of a list that will be a section, unless its first element turns out to be no object.
  #opening: string | undefined

  /** With `insideObject` the match begins behind the brace, or the section, that was read before. */
  constructor(sections: readonly string[], insideObject = false) {
    this.#sections = sections
    if (insideObject) {
      this.#stack.push(b.openBrace)
      this.#expected = 'key'
    }
  }

  /** How many bytes were read before the key that opened the section. */
  get keyStart(): number {
    return this.#keyStart
  }

  match(bytes: Uint8Array, from: number): Match {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (this.#inString) {
        if (byte < 0x20) return broken(at, 'a line break or control character inside a string')
        this.#readString(byte)
      } else if (this.#inScalar && isScalar(byte)) {
        // The rest of a number or literal.
      } else if (!b.isWhitespace(byte)) {
        this.#inScalar = false
        const key = this.#opening
        if (key !== undefined && (byte === b.openBrace || byte === b.closeBracket)) {
          return { status: 'section', at, key }
        }
        this.#opening = byte === b.openBracket ? this.#section() : undefined
        const reason = this.#readToken(byte)
        if (reason !== undefined) return broken(at, reason)
        if (this.#stack.length === 0) return { status: 'done', at: at + 1 }
      } else {
        this.#inScalar = false
      }
      this.#read++
    }
    return { status: 'more', at: bytes.length }
  }

  #section(): string | undefined {
    if (this.#stack.length !== 1 || this.#expected !== 'value') return undefined
    const key = String.fromCharCode(...this.#key)
    return this.#sections.includes(key) ? key : undefined
  }

  #readString(byte: number): void {
    if (this.#escaped) this.#escaped = false
    else if (byte === b.backslash) this.#escaped = true
    else if (byte === b.quote) {
      this.#inString = false
      this.#expected = this.#isKey ? 'colon' : 'comma or end'
      return
    }
    if (this.#isKey && this.#key.length < keyLength) this.#key.push(byte)
  }

  #readToken(byte: number): string | undefined {
    switch (byte) {
      case b.openBrace:
      case b.openBracket:
        return this.#open(byte)
      case b.closeBrace:
      case b.closeBracket:
        return this.#close(byte)
      case b.quote:
        return this.#openString()
      case b.colon:
        if (this.#expected !== 'colon') return this.#unexpected(byte)
        this.#expected = 'value'
        return undefined
      case b.comma:
        if (this.#expected !== 'comma or end') return this.#unexpected(byte)
        this.#expected = this.#stack.at(-1) === b.openBrace ? 'key' : 'value'
        return undefined
      default:
        if (!isScalar(byte) || !this.#expectsValue()) return this.#unexpected(byte)
        this.#inScalar = true
        this.#expected = 'comma or end'
        return undefined
    }
  }

  #open(byte: number): string | undefined {
    if (!this.#expectsValue()) return this.#unexpected(byte)
    if (this.#stack.length === maxDepth) return `more than ${maxDepth} levels of nesting`
    this.#stack.push(byte)
    this.#expected = byte === b.openBrace ? 'first key' : 'first value'
    return undefined
  }

  #close(byte: number): string | undefined {
    const first = byte === b.closeBrace ? 'first key' : 'first value'
    const opener = byte === b.closeBrace ? b.openBrace : b.openBracket
    const fits = this.#expected === first || this.#expected === 'comma or end'
    if (!fits || this.#stack.at(-1) !== opener) return this.#unexpected(byte)
    this.#stack.pop()
    this.#expected = 'comma or end'
    return undefined
  }

  #openString(): string | undefined {
    this.#isKey = this.#expected === 'key' || this.#expected === 'first key'
    if (!this.#isKey && !this.#expectsValue()) return this.#unexpected(b.quote)
    this.#inString = true
    if (this.#isKey) {
      this.#key = []
      this.#keyStart = this.#read
    }
    return undefined
  }

  #expectsValue(): boolean {
    return this.#expected === 'value' || this.#expected === 'first value'
  }

  #unexpected(byte: number): string {
    const found = byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : 'a character'
    const wanted = this.#expected.replace('first ', '')
    return `${found} where a ${wanted} should be`
  }
}

const broken = (at: number, reason: string): Match => ({ status: 'broken', at, reason })

const isScalar = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  byte === 0x2b ||
  byte === 0x2d ||
  byte === 0x2e
