import pg from 'pg'
import type { Logger } from 'pino'
import { checkSession, withSessionSettings } from '../session.ts'
import { StartupError } from '../startup-error.ts'
import {
  type Migration,
  migrationsDirectory,
  readMigrationNames,
  readMigrations,
  readSchemaFiles,
} from './migration-files.ts'
import {
  checkHistory,
  type MigrationRecord,
  type MigrationStatus,
  statusOf,
} from './migration-history.ts'
import type { SchemaEngine } from './schema-engine.ts'

// Held by the one instance that migrates; any number that nothing else uses.
const migrationLock = 6_033_441_257

export interface MigrateOptions {
  log: Pick<Logger, 'info'>
  /** Where the migrations are, when not in `prisma/migrations`. */
  directory?: string
}

/**
 * Brings the database up to the migrations of this code. Each migration is one transaction together
 * with its row in `_prisma_migrations`: one that fails, or is cut off, leaves no trace. Several
 * instances may call this at once. Refuses, with a `StartupError`, a history that it cannot go on from.
 */
export async function migrate(
  url: string,
  { log, directory = migrationsDirectory }: MigrateOptions,
): Promise<{ applied: string[] }> {
  const known = await readMigrations(directory)
  return withClient(url, async client => {
    await checkVersion(client)
    const { pending } = checkHistory(known, await readRecords(client))
    if (pending.length === 0) return { applied: [] }

    await takeLock(client, log)
    const status = checkHistory(known, await readRecords(client))
    const engine = await openEngine(client)
    try {
      const present = new Set(status.applied)
      for (const name of status.pending) {
        present.add(name)
        log.info({ migration: name }, 'migrating the database')
        await applyInTransaction(
          client,
          engine,
          known.filter(migration => present.has(migration.name)),
          name,
        )
      }
    } finally {
      engine.close()
    }
    return { applied: status.pending }
  })
}

/** What `/ready` asks: the database has every migration of this code, and maybe newer ones. */
export async function migrationStatus(pool: Pick<pg.Pool, 'query'>): Promise<MigrationStatus> {
  knownNames ??= await readMigrationNames()
  return statusOf(knownNames, await readRecords(pool))
}

/** A program that runs knows what it was started with, and is asked every few seconds. */
let knownNames: string[] | undefined

/**
 * The SQL that would make the database at `url` what `prisma/*.prisma` says; null when it is that
 * already. Functions, triggers, and indexes on expressions are not compared: Prisma has no words for them.
 */
export function schemaDrift(url: string): Promise<string | null> {
  return withClient(url, async client => {
    const engine = await openEngine(client)
    try {
      return await engine.difference()
    } finally {
      engine.close()
    }
  })
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query('show server_version')
  const version: string = rows[0].server_version
  if (Number.parseInt(version, 10) >= 15) return
  throw new StartupError(`Engraph needs PostgreSQL 15 or newer; this server is ${version}.`)
}

async function takeLock(client: pg.Client, log: MigrateOptions['log']): Promise<void> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as got', [migrationLock])
  if (rows[0].got) return
  log.info('another instance is migrating the database: waiting for it')
  await client.query('select pg_advisory_lock($1)', [migrationLock])
}

async function applyInTransaction(
  client: pg.Client,
  engine: SchemaEngine,
  migrations: Migration[],
  name: string,
): Promise<void> {
  try {
    await client.query('begin')
    await engine.apply(migrations)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    const sql = migrations.find(migration => migration.name === name)?.sql ?? ''
    throw new StartupError(explain(name, sql, error), { cause: error })
  }
}

function explain(name: string, sql: string, error: unknown): string {
  const { code, position, message } = error as Partial<pg.DatabaseError>
  if (code === notEmpty) {
    return "The database is not empty, and what is in it is not Engraph's: give Engraph a database of its own."
  }
  const line = position && ` at line ${sql.slice(0, Number(position)).split('\n').length}`
  return `The migration ${name} failed${line ?? ''} and was rolled back: ${message ?? error}`
}

// The engine is loaded only when there is work for it: a restart has none, and should be quick.
async function openEngine(client: pg.Client): Promise<SchemaEngine> {
  const { openSchemaEngine } = await import('./schema-engine.ts')
  return openSchemaEngine(client, await readSchemaFiles())
}

async function readRecords(on: Pick<pg.Pool | pg.Client, 'query'>): Promise<MigrationRecord[]> {
  try {
    const { rows } = await on.query<MigrationRecord>(
      `select migration_name, checksum, logs, finished_at, rolled_back_at
       from public._prisma_migrations
       order by started_at`,
    )
    return rows
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTable) return []
    throw error
  }
}

const undefinedTable = '42P01'
const notEmpty = 'P3005'

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: withSessionSettings(url),
    connectionTimeoutMillis: 10_000,
  })
  // A lost connection fails the statement that runs, which is report enough.
  client.on('error', () => {})
  await client.connect().catch(error => {
    throw new StartupError(
      `The database at ${client.host}:${client.port} cannot be reached: ${error.message || error.code}`,
      { cause: error },
    )
  })
  try {
    await checkSession(client)
    return await work(client)
  } finally {
    await client.end()
  }
}
