import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { query } from '../../src/core/query.ts'
import { raw, sql } from '../../src/core/sql.ts'
import { containsText } from '../../src/core/text-search.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = await openDatabase(database.url, { maxConnections: 1, log: pino({ level: 'silent' }) })
})
afterAll(async () => {
  await db.close()
  await database.close()
})

const texts = ['Ángel', 'ŻÓŁW', 'Жанна', '100%', 'a_b', 'back\\slash', 'plain']

it.each([
  ['ANGEL', ['Ángel']],
  ['żółw', ['ŻÓŁW']],
  ['жан', ['Жанна']],
  ['%', ['100%']],
  ['％', ['100%']],
  ['_', ['a_b']],
  ['＿', ['a_b']],
  ['\\', ['back\\slash']],
  ['＼', ['back\\slash']],
  ['', texts],
])('text that holds %j is found, whatever its case, accents and width', async (text, found) => {
  const rows = await query<{ value: string }>(
    db.pool,
    sql`select value from unnest(${texts}::text[]) value
      where ${containsText([raw(`''`), raw('value')], text)}`,
  )
  expect(rows.map(row => row.value)).toEqual(found)
})
