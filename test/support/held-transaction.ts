import type pg from 'pg'
import { expect, onTestFinished } from 'vitest'

/** Somebody else's transaction that has not ended yet, and so holds what it has locked. */
export interface HeldTransaction {
  commit(): Promise<void>
  rollback(): Promise<void>
}

export async function hold(
  pool: pg.Pool,
  statement: string,
  values: unknown[] = [],
): Promise<HeldTransaction> {
  const client = await pool.connect()
  let isOpen = true
  const end = async (how: 'commit' | 'rollback') => {
    if (!isOpen) return
    isOpen = false
    await client.query(how)
    client.release()
  }
  onTestFinished(() => end('rollback'))
  await client.query('begin')
  await client.query(statement, values)
  return { commit: () => end('commit'), rollback: () => end('rollback') }
}

/** Until so many sessions of this database wait for what others have locked. */
export async function untilWaiting(pool: pg.Pool, sessions: number): Promise<void> {
  const waiting = async () => {
    const { rows } = await pool.query(
      `select count(*)::int from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0].count
  }
  await expect.poll(waiting, { interval: 10, timeout: 5_000 }).toBe(sessions)
}
