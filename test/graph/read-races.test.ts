import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { afterReading } from '../support/after-reading.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
let id: Record<'a' | 'b' | 'c' | 'aToB', string>

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())
afterEach(() => vi.restoreAllMocks())

// a → b and a → c.
beforeEach(async () => {
  await api.db.pool.query('delete from concepts')
  const { upsertGraph } = await api.admin.run(Start)
  const [a, b, c] = upsertGraph.concepts.map(concept => concept.id)
  id = { a: a ?? '', b: b ?? '', c: c ?? '', aToB: upsertGraph.links[0]?.id ?? '' }
})

const Start = graphql(`
  mutation SmallGraph {
    upsertGraph(
      concepts: [{ name: "a" }, { name: "b" }, { name: "c" }]
      links: [{ from: "a", to: "b", relationType: "r" }, { from: "a", to: "c", relationType: "r" }]
    ) { concepts { id } links { id } }
  }
`)

/** Does something right after the first transaction was committed. */
function afterCommit(work: () => Promise<unknown>) {
  const { prisma } = api.db
  const run = prisma.$transaction.bind(prisma) as (...args: unknown[]) => Promise<unknown>
  vi.spyOn(prisma, '$transaction').mockImplementationOnce((async (...args: unknown[]) => {
    const result = await run(...args)
    await work()
    return result
  }) as never)
}

const deleteB = () => api.db.pool.query(`delete from concepts where name = 'b'`)
const Merge = graphql(`
  mutation MergeWhileReading($into: ID!, $from: [ID!]!) {
    mergeConcepts(into: $into, from: $from) { id }
  }
`)
const mergeBIntoA = () => api.admin.run(Merge, { into: id.a, from: [id.b] })

describe('a concept that is deleted while it is read', () => {
  it('is still at the ends of the links of a neighbourhood', async () => {
    afterReading(api.db.pool, /with recursive level/, deleteB)
    const { neighborhood } = await api.admin.run(
      graphql(`
        query NeighborhoodWhileDeleting($id: ID!) {
          neighborhood(conceptId: $id) {
            concepts { concept { name } }
            links { from { name } to { name } }
          }
        }
      `),
      { id: id.a },
    )
    expect(neighborhood.concepts.map(({ concept }) => concept.name)).toEqual(['a', 'b', 'c'])
    expect(neighborhood.links).toEqual([
      { from: { name: 'a' }, to: { name: 'b' } },
      { from: { name: 'a' }, to: { name: 'c' } },
    ])
  })

  it('is still at the end of a path', async () => {
    afterReading(api.db.pool, /with recursive/, deleteB)
    const { path } = await api.admin.run(
      graphql(`
        query PathWhileDeleting($from: ID!, $to: ID!) {
          path(from: $from, to: $to) { links { from { name } to { name } } }
        }
      `),
      { from: id.a, to: id.b },
    )
    expect(path?.links).toEqual([{ from: { name: 'a' }, to: { name: 'b' } }])
  })

  it('takes its links out of a page, and the others stay', async () => {
    afterReading(api.db.pool, /from links l/, deleteB)
    const { concept } = await api.admin.run(Page)
    expect(concept?.outgoing).toEqual({
      pageInfo: { hasNextPage: false },
      edges: [{ node: { from: { name: 'a' }, to: { name: 'c' } } }],
    })
  })

  it('takes its links along where they are asked for by their ids', async () => {
    afterReading(api.db.pool, /from links l/, deleteB)
    expect(await api.admin.run(LinkNode, { id: id.aToB })).toEqual({ node: null })
  })

  it('is still at the start of the links of its own page', async () => {
    afterReading(api.db.pool, /from links l/, () =>
      api.db.pool.query(`delete from concepts where name = 'a'`),
    )
    const { concept } = await api.admin.run(Page)
    expect(concept?.outgoing.edges.map(({ node }) => node.from.name)).toEqual(['a', 'a'])
  })
})

describe('a concept that is merged while it is read', () => {
  it('leaves its links in a page, as they have become', async () => {
    afterReading(api.db.pool, /from links l/, mergeBIntoA)
    const { concept } = await api.admin.run(Page)
    expect(concept?.outgoing.edges).toEqual([
      { node: { from: { name: 'a' }, to: { name: 'a' } } },
      { node: { from: { name: 'a' }, to: { name: 'c' } } },
    ])
  })

  it('leaves a link that is asked for by its id', async () => {
    afterReading(api.db.pool, /from links l/, mergeBIntoA)
    expect(await api.admin.run(LinkNode, { id: id.aToB })).toEqual({
      node: { from: { name: 'a' }, to: { name: 'a' } },
    })
  })
})

describe('a concept that is deleted right after it was written', () => {
  it('is still in the answer of an upsert', async () => {
    afterCommit(deleteB)
    const { upsertGraph } = await api.admin.run(
      graphql(`
        mutation UpsertBeforeDeleting {
          upsertGraph(concepts: [], links: [{ from: "b", to: "a", relationType: "r" }]) {
            links { from { name } to { name } }
          }
        }
      `),
    )
    expect(upsertGraph.links).toEqual([{ from: { name: 'b' }, to: { name: 'a' } }])
  })

  it('is still in the answer of linking', async () => {
    afterCommit(deleteB)
    const { linkConcepts } = await api.admin.run(
      graphql(`
        mutation LinkBeforeDeleting($links: [LinkInput!]!) {
          linkConcepts(links: $links) { from { name } to { name } }
        }
      `),
      { links: [{ from: id.b, to: id.c, relationType: 'r' }] },
    )
    expect(linkConcepts).toEqual([{ from: { name: 'b' }, to: { name: 'c' } }])
  })

  it('leaves a merge with its other links', async () => {
    afterReading(api.db.pool, /from links l/, deleteB)
    const { mergeConcepts } = await api.admin.run(
      graphql(`
        mutation MergeBeforeDeleting($into: ID!, $from: [ID!]!) {
          mergeConcepts(into: $into, from: $from) { outgoing { edges { node { to { name } } } } }
        }
      `),
      { into: id.a, from: [id.c] },
    )
    expect(mergeConcepts.outgoing.edges).toEqual([{ node: { to: { name: 'a' } } }])
  })
})

const Page = graphql(`
  query PageWhileWriting {
    concept(name: "a") {
      outgoing { pageInfo { hasNextPage } edges { node { from { name } to { name } } } }
    }
  }
`)
const LinkNode = graphql(`
  query LinkWhileWriting($id: ID!) {
    node(id: $id) { ... on Link { from { name } to { name } } }
  }
`)
