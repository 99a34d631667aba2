import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrationStatus, schemaDrift } from '../../../src/core/migrations/migrations.ts'
import { withClient } from '../../support/databases.ts'
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

test('the migrations make what the Prisma schema says', async () => {
  expect(await schemaDrift(database.url)).toBeNull()
})

test('every migration of the code is in a migrated database', async () => {
  const pool = new pg.Pool({ connectionString: database.url })
  const status = await migrationStatus(pool)
  await pool.end()
  expect(status.applied.length).toBeGreaterThan(0)
  expect(status).toMatchObject({ pending: [], unknown: [] })
})

test.each([
  ['a column', 'alter table concepts add column planted int', 'DROP COLUMN "planted"'],
  ['an index', 'drop index links_relation_type_idx', 'CREATE INDEX "links_relation_type_idx"'],
  [
    'a table in another schema',
    'create table core.planted (id int primary key)',
    '"core"."planted"',
  ],
])('%s that differs is found', async (_, change, difference) => {
  const copy = await createTestDatabase()
  await withClient(copy.url, client => client.query(change))
  expect(await schemaDrift(copy.url)).toContain(difference)
  await copy.close()
})
