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

const Page = graphql(`
  query NestedPage($concepts: Int!, $links: Int!) {
    concepts(first: $concepts) {
      edges { node { name outgoing(first: $links) { edges { node { relationType to { name } } } } } }
    }
  }
`)

it('a page of concepts with links and their targets takes four statements, whatever its width', async () => {
  await api.admin.run(Page, { concepts: 1, links: 1 })
  for (const size of [
    { concepts: 2, links: 2 },
    { concepts: 50, links: 20 },
  ]) {
    // Who asks, the concepts, their links, the links' targets.
    expect(await statements(() => api.admin.run(Page, size))).toBe(4)
  }
})

it('more fields of it take some statements more, and more rows take none', async () => {
  await api.admin.run(Wide, { concepts: 1, links: 1 })
  for (const size of [
    { concepts: 2, links: 2 },
    { concepts: 50, links: 10 },
  ]) {
    // Besides those: counts of concepts, of links and of neighbours; typed links and neighbours;
    // degrees; and targets again, where they are asked for after the first ones were read.
    expect(await statements(() => api.admin.run(Wide, size))).toBeLessThanOrEqual(12)
  }
})
