import { Snapshot } from './snapshot.ts'

/** What tells a change from another for a reader. */
interface Placed {
  readonly id: bigint
  readonly xact: bigint
}

/**
 * What a reader has seen: all that `seen` sees; and in the middle of a batch, of what `upto` sees
 * besides, the changes up to `id`. Numbers and times are taken before commit, so that who remembers
 * the highest of them would skip what a slower transaction commits later.
 */
export class Position {
  readonly seen: Snapshot
  readonly upto: Snapshot | undefined
  readonly id: bigint

  constructor(seen: Snapshot, upto?: Snapshot, id = 0n) {
    this.seen = seen
    this.upto = upto
    this.id = id
  }

  /** The last transaction that it may have seen; known to be committed, whatever crashes. */
  get last(): bigint {
    return (this.upto ?? this.seen).xmax - 1n
  }

  has({ xact, id }: Placed): boolean {
    return (
      this.seen.sees(xact) || (this.upto !== undefined && id <= this.id && this.upto.sees(xact))
    )
  }

  /** Whether everything that comes before `other` is behind this one too. */
  covers(other: Position): boolean {
    return this.seen.covers(other.upto ?? other.seen)
  }

  /** @param epoch of the log that it is a place in */
  write(epoch: string): string {
    const place = this.upto ? [this.seen.text, this.upto.text, String(this.id)] : [this.seen.text]
    return Buffer.from(JSON.stringify([epoch, ...place])).toString('base64url')
  }

  /** Undefined for what is no position, `foreign` for one in another log. */
  static read(cursor: string, epoch: string): Position | 'foreign' | undefined {
    const [from, ...place] = textsOf(cursor)
    if (from === undefined || (place.length !== 1 && place.length !== 3)) return undefined
    if (from !== epoch) return 'foreign'
    const [seen, upto] = place.slice(0, 2).map(text => Snapshot.read(text))
    if (!seen) return undefined
    if (place.length === 1) return new Position(seen)
    const id = /^\d{1,18}$/.test(place[2] ?? '') ? BigInt(place[2] ?? '') : undefined
    return upto && id !== undefined ? new Position(seen, upto, id) : undefined
  }
}

function textsOf(cursor: string): string[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isList = Array.isArray(read) && read.every(part => typeof part === 'string')
    return isList ? (read as string[]) : []
  } catch {
    return []
  }
}
