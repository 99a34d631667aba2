import { query, type Tx } from '../core/query.ts'
import { type Sql, sql } from '../core/sql.ts'
import type { ProcessRun } from '../generated/prisma/client.ts'
import { runColumns } from './processes.sql.ts'

/** A run whose row is locked until the end of the transaction. */
export interface LockedRun extends ProcessRun {
  /** By a lease that has not expired, by the clock of the database. */
  isHeld: boolean
}

/** lock: the run that meets the condition, as it is now. */
export async function lockRun(tx: Tx, where: Sql): Promise<LockedRun | undefined> {
  const [run] = await query<LockedRun>(
    tx,
    sql`select ${runColumns}, coalesce(r.lease_expires_at > clock_timestamp(), false) as "isHeld"
      from process_runs r where ${where} for no key update`,
  )
  return run
}

/** change: a run that is locked. What was written is answered. */
export async function changeRun(tx: Tx, id: string, set: Sql): Promise<ProcessRun> {
  const [run] = await query<ProcessRun>(
    tx,
    sql`update process_runs r set ${set} where r.id = ${id}::uuid returning ${runColumns}`,
  )
  if (!run) throw new Error('a run that is locked was not there')
  return run
}
