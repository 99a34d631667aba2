import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/core/database.ts'
import { readEnv } from '../../src/core/env.ts'
import { authenticator } from '../../src/identity/authenticate.ts'
import { ensureAdmin } from '../../src/identity/first-start.ts'
import { schema } from '../../src/schema.ts'
import { createServer } from '../../src/server/server.ts'
import { noFeed } from '../support/no-feed.ts'
import { eventually } from '../support/raw-eventually.ts'
import type { ToyServer } from '../support/raw-server.ts'
import { transports } from '../support/raw-transports.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

const log = pino({ level: 'silent' })

let database: TestDatabase
let token: string
/** Somebody else who works in the database. */
let other: pg.Client
const closers: (() => Promise<void>)[] = []

/** A server whose statements may take so long. */
async function serve(statementTimeoutMs: number): Promise<{ url: string; wsUrl: string }> {
  const address = new URL(database.url)
  address.searchParams.set('options', `-c statement_timeout=${statementTimeoutMs}`)
  const db = await openDatabase(address.href, { maxConnections: 4, log })
  token ??= (await ensureAdmin(db)) ?? ''
  const env = readEnv({ PORT: '0' })
  const authenticate = authenticator(db, env, log)
  const server = createServer({ schema, env, log, db, feed: noFeed, authenticate, readiness: [] })
  closers.push(() => server.close().then(() => db.close()))
  const { url } = await server.listen()
  return { url, wsUrl: url.replace('http', 'ws') }
}

let impatient: { url: string; wsUrl: string }
let patient: { url: string; wsUrl: string }

beforeAll(async () => {
  database = await createTestDatabase()
  impatient = await serve(200)
  patient = await serve(0)
  other = new pg.Client(database.url)
  await other.connect()
})

afterAll(async () => {
  await other.end()
  for (const close of closers) await close()
  await database.close()
})

const operations = {
  query: '{ concepts { edges { node { name } } } }',
  mutation: 'mutation { createConcept(input: { name: "kept out" }) { id } }',
}

describe.each(transports)('over %s', (_name, ask) => {
  describe.each(Object.entries(operations))('a %s', (_type, query) => {
    const codeWhileLocked = async (server: typeof patient, meanwhile = async () => {}) => {
      await other.query('begin; lock table concepts in access exclusive mode')
      try {
        const asked = ask(server as ToyServer, { query }, token)
        await meanwhile()
        const [result] = await asked
        expect(JSON.stringify(result)).not.toMatch(/canceling|terminat|concepts_|select|prisma/i)
        return result?.errors?.[0]?.extensions.code
      } finally {
        await other.query('rollback')
      }
    }

    test('that waits too long for the database ends with TIMEOUT', async () => {
      expect(await codeWhileLocked(impatient)).toBe('TIMEOUT')
    })

    test('whose connection is killed ends with SERVICE_BUSY, and the next one is answered', async () => {
      const kill = () =>
        eventually(async () => {
          // Within a transaction, PostgreSQL answers what it saw the first time.
          await other.query('select pg_stat_clear_snapshot()')
          const { rowCount } = await other.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and wait_event_type = 'Lock'`,
          )
          return rowCount
        }).toBeGreaterThan(0)
      expect(await codeWhileLocked(patient, kill)).toBe('SERVICE_BUSY')
      const [result] = await ask(patient as ToyServer, { query: operations.query }, token)
      expect(result?.errors).toBeUndefined()
    })
  })
})
