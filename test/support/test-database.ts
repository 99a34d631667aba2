import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { dropDatabase, urlOf, withClient } from './databases.ts'

export interface TestDatabase {
  url: string
  name: string
  close(): Promise<void>
}

/** A migrated database for one test file: a copy of the template. */
export function createTestDatabase(): Promise<TestDatabase> {
  return create(template => ` template ${template}`)
}

/** A database without anything in it, made with these options of CREATE DATABASE. */
export function createEmptyDatabase(options = ''): Promise<TestDatabase> {
  return create(() => ` ${options}`)
}

async function create(origin: (template: string) => string): Promise<TestDatabase> {
  const server = inject('testServer')
  const name = `${server.template}_${randomBytes(4).toString('hex')}`
  await withClient(server.url, client =>
    client.query(`create database ${name}${origin(server.template)}`),
  )
  return {
    url: urlOf(server, name),
    name,
    close: () => dropDatabase(server, name),
  }
}
