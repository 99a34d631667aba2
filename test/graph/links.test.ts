import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
let id: Record<string, string>

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

beforeEach(async () => {
  await api.db.pool.query('delete from concepts')
  const { upsertGraph } = await api.admin.run(Concepts, {
    concepts: ['A', 'B', 'C', 'D'].map(name => ({ name })),
  })
  id = Object.fromEntries(upsertGraph.concepts.map(concept => [concept.name, concept.id]))
})

const Concepts = graphql(`
  mutation SomeConcepts($concepts: [ConceptUpsert!]!) { upsertGraph(concepts: $concepts, links: []) { concepts { id name } } }
`)
const LinkThem = graphql(`
  mutation LinkThem($links: [LinkInput!]!) { linkConcepts(links: $links) { id relationType from { name } to { name } } }
`)
const Delete = graphql(`mutation DeleteLinked($id: ID!) { deleteConcept(id: $id) }`)
const Unlink = graphql(`mutation Unlink($ids: [ID!]!) { unlinkConcepts(ids: $ids) }`)
const Links = graphql(`
  query LinksOf($name: String!) {
    concept(name: $name) {
      outgoing { totalCount edges { node { id to { name } relationType } } }
      incoming { totalCount edges { node { from { name } relationType } } }
    }
  }
`)

const link = (from: string, relationType: string, to: string) => ({
  from: id[from] ?? from,
  to: id[to] ?? to,
  relationType,
})

describe('linking concepts', () => {
  it('stores none of three links when the second names a concept that is gone', async () => {
    await api.admin.run(Delete, { id: id.D ?? '' })
    const links = [link('A', 'knows', 'B'), link('D', 'knows', 'B'), link('B', 'knows', 'C')]
    expect(await api.admin.refused(LinkThem, { links })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'links.1.from',
    })
    const { rows } = await api.db.pool.query('select count(*)::int from links')
    expect(rows[0].count).toBe(0)
  })

  it('keeps two directions apart, and answers a link that is there as it is', async () => {
    const both = [link('A', 'related_to', 'B'), link('B', 'related_to', 'A')]
    const first = await api.admin.run(LinkThem, { links: both })
    const again = await api.admin.run(LinkThem, { links: [...both, link('A', ' related_to', 'B')] })
    const ids = first.linkConcepts.map(made => made.id)
    expect(new Set(ids).size).toBe(2)
    expect(again.linkConcepts.map(made => made.id)).toEqual([...ids, ids[0]])
    const { concept } = await api.admin.run(Links, { name: 'A' })
    expect(concept?.outgoing.totalCount).toBe(1)
    expect(concept?.incoming.totalCount).toBe(1)
  })

  it('allows a link of a concept to itself', async () => {
    const { linkConcepts } = await api.admin.run(LinkThem, { links: [link('D', 'contains', 'D')] })
    expect(linkConcepts[0]).toMatchObject({ from: { name: 'D' }, to: { name: 'D' } })
  })

  it('by many at once makes each link once and loses nothing to deadlocks', async () => {
    const links = ['A', 'B', 'C'].flatMap(from =>
      ['C', 'B', 'A'].map(to => link(from, 'races', to)),
    )
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        api.admin.run(LinkThem, { links: index % 2 ? links : links.toReversed() }),
      ),
    )
    const ids = new Set(answers.flatMap(answer => answer.linkConcepts.map(made => made.id)))
    expect(ids.size).toBe(9)
  })

  it('refuses a relation type that nobody can see, and more than a thousand links', async () => {
    expect(await api.admin.refused(LinkThem, { links: [link('A', '\u200b', 'B')] })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'links.0.relationType',
    })
    const links = Array.from({ length: 1_001 }, () => link('A', 'many', 'B'))
    expect(await api.admin.refused(LinkThem, { links })).toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })
})

describe('unlinking', () => {
  it('removes all of the links or none', async () => {
    const { linkConcepts } = await api.admin.run(LinkThem, {
      links: [link('C', 'temporary', 'D'), link('D', 'temporary', 'C')],
    })
    const ids = linkConcepts.map(made => made.id)
    const missing = Buffer.from('Link:999999').toString('base64')
    expect(await api.admin.refused(Unlink, { ids: [...ids, missing] })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'ids.2',
    })
    expect((await api.admin.run(Unlink, { ids })).unlinkConcepts).toEqual(ids)
    const { concept } = await api.admin.run(Links, { name: 'D' })
    expect(concept?.incoming.edges.map(edge => edge.node.relationType)).not.toContain('temporary')
  })
})

describe('deleting a concept', () => {
  it('deletes its links at both ends', async () => {
    const { upsertGraph } = await api.admin.run(Concepts, { concepts: [{ name: 'gone' }] })
    const gone = upsertGraph.concepts[0]?.id ?? ''
    await api.admin.run(LinkThem, { links: [link(gone, 'x', 'C'), link('C', 'x', gone)] })
    await api.admin.run(Delete, { id: gone })
    const { concept } = await api.admin.run(Links, { name: 'C' })
    const types = [concept?.outgoing, concept?.incoming].flatMap(
      links => links?.edges.map(edge => edge.node.relationType) ?? [],
    )
    expect(types).not.toContain('x')
  })
})

describe('one field under two aliases', () => {
  it('gives each the links it asked for', async () => {
    await api.admin.run(LinkThem, { links: [link('C', 'is_a', 'A'), link('C', 'part_of', 'B')] })
    const { concept } = await api.admin.run(
      graphql(`
        query Aliases {
          concept(name: "C") {
            a: outgoing(relationTypes: ["is_a"]) { edges { node { to { name } } } }
            b: outgoing(relationTypes: ["part_of"]) { edges { node { to { name } } } }
            none: outgoing(relationTypes: []) { totalCount }
          }
        }
      `),
    )
    expect(concept?.a.edges.map(edge => edge.node.to.name)).toEqual(['A'])
    expect(concept?.b.edges.map(edge => edge.node.to.name)).toEqual(['B'])
    expect(concept?.none.totalCount).toBe(0)
  })
})
