import type { Commit } from '../core/commit.ts'
import { Position } from './position.ts'
import { Snapshot } from './snapshot.ts'

/**
 * What this instance has committed and its reader has not come to yet. A stream that begins now must
 * not bring it as new: whoever asked for it has had the answer.
 */
export class OwnCommits {
  readonly #snapshots = new Map<bigint, Snapshot>()

  note({ xact, snapshot }: Commit): void {
    const seen = Snapshot.read(snapshot)
    if (seen) this.#snapshots.set(xact, seen.with(xact).upTo(xact))
  }

  /** Asked before the log is read; what it answers is called when all that was there has been read. */
  reading(): () => void {
    const noted = [...this.#snapshots.keys()]
    return () => {
      for (const xact of noted) this.#snapshots.delete(xact)
    }
  }

  /**
   * Behind what the reader can have read by now, and behind what this instance knows of besides: all
   * of it had been committed.
   */
  behind({ seen, upto = seen }: Position): Position {
    let known = upto
    for (const [xact, snapshot] of this.#snapshots) {
      if (!known.sees(xact)) known = known.or(snapshot)
    }
    return new Position(known)
  }
}
