import { Position } from './position.ts'

/** More would make cursors long; a stream then begins a moment earlier. */
const maxUnknown = 200n

/**
 * What this instance has committed and its reader has not come to yet. A stream that begins now must
 * not bring it as new: whoever asked for it has had the answer.
 */
export class OwnCommits {
  readonly #xacts = new Set<bigint>()

  note(xact: bigint): void {
    this.#xacts.add(xact)
  }

  /** Forgets what the reader has come to. */
  forget({ seen }: Position): void {
    for (const xact of this.#xacts) if (seen.sees(xact)) this.#xacts.delete(xact)
  }

  /**
   * The reader's place, and what this instance knows of besides. In the middle of a batch it is the
   * place before it, since the batch may have ended before what is known.
   */
  behind(end: Position): Position {
    this.forget(end)
    if (this.#xacts.size === 0) return end
    const known = end.seen.with(this.#xacts)
    const unknown = known.xmax - end.seen.xmax - BigInt(this.#xacts.size)
    return unknown > maxUnknown ? end : new Position(known)
  }
}
