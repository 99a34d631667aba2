import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import { StartupError } from '../startup-error.ts'
import { type Account, asAccount, giveTo } from './postgres-account.ts'
import type { Binaries } from './postgres-binaries.ts'
import { postgresEnvironment } from './postgres-environment.ts'
import { clusterFolder } from './postgres-home.ts'
import { makeWhole } from './whole-folder.ts'

const run = promisify(execFile)

export interface Cluster {
  data: string
  password: string
}

/** The databases' files and the password to them, made on the first start. */
export async function openCluster(options: {
  home: string
  account: Account | undefined
  binaries: Binaries
  log: Pick<Logger, 'info'>
}): Promise<Cluster> {
  const { home, account, binaries, log } = options
  const folder = clusterFolder(home)
  await makeWhole(folder, async draft => {
    log.info(`making a database in ${folder}`)
    await initialise(draft, account, binaries)
  })
  const data = join(folder, 'data')
  const [major, password] = await Promise.all([
    readFile(join(data, 'PG_VERSION'), 'utf8'),
    readFile(join(folder, 'password'), 'utf8'),
  ]).catch(cause => {
    throw new StartupError(
      `The database in ${folder} is damaged (${cause.message}): restore the folder, or remove it to begin anew.`,
      { cause },
    )
  })
  if (major.trim() !== binaries.major) {
    throw new StartupError(
      `The database in ${folder} is PostgreSQL ${major.trim()}'s, and this version of Engraph brings PostgreSQL ${binaries.major}: move it by pg_dump, or set DATABASE_URL to a PostgreSQL ${major.trim()}.`,
    )
  }
  return { data, password }
}

async function initialise(
  draft: string,
  account: Account | undefined,
  binaries: Binaries,
): Promise<void> {
  await chmod(draft, 0o700)
  await giveTo(account, draft)
  const passwordFile = join(draft, 'password')
  await writeSecret(passwordFile, randomBytes(24).toString('hex'))
  await giveTo(account, passwordFile)
  let reason = ''
  for (const ctype of characterTypes) {
    try {
      await run(
        binaries.initdb,
        [
          ...['--pgdata', join(draft, 'data'), '--username', 'postgres'],
          ...['--pwfile', passwordFile, '--auth', 'scram-sha-256'],
          ...['--encoding', 'UTF8', '--locale', 'C', '--lc-ctype', ctype],
          ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
        ],
        { ...asAccount(account), env: postgresEnvironment() },
      )
      return
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string }
      reason = stderr?.trim() || message
      if (!reason.includes('invalid locale name')) break
    }
  }
  throw new StartupError(`The database could not be made: ${reason.replaceAll('\n', ' ')}`)
}

/**
 * Collation is PostgreSQL's own and the same everywhere; but text search and trigrams ask the system
 * which characters are letters, and under plain C they would take «quotes» for some and drop Cyrillic.
 */
const characterTypes = ['C.UTF-8', 'en_US.UTF-8', 'UTF-8', 'C']

async function writeSecret(path: string, secret: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(secret)
    await file.sync()
  } finally {
    await file.close()
  }
}
