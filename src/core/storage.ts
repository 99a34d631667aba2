import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import type { Env } from './env.ts'
import type { Log } from './log.ts'
import { migrate } from './migrations/migrations.ts'
import { openEmbeddedPostgres } from './postgres/embedded-postgres.ts'

export interface Storage {
  readonly db: Database
  /**
   * The same database on connections apart, for authentication and readiness: these must not wait
   * behind what viewers read. A tool has only one.
   */
  readonly gate: Database
  /** Of the database, for a connection that is kept apart. */
  readonly url: string
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
  const opened: Database[] = []
  const close = async () => {
    // The pool waits for statements that run, but the server has waited for them already.
    const closing = Promise.all(opened.map(db => db.close()))
    await Promise.race([closing, sleep(2_000, undefined, { ref: false })])
    await embedded?.close()
  }
  try {
    const url = embedded?.url ?? env.DATABASE_URL ?? ''
    await migrate(url, { log })
    const open = async (options: DatabaseOptions) => {
      const db = await openDatabase(url, options)
      opened.push(db)
      return db
    }
    if (role === 'tool') {
      const db = await open({ maxConnections: 2, log })
      return { db, gate: db, url, close }
    }
    const statementTimeoutMs = env.OPERATION_TIMEOUT_MS
    const reserved = Math.ceil(env.DB_CONNECTIONS / 8)
    const maxConnections = env.DB_CONNECTIONS - reserved
    const db = await open({ maxConnections, statementTimeoutMs, log })
    // Of what is odd about the database, the first has warned already.
    const quiet = log.child({}, { level: 'error' })
    const gate = await open({ maxConnections: reserved, statementTimeoutMs, log: quiet })
    return { db, gate, url, close }
  } catch (error) {
    await close()
    throw error
  }
}
