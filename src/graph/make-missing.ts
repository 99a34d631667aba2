import { OvertakenError } from '../core/database-errors.ts'

const maxRounds = 8

interface Steps<Wanted, Row> {
  /** Makes those that are not there by then. */
  make(wanted: readonly Wanted[]): Promise<Row[]>
  /** Reads those that are there, so that they stay until the end of the transaction. */
  lock(wanted: readonly Wanted[]): Promise<Row[]>
  keyOf(row: Row): string
}

/**
 * Adds to the rows that were found those that are wanted besides, and answers those it made. One
 * that somebody else is faster to make is locked as it is; if it is gone again by then, it is made.
 */
export async function makeMissing<Wanted, Row>(
  found: Map<string, Row>,
  wanted: ReadonlyMap<string, Wanted>,
  { make, lock, keyOf }: Steps<Wanted, Row>,
): Promise<Row[]> {
  const missing = () => [...wanted].filter(([key]) => !found.has(key)).map(([, each]) => each)
  const add = (rows: readonly Row[]) => {
    for (const row of rows) found.set(keyOf(row), row)
  }
  const made: Row[] = []
  for (let round = 1, left = missing(); left.length > 0; round++, left = missing()) {
    if (round > maxRounds) throw new OvertakenError()
    const rows = await make(left)
    made.push(...rows)
    add(rows)
    if (rows.length < left.length) add(await lock(missing()))
  }
  return made
}

/** A row that is among the found since `makeMissing`. */
export function rowOf<Row>(found: ReadonlyMap<string, Row>, key: string): Row {
  const row = found.get(key)
  if (row === undefined) throw new Error(`nothing was saved under ${key}`)
  return row
}
