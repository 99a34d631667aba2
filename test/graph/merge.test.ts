import { afterAll, beforeAll, expect, it } from 'vitest'
import { mergeDescriptions } from '../../src/graph/merge.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Upsert = graphql(`
  mutation MergedGraph($concepts: [ConceptUpsert!]!, $links: [LinkByName!]!) {
    upsertGraph(concepts: $concepts, links: $links) { concepts { id name } links { id } }
  }
`)
const Merge = graphql(`
  mutation Merge($into: ID!, $from: [ID!]!) {
    mergeConcepts(into: $into, from: $from) {
      id
      name
      description
      outgoing { edges { node { id relationType to { name } } } }
      incoming { edges { node { id relationType from { name } } } }
    }
  }
`)

async function graph(links: [from: string, relationType: string, to: string][]) {
  const names = [...new Set(links.flatMap(([from, , to]) => [from, to]))]
  const { upsertGraph } = await api.admin.run(Upsert, {
    concepts: names.map(name => ({ name, description: `about ${name}` })),
    links: links.map(([from, relationType, to]) => ({ from, relationType, to })),
  })
  const ids = new Map(upsertGraph.concepts.map(({ name, id }) => [name, id]))
  return {
    id: (name: string) => ids.get(name) ?? '',
    links: upsertGraph.links.map(link => link.id),
  }
}

it('merging moves links with their ids, and of those that become the same the oldest stays', async () => {
  const { id, links } = await graph([
    ['m1', 'knows', 'x'],
    ['m2', 'knows', 'x'],
    ['m2', 'likes', 'y'],
    ['y', 'knows', 'm3'],
    ['m2', 'knows', 'm1'],
  ])
  const merged = (await api.admin.run(Merge, { into: id('m1'), from: [id('m2'), id('m3')] }))
    .mergeConcepts
  const outgoing = merged.outgoing.edges.map(({ node }) => [
    node.id,
    node.relationType,
    node.to.name,
  ])
  expect(outgoing.toSorted()).toEqual(
    [
      [links[0], 'knows', 'x'],
      [links[2], 'likes', 'y'],
      [links[4], 'knows', 'm1'],
    ].toSorted(),
  )
  const incoming = merged.incoming.edges.map(({ node }) => [
    node.id,
    node.relationType,
    node.from.name,
  ])
  expect(incoming.toSorted()).toEqual(
    [
      [links[3], 'knows', 'y'],
      [links[4], 'knows', 'm1'],
    ].toSorted(),
  )
  expect(merged).toMatchObject({ name: 'm1', description: 'about m1\nabout m2\nabout m3' })
  const gone = await api.admin.run(
    graphql(`query Merged($ids: [ID!]!) { nodes(ids: $ids) { id } }`),
    {
      ids: [id('m1'), id('m2'), id('m3')],
    },
  )
  expect(gone.nodes).toEqual([{ id: id('m1') }, null, null])
})

it('merging into itself, into nothing and from nothing is refused, and nothing is changed', async () => {
  const { id } = await graph([['n1', 'knows', 'n2']])
  const missing = Buffer.from('Concept:999999').toString('base64')
  expect(
    await api.admin.refused(Merge, { into: id('n1'), from: [id('n2'), id('n1')] }),
  ).toMatchObject({
    code: 'BAD_USER_INPUT',
    field: 'from',
  })
  expect(await api.admin.refused(Merge, { into: missing, from: [id('n2')] })).toMatchObject({
    code: 'NOT_FOUND',
    field: 'into',
  })
  expect(
    await api.admin.refused(Merge, { into: id('n1'), from: [id('n2'), missing] }),
  ).toMatchObject({
    code: 'NOT_FOUND',
    field: 'from.1',
  })
  const still = await api.admin.run(
    graphql(`query Unmerged($id: ID!) { concept(id: $id) { outgoing { totalCount } } }`),
    { id: id('n1') },
  )
  expect(still.concept?.outgoing.totalCount).toBe(1)
})

it('merging while others link to what is merged loses no link', async () => {
  const { id } = await graph([['r1', 'knows', 'r2']])
  const Link = graphql(`
    mutation LinkWhileMerging($links: [LinkInput!]!) { linkConcepts(links: $links) { id } }
  `)
  const linking = Array.from({ length: 20 }, (_, index) => {
    const links = [{ from: id('r2'), to: id('r1'), relationType: `race${index}` }]
    return api.admin.run(Link, { links }).then(
      () => 1,
      () => 0 as number,
    )
  })
  await api.admin.run(Merge, { into: id('r1'), from: [id('r2')] })
  const linked = (await Promise.all(linking)).reduce((sum, one) => sum + one, 0)
  const { rows } = await api.db.pool.query(
    `select count(*)::int from links where relation_type like 'race%'`,
  )
  expect(rows[0].count).toBe(linked)
})

it('descriptions are merged line by line, each once', () => {
  expect(mergeDescriptions([null, null])).toBeNull()
  expect(mergeDescriptions([null, 'a\nb', 'b\nc', 'c'])).toBe('a\nb\nc')
})
