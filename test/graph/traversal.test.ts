import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
let ids: Map<string, string>

beforeAll(async () => {
  api = await startApi()
  const links = [
    ['A', 'next', 'B'],
    ['B', 'next', 'C'],
    ['C', 'next', 'A'],
    ['C', 'is_a', 'D'],
    ['D', 'is_a', 'E'],
    ['A', 'self', 'A'],
    ['A', 'is_a', 'B'],
  ].map(([from = '', relationType = '', to = '']) => ({ from, relationType, to }))
  const concepts = ['A', 'B', 'C', 'D', 'E', 'island'].map(name => ({ name }))
  const { upsertGraph } = await api.admin.run(
    graphql(`
      mutation TraversedGraph($concepts: [ConceptUpsert!]!, $links: [LinkByName!]!) {
        upsertGraph(concepts: $concepts, links: $links) { concepts { id name } }
      }
    `),
    { concepts, links },
  )
  ids = new Map(upsertGraph.concepts.map(({ name, id }) => [name, id]))
})
afterAll(() => api.close())

const id = (name: string) => ids.get(name) ?? ''

const Around = graphql(`
  query Around($id: ID!, $depth: Int, $direction: Direction, $relationTypes: [String!], $maxNodes: Int) {
    neighborhood(
      conceptId: $id
      depth: $depth
      direction: $direction
      relationTypes: $relationTypes
      maxNodes: $maxNodes
    ) {
      concepts { distance concept { name } }
      links { from { name } to { name } relationType }
      truncated
    }
  }
`)
const Way = graphql(`
  query Way($from: ID!, $to: ID!, $direction: Direction, $relationTypes: [String!], $maxDepth: Int) {
    path(from: $from, to: $to, direction: $direction, relationTypes: $relationTypes, maxDepth: $maxDepth) {
      length
      concepts { name }
      links { relationType from { name } to { name } }
    }
  }
`)

type Options = { direction?: 'OUT' | 'IN' | 'BOTH'; relationTypes?: string[] }
async function around(name: string, options: Options & { depth?: number; maxNodes?: number }) {
  const { neighborhood } = await api.admin.run(Around, { id: id(name), ...options })
  return {
    ...neighborhood,
    concepts: neighborhood.concepts.map(({ concept, distance }) => `${concept.name}${distance}`),
  }
}
async function way(from: string, to: string, options: Options & { maxDepth?: number } = {}) {
  const { path } = await api.admin.run(Way, { from: id(from), to: id(to), ...options })
  return path && { length: path.length, concepts: path.concepts.map(({ name }) => name).join('') }
}

describe('a neighbourhood', () => {
  it('of a cycle has each concept once, at its shortest distance, and all links between them', async () => {
    const found = await around('A', { depth: 6, direction: 'OUT' })
    expect(found.concepts).toEqual(['A0', 'B1', 'C2', 'D3', 'E4'])
    expect(found.links).toHaveLength(7)
    expect(found.truncated).toBe(false)
  })

  it('follows links the way and of the types that are asked for', async () => {
    expect((await around('A', { direction: 'IN' })).concepts).toEqual(['A0', 'C1'])
    expect((await around('C', {})).concepts).toEqual(['C0', 'A1', 'B1', 'D1'])
    const typed = await around('C', { depth: 3, direction: 'OUT', relationTypes: ['is_a'] })
    expect(typed.concepts).toEqual(['C0', 'D1', 'E2'])
    expect(typed.links.map(link => link.relationType)).toEqual(['is_a', 'is_a'])
    expect((await around('C', { depth: 3, relationTypes: [] })).concepts).toEqual(['C0'])
  })

  it('says when it was cut, and keeps the nearest', async () => {
    const cut = await around('A', { depth: 4, direction: 'OUT', maxNodes: 3 })
    expect(cut).toMatchObject({ concepts: ['A0', 'B1', 'C2'], truncated: true })
    expect(cut.links.map(({ from, to }) => from.name + to.name)).not.toContain('CD')
    const whole = await around('A', { depth: 2, direction: 'OUT', maxNodes: 3 })
    expect(whole).toMatchObject({ concepts: ['A0', 'B1', 'C2'], truncated: false })
  })

  it('of depth 0 is the concept with its own links', async () => {
    const found = await around('A', { depth: 0 })
    expect(found).toMatchObject({ concepts: ['A0'], truncated: false })
    expect(found.links).toEqual([{ from: { name: 'A' }, to: { name: 'A' }, relationType: 'self' }])
  })

  it.each([{ depth: 7 }, { depth: -1 }, { maxNodes: 0 }, { maxNodes: 1_001 }])(
    'of %j is refused',
    async options => {
      expect(await api.admin.refused(Around, { id: id('A'), ...options })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: Object.keys(options)[0],
      })
    },
  )

  it('of a concept that is not there is NOT_FOUND', async () => {
    const missing = Buffer.from('Concept:999999').toString('base64')
    expect(await api.admin.refused(Around, { id: missing })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'conceptId',
    })
  })
})

describe('a path', () => {
  it('from a concept to itself has no links', async () => {
    expect(await way('A', 'A')).toEqual({ length: 0, concepts: 'A' })
  })

  it('is a shortest one, the way and of the types that are asked for', async () => {
    expect(await way('A', 'E')).toEqual({ length: 4, concepts: 'ABCDE' })
    expect(await way('E', 'A')).toBeNull()
    expect(await way('E', 'A', { direction: 'IN' })).toEqual({ length: 4, concepts: 'EDCBA' })
    expect(await way('E', 'A', { direction: 'BOTH' })).toEqual({ length: 3, concepts: 'EDCA' })
    expect(await way('C', 'E', { relationTypes: ['is_a'] })).toEqual({ length: 2, concepts: 'CDE' })
    expect(await way('A', 'E', { relationTypes: ['is_a'] })).toBeNull()
  })

  it('has a link of the types between each concept and the next', async () => {
    const { path } = await api.admin.run(Way, { from: id('A'), to: id('E'), direction: 'BOTH' })
    expect(path?.links).toEqual([
      { relationType: 'next', from: { name: 'C' }, to: { name: 'A' } },
      { relationType: 'is_a', from: { name: 'C' }, to: { name: 'D' } },
      { relationType: 'is_a', from: { name: 'D' }, to: { name: 'E' } },
    ])
  })

  it('is none where there is none, none so short, or no such concept', async () => {
    expect(await way('A', 'island')).toBeNull()
    expect(await way('A', 'E', { maxDepth: 3 })).toBeNull()
    const missing = Buffer.from('Concept:999999').toString('base64')
    expect((await api.admin.run(Way, { from: missing, to: missing })).path).toBeNull()
    expect(
      await api.admin.refused(Way, { from: id('A'), to: id('B'), maxDepth: 13 }),
    ).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'maxDepth',
    })
  })
})

describe('a concept', () => {
  it('tells its neighbours, each once and not itself, and its links', async () => {
    const { concept } = await api.admin.run(
      graphql(`
        query NeighborsOf($id: ID!) {
          concept(id: $id) {
            both: neighbors { totalCount edges { node { name } } }
            out: neighbors(direction: OUT) { totalCount edges { node { name } } }
            typed: neighbors(relationTypes: ["is_a"]) { totalCount edges { node { name } } }
            page: neighbors(first: 1) { pageInfo { hasNextPage endCursor } edges { node { name } } }
            last: neighbors(last: 1) { pageInfo { hasPreviousPage } edges { node { name } } }
            degree
            in: degree(direction: IN)
            outward: degree(direction: OUT)
          }
        }
      `),
      { id: id('A') },
    )
    const names = (found: { edges: { node: { name: string } }[] } | undefined) =>
      found?.edges.map(edge => edge.node.name).join('')
    expect([names(concept?.both), concept?.both.totalCount]).toEqual(['BC', 2])
    expect([names(concept?.out), concept?.out.totalCount]).toEqual(['B', 1])
    expect([names(concept?.typed), concept?.typed.totalCount]).toEqual(['B', 1])
    expect([names(concept?.page), concept?.page.pageInfo.hasNextPage]).toEqual(['B', true])
    expect([names(concept?.last), concept?.last.pageInfo.hasPreviousPage]).toEqual(['C', true])
    expect(concept).toMatchObject({ degree: 5, in: 2, outward: 3 })
    const after = await api.admin.run(
      graphql(`
        query NeighborsAfter($id: ID!, $after: String) {
          concept(id: $id) { neighbors(after: $after) { pageInfo { hasPreviousPage } edges { node { name } } } }
        }
      `),
      { id: id('A'), after: concept?.page.pageInfo.endCursor ?? null },
    )
    expect(names(after.concept?.neighbors)).toBe('C')
    expect(after.concept?.neighbors.pageInfo.hasPreviousPage).toBe(true)
  })
})

describe('relation types', () => {
  it('are those in use, by name, with their links', async () => {
    const { relationTypes } = await api.admin.run(
      graphql(`query Types { relationTypes { name links } }`),
    )
    expect(relationTypes).toEqual([
      { name: 'is_a', links: 3 },
      { name: 'next', links: 3 },
      { name: 'self', links: 1 },
    ])
  })
})
