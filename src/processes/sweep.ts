import type { Caller } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { every } from '../core/every.ts'
import { Loaders } from '../core/loaders.ts'
import type { Log } from '../core/log.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { RunStatus } from '../generated/prisma/client.ts'
import { endRun } from './end-run.ts'
import { runColumns } from './processes.sql.ts'
import type { LockedRun } from './run-row.sql.ts'

const runsAtOnce = 100
const everyMs = 1_000

interface OverdueRun extends LockedRun {
  hasPartialResult: boolean
  isLate: boolean
}

const reasons: Partial<Record<RunStatus, string>> = {
  queued: 'No worker has claimed the run in time.',
  running: 'The run was over its time limit.',
  waiting_user: 'Nobody has answered in time.',
}

/**
 * Ends the runs whose lease has expired or whose time is over: degraded where there is a partial
 * result, else failed. Several instances may sweep at once; each run is ended by one of them.
 */
export async function sweepRuns(db: Database): Promise<number> {
  const caller: Pick<Caller, 'db' | 'loaders'> = { db, loaders: new Loaders() }
  let swept = 0
  for (;;) {
    const some = await transaction(caller, async tx => {
      const overdue = await query<OverdueRun>(
        tx,
        sql`select ${runColumns}, r.partial_result is not null as "hasPartialResult",
            coalesce(r.deadline_at <= now(), false) as "isLate"
          from process_runs r
          where r.lease_expires_at <= now() or r.deadline_at <= now()
          limit ${runsAtOnce} for no key update of r skip locked`,
      )
      for (const run of overdue) {
        await endRun(tx, run, {
          status: run.status === 'running' && run.hasPartialResult ? 'degraded' : 'failed',
          errorText: (run.isLate && reasons[run.status]) || "The worker's lease expired.",
        })
      }
      return overdue.length
    })
    swept += some
    if (some < runsAtOnce) return swept
  }
}

/** Sweeps once a second until it is closed. */
export const startSweeper = ({ db, log }: { db: Database; log: Log }) =>
  every(everyMs, () => sweepRuns(db), { log, failing: 'overdue runs could not be ended' })
