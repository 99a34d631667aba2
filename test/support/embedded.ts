import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pino from 'pino'
import { inject, onTestFinished } from 'vitest'
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
} from '../../src/core/postgres/embedded-postgres.ts'
import type { Role } from '../../src/core/postgres/postgres-session.ts'
import { withClient } from './databases.ts'

const log = pino({ level: 'silent' })

/** A place for an embedded PostgreSQL; what still runs there at the end of the tests is killed. */
export const newDirectory = () => join(inject('runFolder'), randomBytes(4).toString('hex'))

export const dataIn = (directory: string) => join(directory, 'postgres', 'data')

export const openEmbedded = (
  directory: string,
  role: Role = 'server',
  settings: Record<string, string> = {},
) => openEmbeddedPostgres({ directory, log, role, settings })

/** For one test: closed at its end. */
export async function open(directory: string, role?: Role): Promise<EmbeddedPostgres> {
  const postgres = await openEmbedded(directory, role)
  onTestFinished(() => postgres.close())
  return postgres
}

/** The first value of the first row. */
export function ask(url: string, sql: string): Promise<unknown> {
  return withClient(url, async client => {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  })
}
