import { type Database, openDatabase } from './database.ts'
import { openEmbeddedPostgres } from './embedded-postgres.ts'
import type { Env } from './env.ts'
import type { Log } from './log.ts'
import { migrate } from './migrations.ts'

export interface Storage {
  readonly db: Database
  close(): Promise<void>
}

/**
 * The migrated database at DATABASE_URL, or the embedded one. One `server` has it at a time; a `tool`
 * works beside a server or alone.
 */
export async function openStorage(
  env: Pick<Env, 'DATABASE_URL' | 'DATA_DIR' | 'DB_CONNECTIONS'>,
  { log, role }: { log: Log; role: 'server' | 'tool' },
): Promise<Storage> {
  const embedded = env.DATABASE_URL
    ? undefined
    : await openEmbeddedPostgres({ directory: env.DATA_DIR, log, role })
  try {
    const url = embedded?.url ?? env.DATABASE_URL ?? ''
    await migrate(url, { log })
    const maxConnections = role === 'tool' ? 2 : env.DB_CONNECTIONS
    const db = await openDatabase(url, { maxConnections, log })
    return {
      db,
      async close() {
        await db.close()
        await embedded?.close()
      },
    }
  } catch (error) {
    await embedded?.close()
    throw error
  }
}
