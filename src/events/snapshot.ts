const parts = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/

/**
 * What one statement of PostgreSQL saw: every transaction before `xmin`, none from `xmax` on, and of
 * those between all but the ones in progress.
 * https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT
 */
export class Snapshot {
  readonly text: string
  readonly xmin: bigint
  readonly xmax: bigint
  readonly inProgress: ReadonlySet<bigint>

  private constructor(text: string, xmin: bigint, xmax: bigint, inProgress: ReadonlySet<bigint>) {
    this.text = text
    this.xmin = xmin
    this.xmax = xmax
    this.inProgress = inProgress
  }

  /** As PostgreSQL writes a `pg_snapshot`; undefined for any other text. */
  static read(text: string): Snapshot | undefined {
    const [, first = '', last = '', list = ''] = parts.exec(text) ?? []
    if (first === '') return undefined
    const [xmin, xmax] = [BigInt(first), BigInt(last)]
    const inProgress = list === '' ? [] : list.split(',').map(BigInt)
    const isSound = xmin <= xmax && inProgress.every(xact => xact >= xmin && xact < xmax)
    return isSound ? new Snapshot(text, xmin, xmax, new Set(inProgress)) : undefined
  }

  sees(xact: bigint): boolean {
    return xact < this.xmin || (xact < this.xmax && !this.inProgress.has(xact))
  }

  /**
   * The same, but as if no transaction behind `last` had begun. PostgreSQL forgets in a crash which
   * numbers it had given to transactions that were then rolled back, and gives them again; so a place
   * to go on from must not have seen any beyond the last that is known to be committed.
   */
  upTo(last: bigint): Snapshot {
    const xmax = last + 1n
    if (xmax >= this.xmax) return this
    return Snapshot.#of(
      xmax,
      [...this.inProgress].filter(xact => xact < xmax),
    )
  }

  /** Sees what either of them sees. */
  or(other: Snapshot): Snapshot {
    const [later, earlier] = this.xmax >= other.xmax ? [this, other] : [other, this]
    const unseen = [...later.inProgress].filter(xact => !earlier.sees(xact))
    return Snapshot.#of(later.xmax, unseen)
  }

  /**
   * The same with a transaction that has ended since. Of those that began before it, it is not known.
   */
  with(xact: bigint): Snapshot {
    const unseen = [...this.inProgress].filter(other => other !== xact)
    for (let other = this.xmax; other < xact; other++) unseen.push(other)
    return Snapshot.#of(xact < this.xmax ? this.xmax : xact + 1n, unseen)
  }

  static #of(xmax: bigint, inProgress: readonly bigint[]): Snapshot {
    const xmin = inProgress[0] ?? xmax
    const text = `${xmin}:${xmax}:${inProgress.join(',')}`
    return new Snapshot(text, xmin, xmax, new Set(inProgress))
  }

  /**
   * Whether it sees all that the other sees. Of two snapshots of one server one always does: the one
   * that was taken later.
   */
  covers(other: Snapshot): boolean {
    for (const xact of this.inProgress) if (other.sees(xact)) return false
    if (other.xmax <= this.xmax) return true
    // All that the other ends later by must have been in progress for it.
    let between = 0n
    for (const xact of other.inProgress) if (xact >= this.xmax) between++
    return between === other.xmax - this.xmax
  }
}
