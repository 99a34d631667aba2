import type { Database } from '../core/database.ts'
import type { Log } from '../core/log.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'

const everyMs = 10 * 60_000
const rowsAtOnce = 10_000

/**
 * Trims the log to what is kept, on every instance, of which one at a time does it. It remembers how
 * far it came, so that who asks for what is gone is told instead of served with a gap.
 */
export class Retention {
  readonly #db: Database
  readonly #hours: number
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  /** What had ended when it was looked last: the readers have had the time until now to read it. */
  #settled: bigint | undefined

  constructor(db: Database, options: { hours: number; log: Log }) {
    this.#db = db
    this.#hours = options.hours
    this.#log = options.log
    this.#timer = setInterval(() => void this.trim(), everyMs)
    this.#timer.unref()
  }

  /** What is older than the kept hours and was committed by the last call. */
  async trim(): Promise<number> {
    try {
      const settled = this.#settled
      this.#settled = await this.#endedBefore()
      let trimmed = 0
      if (settled === undefined) return trimmed
      for (;;) {
        const some = await this.#trimSome(settled)
        trimmed += some
        if (some < rowsAtOnce) return trimmed
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'the change log could not be trimmed')
      return 0
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #endedBefore(): Promise<bigint> {
    const [row] = await query<{ xmin: string }>(
      this.#db.pool,
      sql`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`,
    )
    return BigInt(row?.xmin ?? 0)
  }

  async #trimSome(settled: bigint): Promise<number> {
    const [row] = await query<{ count: bigint }>(
      this.#db.pool,
      sql`with log as (select is_only from core.change_log for update skip locked),
        old as (
          select id from core.changes where exists (select from log)
            and created_at < now() - make_interval(hours => ${this.#hours}) and xact < ${String(settled)}::xid8
          order by created_at limit ${rowsAtOnce}),
        gone as (delete from core.changes c using old where c.id = old.id returning c.xact),
        noted as (
          update core.change_log set trimmed = greatest(trimmed, (select xact from gone order by xact desc limit 1))
          where exists (select from gone))
        select count(*) from gone`,
    )
    return Number(row?.count ?? 0)
  }
}
