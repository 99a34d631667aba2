import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from './database.ts'
import type { Env } from './env.ts'
import type { Log } from './log.ts'
import { migrate } from './migrations/migrations.ts'
import { openEmbeddedPostgres } from './postgres/embedded-postgres.ts'

export interface Storage {
  readonly db: Database
  close(): Promise<void>
}

/**
 * The migrated database at DATABASE_URL, or the embedded one. One `server` has it at a time; a `tool`
 * works beside a server or alone.
 */
export async function openStorage(
  env: Pick<Env, 'DATABASE_URL' | 'DATA_DIR' | 'DB_CONNECTIONS' | 'OPERATION_TIMEOUT_MS'>,
  { log, role }: { log: Log; role: 'server' | 'tool' },
): Promise<Storage> {
  const embedded = env.DATABASE_URL
    ? undefined
    : await openEmbeddedPostgres({ directory: env.DATA_DIR, log, role })
  try {
    const url = embedded?.url ?? env.DATABASE_URL ?? ''
    await migrate(url, { log })
    const db = await openDatabase(
      url,
      role === 'tool'
        ? { maxConnections: 2, log }
        : {
            maxConnections: env.DB_CONNECTIONS,
            statementTimeoutMs: env.OPERATION_TIMEOUT_MS,
            log,
          },
    )
    return {
      db,
      async close() {
        // The pool waits for statements that run, but the server has waited for them already.
        await Promise.race([db.close(), sleep(2_000, undefined, { ref: false })])
        await embedded?.close()
      },
    }
  } catch (error) {
    await embedded?.close()
    throw error
  }
}
