import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '../../src/core/context.ts'
import { Loaders } from '../../src/core/loaders.ts'
import { type ListConcepts, listConcepts } from '../../src/graph/concepts.ts'
import { type Api, startApi } from '../support/api.ts'

const rows = 20_000

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.db.pool.query(
    `insert into concepts (name, description)
     select 'concept number ' || n, 'a note about торт and concept ' || n from generate_series(1, $1) n`,
    [rows],
  )
  await api.db.pool.query('vacuum analyze concepts')
}, 60_000)
afterAll(() => api.close())

interface Plan {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** How many rows the scans of a plan looked at. */
function looked(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, each) => sum + looked(each), 0)
  if (!/Scan/.test(plan['Node Type']) || plan.Plans) return below
  const dropped =
    (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return below + (plan['Actual Rows'] + dropped) * plan['Actual Loops']
}

/** How many rows all the statements of a list look at. */
async function cost(args: ListConcepts): Promise<number> {
  const { pool } = api.db
  let sum = 0
  const counting = Object.create(pool, {
    query: {
      async value(statement: { text: string; values: unknown[] }) {
        const explain = { ...statement, text: `explain (analyze, format json) ${statement.text}` }
        const { rows: answer } = await pool.query(explain)
        sum += looked(answer[0]['QUERY PLAN'][0].Plan)
        return pool.query(statement)
      },
    },
  })
  const caller = { db: { ...api.db, pool: counting }, loaders: new Loaders(), viewer: admin }
  const found = await listConcepts(caller, args)
  expect(found.edges.length).toBe(args.first)
  return sum
}

const admin: Caller['viewer'] = {
  ...{ kind: 'ADMIN', userId: '', login: '', groups: [], llmId: null, tokenId: null },
  expiresAt: null,
}

it.each([
  ['a word of every name', 'concept'],
  ['a letter of every name', 'c'],
  ['a word in the middle of every name', 'number'],
  ['part of a word of every name', 'umbe'],
  ['the same word many times', 'concept '.repeat(60)],
  ['many words of every text', 'a note about торт and concept'],
  ['alternatives of every text', 'note or concept or number or about or торт'],
  ['a phrase of every text', '"note about"'],
  ['what no text has after a minus', '-nothing'],
  ['every name but with letters missing', 'concpt numbr'],
])('a page of %s looks at hundreds of the rows, not at thousands', async (_, search) => {
  expect(await cost({ search, first: 20 })).toBeLessThan(2_000)
  expect(
    await cost({ search, first: 20, orderBy: { field: 'name', descending: true } }),
  ).toBeLessThan(2_000)
})
