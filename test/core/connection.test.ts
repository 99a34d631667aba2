import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { childPage, listPage } from '../../src/core/connection.ts'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { chainPage } from '../../src/core/list-chain.ts'
import { Loaders } from '../../src/core/loaders.ts'
import type { Order } from '../../src/core/paging.ts'
import { raw } from '../../src/core/sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let database: TestDatabase
let db: Database
let statements = 0
beforeAll(async () => {
  database = await createTestDatabase()
  const log = pino({ level: 'silent' })
  const { pool, ...opened } = await openDatabase(database.url, { maxConnections: 2, log })
  await pool.query(`insert into concepts (name) select 'c' || n from generate_series(1, 9) n`)
  const query = (statement: object) => {
    statements++
    return pool.query(statement as never)
  }
  db = { ...opened, pool: Object.create(pool, { query: { value: query } }) }
})
afterAll(async () => {
  await db.close()
  await database.close()
})

const order: Order = { name: 'list', columns: [{ expression: raw('c.id'), type: 'bigint' }] }
const source = { columns: raw('c.id'), from: raw('concepts c'), where: raw('true') }
const children = { ...source, name: 'children', parentType: 'text' as const }
const half = (name: string, where: string) => ({
  source: { ...source, where: raw(where) },
  order: { ...order, name },
})
const chain = [half('even', 'c.id % 2 = 0'), half('odd', 'c.id % 2 = 1')]

const lists = [
  ['a list', (args: object) => listPage({ db }, source, order, args)],
  ['a chain of lists', (args: object) => chainPage({ db }, chain, args)],
  [
    'a list under a parent',
    (args: object) => childPage({ db, loaders: new Loaders() }, 'x', children, order, args),
  ],
] as const

it.each(lists)('what %s is asked for again it does not read again', async (_, page) => {
  const { pageInfo: first } = await page({ first: 3 })
  for (const args of [
    { first: 3, after: first.endCursor },
    { last: 1, before: first.endCursor },
  ]) {
    const { totalCount, pageInfo } = await page(args)
    expect([await totalCount(), await pageInfo.hasNextPage]).toEqual([9, true])
    expect(await pageInfo.hasPreviousPage).toBe(true)
    const before = statements
    await Promise.all(Array.from({ length: 20 }, totalCount))
    for (let again = 0; again < 20; again++) {
      await pageInfo.hasNextPage
      await pageInfo.hasPreviousPage
    }
    expect(statements).toBe(before)
  }
})

it('facts of a page that are asked for at once take a statement each', async () => {
  const { pageInfo: first } = await listPage({ db }, source, order, { first: 3 })
  const { totalCount, pageInfo } = await listPage({ db }, source, order, {
    first: 3,
    after: first.endCursor,
  })
  const before = statements
  await Promise.all([
    ...Array.from({ length: 20 }, totalCount),
    ...Array.from({ length: 20 }, () => pageInfo.hasPreviousPage),
  ])
  expect(statements - before).toBe(2)
})

it.each(['a\u0000', 'a\ud800'])(
  'a parent %j has no children, and its siblings have theirs',
  async bad => {
    const loaders = new Loaders()
    const ofParent = { ...children, where: raw(`parent.id = 'good'`) }
    const [good, none] = await Promise.all(
      ['good', bad].map(parent => childPage({ db, loaders }, parent, ofParent, order, {})),
    )
    expect([good?.edges.length, await good?.totalCount()]).toEqual([9, 9])
    expect([none?.edges.length, await none?.totalCount()]).toEqual([0, 0])
  },
)
