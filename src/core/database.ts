import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import type { Log } from './log.ts'
import { StartupError } from './startup-error.ts'

/** One pool, shared by Prisma and by the statements that Prisma cannot say. */
export interface Database {
  readonly prisma: PrismaClient
  readonly pool: pg.Pool
  close(): Promise<void>
}

export interface DatabaseOptions {
  maxConnections: number
  /** After which PostgreSQL gives up a statement that nobody waits for any more. */
  statementTimeoutMs?: number
  log: Log
}

/**
 * Opens the database and refuses one whose sessions do not run in UTC: Prisma's adapter would
 * shift every timestamp by the difference, in silence.
 */
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
  try {
    const { rows } = await pool.query<{ zone: string; folds: boolean }>(
      `select current_setting('TimeZone') as zone, lower('Ё') = 'ё' as folds`,
    )
    const zone = rows[0]?.zone
    if (!rows[0]?.folds) {
      options.log.warn(
        'the database knows letter case of ASCII alone (LC_CTYPE is C): searches tell А from а',
      )
    }
    if (zone !== 'UTC') {
      throw new StartupError(
        `the database's sessions run in the time zone ${zone}, not UTC: take TimeZone out of the options of DATABASE_URL, or let the connection pooler pass on the start-up options`,
      )
    }
  } catch (error) {
    await pool.end()
    throw error
  }
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    prisma,
    pool,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

const sessionSettings = [
  '-c TimeZone=UTC',
  '-c jit=off',
  '-c pg_trgm.word_similarity_threshold=0.5',
  '-c idle_in_transaction_session_timeout=60000',
]

/**
 * UTC outranks a time zone set on the database or role. JIT costs more than it saves on the short
 * statements of this server. A name is alike from half of its trigrams on, so that a word with one
 * letter wrong is found. A transaction whose process hangs must not keep its locks for ever. Options already in the URL come later and so win.
 */
function withSessionSettings(url: string, statementTimeoutMs = 0): string {
  const parsed = new URL(url)
  const given = parsed.searchParams.get('options')
  const timeout = `-c statement_timeout=${statementTimeoutMs}`
  parsed.searchParams.set('options', [...sessionSettings, timeout, given].filter(Boolean).join(' '))
  return parsed.href
}
