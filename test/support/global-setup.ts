import { join } from 'node:path'
import pino from 'pino'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../src/core/migrations/migrations.ts'
import { openEmbeddedPostgres } from '../../src/core/postgres/embedded-postgres.ts'
import { dropLeftovers, newTemplateName, type TestServer, urlOf, withClient } from './databases.ts'
import { makeRunFolder, removeRunFolder } from './run-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer
    /** For servers that a test starts itself, each in a folder of its own below this one. */
    runFolder: string
  }
}

const log = pino({ level: 'silent' })

/**
 * One PostgreSQL for the run: an embedded one, or the one at TEST_DATABASE_URL. `DATABASE_URL` is
 * somebody's data and is not looked at.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = await makeRunFolder()
  project.provide('runFolder', runFolder)
  const server = await openServer(runFolder)
  const teardown = async () => {
    await server.close()
    await removeRunFolder(runFolder)
  }
  try {
    project.provide('testServer', { url: server.url, template: await makeTemplate(server.url) })
    return teardown
  } catch (error) {
    await teardown()
    throw error
  }
}

async function makeTemplate(url: string): Promise<string> {
  const name = newTemplateName()
  await withClient(url, client => client.query(`create database ${name}`))
  await migrate(urlOf({ url }, name), { log })
  // A database that somebody is connected to cannot be copied.
  await withClient(url, client => client.query(`alter database ${name} allow_connections false`))
  return name
}

async function openServer(runFolder: string): Promise<{ url: string; close(): Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    await dropLeftovers({ url })
    return { url, close: () => dropLeftovers({ url }) }
  }
  return openEmbeddedPostgres({
    directory: join(runFolder, 'server'),
    log,
    role: 'server',
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  })
}
