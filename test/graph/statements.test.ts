import { afterAll, beforeAll, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.db.pool.query(
    `insert into concepts (name) select 'c' || n from generate_series(1, 60) n`,
  )
  await api.db.pool.query(`
    insert into links (from_concept_id, to_concept_id, relation_type)
    select a.id, b.id, t from concepts a, concepts b, unnest(array['is_a', 'part_of']) t
    where (a.id + b.id) % 4 = 0`)
})
afterAll(() => api.close())

/** How many statements the server sent to answer. */
async function statements(run: () => Promise<unknown>): Promise<number> {
  let sent = 0
  const query = api.db.pool.query
  api.db.pool.query = function counted(this: unknown, ...args: unknown[]) {
    sent++
    return Reflect.apply(query, api.db.pool, args)
  } as typeof query
  try {
    await run()
    return sent
  } finally {
    api.db.pool.query = query
  }
}

const Wide = graphql(`
  query WidePage($concepts: Int!, $links: Int!) {
    concepts(first: $concepts) {
      totalCount
      edges {
        node {
          name
          llm { name }
          outgoing(first: $links) {
            totalCount
            pageInfo { hasNextPage hasPreviousPage }
            edges { node { relationType to { name degree } } }
          }
          typed: outgoing(first: $links, relationTypes: ["is_a"]) { edges { node { to { name } } } }
          neighbors(first: $links) { totalCount edges { node { name } } }
        }
      }
    }
  }
`)

it('a page of concepts with links and their targets takes as many statements for 50 as for 2', async () => {
  await api.admin.run(Wide, { concepts: 2, links: 2 })
  const few = await statements(() => api.admin.run(Wide, { concepts: 2, links: 2 }))
  const many = await statements(() => api.admin.run(Wide, { concepts: 50, links: 10 }))
  expect(many).toBe(few)
  // Who asks; concepts and their count; links, their count; typed links; targets of each depth;
  // neighbours and their count; degrees.
  expect(many).toBeLessThanOrEqual(11)
})
