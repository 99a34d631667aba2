import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../support/test-database.ts'
import { openInstance } from './open-feed.ts'

const resync = { code: 'LIMIT_EXCEEDED', resync: true }

async function database() {
  const made = await createTestDatabase()
  onTestFinished(() => made.close())
  return made.url
}

const epochOf = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString())[0]

it('begins anew where it was restored into a PostgreSQL that counts its transactions lower', async () => {
  const url = await database()
  const before = await openInstance(url)
  const old = before.feed.position
  await before.write('restored', 'too')
  await before.feed.close()
  // What was written elsewhere, by transactions which this PostgreSQL has not come to.
  await before.db.pool.query(
    `update core.changes set xact = (xact::text::bigint + 1000000)::text::xid8`,
  )
  await before.db.pool.query(`update core.change_log set trimmed = '1000000'`)

  const { feed, write, follow, db } = await openInstance(url)
  expect(epochOf(feed.position)).not.toBe(epochOf(old))
  const begin = feed.position
  const live = follow()
  await write('new')
  expect(await live.take(1)).toEqual(['new'])
  expect(await follow({ after: begin }).take(1)).toEqual(['new'])
  expect(() => follow({ after: old })).toThrow(expect.objectContaining(resync))

  // Another instance that starts now finds it in order.
  const other = await openInstance(url)
  expect(epochOf(other.feed.position)).toBe(epochOf(feed.position))
  const { rows } = await db.pool.query(
    `select payload ->> 'text' as text from core.changes order by id`,
  )
  expect(rows.map(({ text }) => text)).toEqual(['restored', 'too', 'new'])
})

it('stays the same where an instance starts beside another', async () => {
  const url = await database()
  const one = await openInstance(url)
  const news = one.follow()
  await one.write('old')
  await news.take(1)
  const after = one.feed.position
  const other = await openInstance(url)
  expect(epochOf(other.feed.position)).toBe(epochOf(after))
  await one.write('new')
  expect(await other.follow({ after }).take(1)).toEqual(['new'])
})

it('tells who has a cursor of another database to read anew', async () => {
  const [one, other] = [await openInstance(await database()), await openInstance(await database())]
  // Copies of one database have its identity; a new database has its own.
  await other.db.pool.query('update core.change_log set epoch = gen_random_uuid()')
  const third = await openInstance(other.db.pool.options.connectionString ?? '')
  expect(() => third.follow({ after: one.feed.position })).toThrow(expect.objectContaining(resync))
})
