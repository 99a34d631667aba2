import type pg from 'pg'
import type { Database } from './database.ts'

/** One of so many parts of the connections is what one operation may have of them at once. */
const share = 4

/**
 * The database as one operation has it: its statements outside of transactions take turns on a share
 * of the connections, so that no document has them all, and none starts any more after `signal`.
 */
export function lend(db: Database, signal: AbortSignal): Database {
  const { pool } = db
  const waiting: (() => void)[] = []
  let running = 0

  async function query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    if (running < Math.max(1, Math.floor(pool.options.max / share))) running++
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      signal.throwIfAborted()
      return await pool.query(statement)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  return { ...db, pool: Object.create(pool, { query: { value: query } }) }
}
