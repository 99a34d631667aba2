import type { Database } from '../core/database.ts'
import { Loaders } from '../core/loaders.ts'
import type { Log } from '../core/log.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import { lastVisible } from './changes.sql.ts'
import { Position } from './position.ts'
import { Snapshot } from './snapshot.ts'

/** Which log this is, and where it ends now. */
export async function openLog(db: Database, log: Log): Promise<{ epoch: string; end: Position }> {
  await renewAfterRestore(db, log)
  const [row] = await query<{ epoch: string; snapshot: string; last: string }>(
    db.pool,
    sql`select epoch, pg_current_snapshot()::text as snapshot, (${lastVisible})::text as last
      from core.change_log`,
  )
  const snapshot = Snapshot.read(row?.snapshot ?? '')
  if (!row || !snapshot) throw new Error('core.change_log has lost its row')
  return { epoch: row.epoch, end: new Position(snapshot.upTo(BigInt(row.last))) }
}

/**
 * Rows that name transactions which this cluster has not come to are from another one: to a reader
 * they would be in the future. They become old, and cursors that were given out for them invalid.
 */
async function renewAfterRestore(db: Database, log: Log): Promise<void> {
  const isRestored = sql`exists (
    select from core.changes where xact >= pg_snapshot_xmax(pg_current_snapshot()))`
  const [row] = await query<{ restored: boolean }>(db.pool, sql`select ${isRestored} as restored`)
  if (!row?.restored) return
  const isRenewed = await transaction({ db, loaders: new Loaders() }, async tx => {
    await query(tx, sql`select from core.change_log for update`)
    // Another instance may have been faster.
    const [now] = await query<{ restored: boolean }>(tx, sql`select ${isRestored} as restored`)
    if (!now?.restored) return false
    // The first transaction that is none of PostgreSQL's own, so that every reader sees them.
    await query(tx, sql`update core.changes set xact = '3'::xid8`)
    await query(tx, sql`update core.change_log set epoch = gen_random_uuid(), trimmed = '0'`)
    return true
  })
  if (isRenewed) log.warn('the change log was restored from elsewhere: its cursors begin anew')
}
