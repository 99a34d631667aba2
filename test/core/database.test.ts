import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { query } from '../../src/core/query.ts'
import { sql } from '../../src/core/sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

const options = { maxConnections: 2, log: pino({ level: 'silent' }) }
let database: TestDatabase
let db: Database

beforeAll(async () => {
  database = await createTestDatabase()
  db = await openDatabase(database.url, options)
})
afterAll(async () => {
  await db.close()
  await database.close()
})

it('a database set to the time of New York keeps the instants it is given', async () => {
  await db.pool.query(`alter database ${database.name} set timezone to 'America/New_York'`)
  const opened = await openDatabase(database.url, options)
  try {
    const before = Date.now()
    const concept = await opened.prisma.concept.create({ data: { name: 'instant' } })
    const [row] = await query<{ timestamp: Date; now: Date }>(
      opened.pool,
      sql`select timestamp, now() from concepts where id = ${concept.id}`,
    )
    expect(row?.timestamp).toEqual(concept.timestamp)
    expect(Math.abs(concept.timestamp.getTime() - before)).toBeLessThan(60_000)
    const read = await opened.prisma.concept.findUniqueOrThrow({ where: { id: concept.id } })
    expect(read.timestamp).toEqual(concept.timestamp)
  } finally {
    await opened.close()
  }
})

it('a session that does not run in UTC is refused with the reason', async () => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c TimeZone=Europe/Madrid')
  await expect(openDatabase(url.href, options)).rejects.toThrow(/Europe\/Madrid, not UTC/)
})

it('a row is the same through Prisma and through a statement, ids beyond 2^53 included', async () => {
  const id = 2n ** 53n + 1n
  const data = { id, name: 'exact', timestamp: new Date('2026-01-31T12:00:00.123Z') }
  const written = await db.prisma.concept.create({ data })
  const read = sql`select id, name, description, timestamp, llm_id as "llmId" from concepts where id = ${id}`
  expect(await query(db.pool, read)).toEqual([written])
  expect(await db.prisma.$transaction(tx => query(tx, read))).toEqual([written])
  const ids = sql`select array[id, 1] as ids from concepts where id = any(${[id]}::bigint[])`
  expect(await query(db.pool, ids)).toEqual([{ ids: [id, 1n] }])
})

it('a connection that the server drops is replaced without a word to anybody', async () => {
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await expect.poll(() => db.pool.query('select 1').then(() => 'answered')).toBe('answered')
})

it('a connection that is lost while it changes hands does not end the process', async () => {
  const connection = await db.pool.connect()
  try {
    expect(() => connection.emit('error', new Error('terminated'))).not.toThrow()
  } finally {
    connection.release(true)
  }
})
