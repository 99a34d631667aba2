/** A transaction by its number, and what it saw right before it was committed. */
export interface Commit {
  xact: bigint
  /** As the text of a `pg_snapshot`. */
  snapshot: string
}
