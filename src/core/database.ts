import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import type { Commit } from './commit.ts'
import type { Log } from './log.ts'
import { checkSession, withSessionSettings } from './session.ts'
import { Signal } from './signal.ts'

/** One pool, shared by Prisma and by the statements that Prisma cannot say. */
export interface Database {
  readonly prisma: PrismaClient
  readonly pool: pg.Pool
  /** Rings when a transaction of ours that wrote to the change log has been committed. */
  readonly committed: Signal<Commit | undefined>
  close(): Promise<void>
}

export interface DatabaseOptions {
  maxConnections: number
  /** After which PostgreSQL gives up a statement that nobody waits for any more. */
  statementTimeoutMs?: number
  log: Log
}

/** @throws StartupError for a database that cannot be worked with, or not under these settings */
export async function openDatabase(url: string, options: DatabaseOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: withSessionSettings(url, options.statementTimeoutMs),
    max: options.maxConnections,
    connectionTimeoutMillis: 10_000,
  })
  // An idle connection that the server drops is replaced by the pool at the next use.
  pool.on('error', error =>
    options.log.warn({ reason: error.message }, 'a database connection was lost'),
  )
  // One that is lost in the moment when it changes hands has nobody else who listens, which would end
  // the process. Who holds it hears of the loss by the statement that fails.
  pool.on('connect', client => client.on('error', () => {}))
  try {
    await checkSession(pool)
    await checkLetters(pool, options.log)
  } catch (error) {
    await pool.end()
    throw error
  }
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    prisma,
    pool,
    committed: new Signal<Commit | undefined>(),
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/** Letter case is ICU's (`core.lowered`), but text search and trigrams ask the LC_CTYPE what a letter is. */
async function checkLetters(pool: pg.Pool, log: Log): Promise<void> {
  const { rows } = await pool.query<{ knows: boolean }>(`select lower('Ё') = 'ё' as knows`)
  if (rows[0]?.knows) return
  log.warn(
    'the database knows letters of ASCII alone (LC_CTYPE is C): a search takes «quotes» and dashes for parts of words, and for names in other alphabets none that look alike',
  )
}
