import { setTimeout as sleep } from 'node:timers/promises'
import type { Commit } from './commit.ts'
import type { Caller } from './context.ts'
import { isTransactionConflict } from './database-errors.ts'
import { DomainError } from './errors.ts'
import { query, type Tx } from './query.ts'
import { sql } from './sql.ts'

const attempts = 8

const changed = new WeakSet<Tx>()

/** Says that the transaction writes to the change log, so that its commit is told of. */
export const noteChanges = (tx: Tx): void => void changed.add(tx)

/**
 * Runs `work` in one transaction, and again from the start when PostgreSQL gives it up for a
 * serialisation failure or a deadlock; so `work` must have no effect outside the transaction.
 * @throws SERVICE_BUSY when the conflict does not go away
 */
export async function transaction<T>(
  caller: Pick<Caller, 'db' | 'loaders'>,
  work: (tx: Tx) => Promise<T>,
  options: { timeout?: number } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      let written: Commit | undefined
      const result = await caller.db.prisma.$transaction(
        async tx => {
          const done = await work(tx)
          if (changed.has(tx)) written = await commitOf(tx)
          return done
        },
        { maxWait: 10_000, timeout: options.timeout ?? 30_000 },
      )
      caller.loaders.clear()
      if (written !== undefined) caller.db.committed.ring(written)
      return result
    } catch (error) {
      if (!isTransactionConflict(error)) throw error
      if (attempt === attempts) throw busy(error)
      // Those who met step aside for different times, or they would meet again.
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** Asked last, since a transaction gets its number with its first write; undefined where it wrote nothing. */
async function commitOf(tx: Tx): Promise<Commit | undefined> {
  const [row] = await query<{ xact: string | null; snapshot: string }>(
    tx,
    sql`select pg_current_xact_id_if_assigned()::text as xact, pg_current_snapshot()::text as snapshot`,
  )
  return row?.xact == null ? undefined : { xact: BigInt(row.xact), snapshot: row.snapshot }
}

const busy = (cause: unknown) =>
  new DomainError(
    'SERVICE_BUSY',
    'The same data is being changed by too many at once. Try again.',
    undefined,
    { cause },
  )
