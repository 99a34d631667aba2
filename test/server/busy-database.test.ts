import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, startApp } from '../../src/app.ts'
import { readEnv } from '../../src/core/env.ts'
import { graphql } from '../generated/gql.ts'
import { type Client, clientOf } from '../support/client.ts'
import { eventually } from '../support/raw-eventually.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let database: TestDatabase
let app: App
let admin: Client
/** Somebody else who works in the database, and one who looks on. */
let other: pg.Client
let onlooker: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  const settings = { DATABASE_URL: database.url, PORT: '0', DB_CONNECTIONS: '4' }
  app = await startApp(readEnv(settings), pino({ level: 'silent' }))
  admin = clientOf(app.url, app.firstToken ?? '')
  other = new pg.Client(database.url)
  onlooker = new pg.Client(database.url)
  await Promise.all([other.connect(), onlooker.connect()])
})
afterAll(async () => {
  await Promise.all([other.end(), onlooker.end()])
  await app.close()
  await database.close()
})

const Heavy = graphql(`
  query Heavy {
    a: concepts { totalCount } b: concepts { totalCount } c: concepts { totalCount }
    d: concepts { totalCount } e: concepts { totalCount } f: concepts { totalCount }
  }
`)
const Light = graphql(`
  query Light { viewer { kind } }
`)
const Llms = graphql(`
  query BesideHeavy { llms { totalCount } }
`)

const waiting = async () => {
  const { rowCount } = await onlooker.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rowCount
}

test('who asks is known and the server is ready while reads hold every connection of theirs', async () => {
  await other.query('begin; lock table concepts in access exclusive mode')
  const asked = Array.from({ length: 8 }, () => admin.run(Heavy))
  try {
    await eventually(waiting).toBe(3)
    expect(await admin.run(Light)).toEqual({ viewer: { kind: 'ADMIN' } })
    expect((await fetch(new URL('/ready', app.url))).status).toBe(200)
  } finally {
    await other.query('rollback')
  }
  await Promise.all(asked)
})

test('one operation holds only a part of the connections, and others are answered', async () => {
  await other.query('begin; lock table concepts in access exclusive mode')
  const asked = admin.run(Heavy)
  try {
    await eventually(waiting).toBe(1)
    expect(await admin.run(Llms)).toEqual({ llms: { totalCount: 0 } })
    expect(await waiting()).toBe(1)
  } finally {
    await other.query('rollback')
  }
  await asked
})
