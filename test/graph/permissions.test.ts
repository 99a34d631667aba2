import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'

let api: Api
let worker: Client
let ids: { a: string; b: string; link: string }

beforeAll(async () => {
  api = await startApi()
  worker = await api.signUp('robot', { kind: 'WORKER' })
  const { upsertGraph } = await api.admin.run(
    graphql(`
      mutation HiddenGraph {
        upsertGraph(concepts: [{ name: "a" }, { name: "b" }], links: [{ from: "a", to: "b", relationType: "r" }]) {
          concepts { id }
          links { id }
        }
      }
    `),
  )
  const [a, b] = upsertGraph.concepts
  ids = { a: a?.id ?? '', b: b?.id ?? '', link: upsertGraph.links[0]?.id ?? '' }
})
afterAll(() => api.close())

describe('a worker', () => {
  it('reads nothing of the graph, by any door', async () => {
    const data = await worker.run(
      graphql(`
        query EveryDoor($a: ID!, $b: ID!, $link: ID!) {
          concept(id: $a) { name }
          byName: concept(name: "a") { name }
          concepts { totalCount edges { node { name } } }
          search: concepts(search: "a") { totalCount edges { node { name } } }
          node(id: $a) { id }
          nodes(ids: [$a, $b, $link]) { id }
          path(from: $a, to: $b) { length }
          relationTypes { name links }
        }
      `),
      ids,
    )
    expect(data).toEqual({
      concept: null,
      byName: null,
      concepts: { totalCount: 0, edges: [] },
      search: { totalCount: 0, edges: [] },
      node: null,
      nodes: [null, null, null],
      path: null,
      relationTypes: [],
    })
  })

  it('finds no neighbourhood, for it finds no concept', async () => {
    const Around = graphql(`
      query HiddenNeighborhood($a: ID!) { neighborhood(conceptId: $a) { truncated } }
    `)
    expect(await worker.refused(Around, { a: ids.a })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'conceptId',
    })
  })

  it('writes nothing in the graph', async () => {
    const refusals = [
      worker.refused(graphql(`mutation W1 { createConcept(input: { name: "x" }) { id } }`)),
      worker.refused(graphql(`mutation W2($a: ID!) { updateConcept(id: $a, input: {}) { id } }`), {
        a: ids.a,
      }),
      worker.refused(graphql(`mutation W3($a: ID!) { deleteConcept(id: $a) }`), { a: ids.a }),
      worker.refused(
        graphql(`mutation W4($a: ID!, $b: ID!) { mergeConcepts(into: $a, from: [$b]) { id } }`),
        ids,
      ),
      worker.refused(
        graphql(
          `mutation W5($a: ID!, $b: ID!) { linkConcepts(links: [{ from: $a, to: $b, relationType: "x" }]) { id } }`,
        ),
        ids,
      ),
      worker.refused(graphql(`mutation W6($link: ID!) { unlinkConcepts(ids: [$link]) }`), {
        link: ids.link,
      }),
      worker.refused(
        graphql(`mutation W7 { upsertGraph(concepts: [], links: []) { linksCreated } }`),
      ),
    ]
    for (const refused of await Promise.all(refusals)) expect(refused.code).toBe('FORBIDDEN')
    const { rows } = await api.db.pool.query('select count(*)::int from concepts')
    expect(rows[0].count).toBe(2)
  })
})
