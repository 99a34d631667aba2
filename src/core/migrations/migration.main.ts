import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { openEmbeddedPostgres } from '../postgres/embedded-postgres.ts'
import { StartupError } from '../startup-error.ts'
import { runTool, toolSettings } from '../tool.ts'
import { migrationsDirectory } from './migration-files.ts'
import { migrate, schemaDrift } from './migrations.ts'

/**
 * `npm run migration -- <name>`: writes the migration that brings the schema from what the present
 * migrations make of an empty database to what `prisma/*.prisma` says.
 */
async function writeMigration(name: string | undefined, signal: AbortSignal): Promise<number> {
  if (name === undefined || !/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new StartupError(
      'Usage: npm run migration -- <name>, in lower-case letters, digits and underscores',
    )
  }
  const { env, log } = toolSettings()
  const postgres = await openEmbeddedPostgres({ directory: env.DATA_DIR, log, role: 'tool' })
  const sql = await onNewDatabase(postgres, async url => {
    signal.throwIfAborted()
    await migrate(url, { log })
    signal.throwIfAborted()
    return schemaDrift(url)
  }).finally(() => postgres.close())
  if (sql === null) {
    process.stdout.write(
      'The migrations make what the Prisma schema says: there is nothing to do.\n',
    )
    return 0
  }
  const folder = join(migrationsDirectory, `${timestamp(new Date())}_${name}`)
  await mkdir(folder)
  await writeFile(join(folder, 'migration.sql'), sql)
  process.stdout.write(`${join(folder, 'migration.sql')}\n`)
  return 0
}

/** A database that is there only for the work. */
async function onNewDatabase<Result>(
  postgres: { url: string },
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const name = `migration_${randomBytes(4).toString('hex')}`
  const client = new pg.Client(postgres.url)
  await client.connect()
  try {
    await client.query(`create database ${name}`)
    const url = new URL(postgres.url)
    url.pathname = `/${name}`
    return await work(url.href)
  } finally {
    await client.query(`drop database if exists ${name}`)
    await client.end()
  }
}

const timestamp = (date: Date) => date.toISOString().replace(/\D/g, '').slice(0, 14)

await runTool(signal => writeMigration(process.argv[2], signal))
