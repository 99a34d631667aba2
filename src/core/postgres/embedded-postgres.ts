import { join } from 'node:path'
import type pg from 'pg'
import type { Logger } from 'pino'
import { StartupError } from '../startup-error.ts'
import { findBinaries } from './postgres-binaries.ts'
import { openCluster } from './postgres-cluster.ts'
import { chooseHome } from './postgres-home.ts'
import { joinOrStart } from './postgres-join.ts'
import { keepMembership } from './postgres-membership.ts'
import type { Role } from './postgres-session.ts'

export interface EmbeddedPostgres {
  /** Of database `engraph`, as superuser. */
  url: string
  /** Close every connection of your own first. Stops the server when nobody else uses it. */
  close(): Promise<void>
}

export interface EmbeddedPostgresOptions {
  /** Where the database is kept; see `chooseHome` for the exception. */
  directory: string
  log: Pick<Logger, 'info' | 'error'>
  /** One server at a time; any number of tools, beside it or alone. */
  role: Role
  /** Settings of PostgreSQL, for tests that need not survive a power cut. */
  settings?: Record<string, string>
}

/**
 * A real PostgreSQL that needs no installation: its programs come with npm. Throws a `StartupError`
 * when it cannot be had.
 */
export async function openEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  try {
    return await open(options)
  } catch (error) {
    // A folder that cannot be written, a full disk: the system's own words say it.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new StartupError(
      `The embedded PostgreSQL cannot be kept in ${options.directory}: ${error.message}`,
      { cause: error },
    )
  }
}

async function open(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { directory, log, role, settings = {} } = options
  const { folder: home, account, copies } = await chooseHome(directory, log)
  const binaries = await findBinaries({ account, copies, log })
  const { data, password } = await openCluster({ home, account, binaries, log })
  const logFile = join(home, 'postgres.log')
  const installation = { binaries, account, data, logFile, settings }
  const session = await joinOrStart(installation, { password, role, log })
  const { port } = session
  const close = keepMembership(session, installation, { password, role, log })
  try {
    await createDatabase(session.client)
  } catch (error) {
    await close()
    throw error
  }
  // PGSSLMODE in the environment is about other servers.
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/engraph?sslmode=disable`
  return { url, close }
}

async function createDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(`select from pg_database where datname = 'engraph'`)
  if (rowCount === 1) return
  await client.query('create database engraph').catch(error => {
    // Another process may have made it in this moment, and the two are then told apart by chance.
    if (!madeByAnother.has(error.code)) throw error
  })
}

const madeByAnother = new Set(['42P04', '23505'])
