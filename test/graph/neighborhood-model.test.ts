import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NeighborhoodArgs, neighborhood } from '../../src/graph/neighborhood.sql.ts'
import {
  anyDirection,
  anyGraph,
  anyTypes,
  graphDatabase,
  idOf,
  type ModelGraph,
  ring,
  steps,
} from '../support/model-graph.ts'

const database = graphDatabase()

const around = (place: number, args: Partial<NeighborhoodArgs> = {}) =>
  neighborhood(database.pool, {
    conceptId: idOf(place),
    depth: 3,
    direction: 'BOTH',
    relationTypes: null,
    maxNodes: 500,
    maxLinks: 100_000,
    ...args,
  })

describe('the neighbourhood of a concept', () => {
  it('is what a search by hand finds, in any graph, direction, choice of types and size', () =>
    fc.assert(
      fc.asyncProperty(anyGraph, anyChoice, async (graph, choice) => {
        await database.store(graph)
        const start = choice.start % graph.concepts
        const { concepts, links, truncated, linksTruncated } = await around(start, choice)
        expect({
          concepts: concepts.map(({ id, distance }) => ({ id, distance })),
          links: links.map(({ id }) => id),
          truncated,
          linksTruncated,
        }).toEqual(byHand(graph, start, choice))
      }),
      { numRuns: 250 },
    ))

  it('has whole rows of concepts and links', async () => {
    await database.store({ concepts: 2, links: [{ from: 0, to: 1, type: 'is_a' }] })
    const { concepts, links } = await around(0)
    expect(concepts).toEqual([
      {
        id: idOf(0),
        name: 'concept 0',
        description: null,
        timestamp: now,
        llmId: null,
        distance: 0,
      },
      {
        id: idOf(1),
        name: 'concept 1',
        description: null,
        timestamp: now,
        llmId: null,
        distance: 1,
      },
    ])
    const ends = { fromConceptId: idOf(0), toConceptId: idOf(1) }
    expect(links).toEqual([
      { id: idOf(0), ...ends, relationType: 'is_a', timestamp: now, llmId: null },
    ])
  })

  it('of a missing concept has nothing in it', async () => {
    await database.store({ concepts: 1, links: [] })
    expect((await around(1)).concepts).toEqual([])
  })

  it('in a cycle has each concept once', async () => {
    await database.store(ring(3))
    const { concepts, truncated } = await around(0, { depth: 6, direction: 'OUT' })
    expect(concepts.map(({ distance }) => distance)).toEqual([0, 1, 2])
    expect(truncated).toBe(false)
  })

  it('in a complete graph of 300 concepts has them all and their 89,700 links', async () => {
    await database.store(complete(300))
    const { concepts, links, truncated, linksTruncated } = await around(7, { depth: 6 })
    expect(concepts).toHaveLength(300)
    expect(links).toHaveLength(89_700)
    expect([truncated, linksTruncated]).toEqual([false, false])
  })

  it('keeps the links of the lowest ids where there are more than may be answered', async () => {
    await database.store(complete(40))
    const { links, linksTruncated } = await around(0, { maxLinks: 1_000 })
    expect(links.map(({ id }) => id)).toEqual(Array.from({ length: 1_000 }, (_, n) => idOf(n)))
    expect(linksTruncated).toBe(true)
  })

  it('next to a hub has the first of its neighbours, and all links among those', async () => {
    const spokes = Array.from({ length: 5_000 }, (_, n) => ({ from: 0, to: n + 1, type: 'is_a' }))
    const others = [
      { from: 5_000, to: 0, type: 'uses' },
      { from: 1, to: 2, type: 'uses' },
      { from: 1, to: 900, type: 'uses' },
    ]
    await database.store({ concepts: 5_001, links: [...spokes, ...others] })
    const { concepts, links, truncated } = await around(5_000)
    expect(concepts.map(({ id }) => id)).toEqual(
      [5_000, 0, ...Array.from({ length: 498 }, (_, n) => n + 1)].map(idOf),
    )
    expect(links).toHaveLength(498 + 1 + 1 + 1)
    expect(truncated).toBe(true)
  })
})

const now = expect.any(Date)

function complete(size: number): ModelGraph {
  const places = Array.from({ length: size }, (_, n) => n)
  const pairs = places.flatMap(from => places.map(to => ({ from, to, type: 'knows' })))
  return { concepts: size, links: pairs.filter(({ from, to }) => from !== to) }
}

const anyChoice = fc.record({
  start: fc.nat(8),
  depth: fc.nat(6),
  direction: anyDirection,
  relationTypes: anyTypes,
  maxNodes: fc.integer({ min: 1, max: 10 }),
  maxLinks: fc.integer({ min: 1, max: 25 }),
})

type Choice = Omit<NeighborhoodArgs, 'conceptId'>

function byHand(graph: ModelGraph, start: number, choice: Choice) {
  const { depth, direction, relationTypes, maxNodes, maxLinks } = choice
  const followed = steps(graph, direction, relationTypes)
  const distances = new Map([[start, 0]])
  let truncated = false
  for (let distance = 1; distance <= depth && !truncated; distance += 1) {
    const next = followed
      .filter(({ from, to }) => distances.get(from) === distance - 1 && !distances.has(to))
      .map(({ to }) => to)
    const nearest = [...new Set(next)].sort((a, b) => a - b)
    const room = maxNodes - distances.size
    truncated = nearest.length > room
    for (const place of nearest.slice(0, room)) distances.set(place, distance)
  }
  const among = graph.links.flatMap(({ from, to, type }, place) => {
    const wanted = relationTypes === null || relationTypes.includes(type)
    return wanted && distances.has(from) && distances.has(to) ? [idOf(place)] : []
  })
  return {
    concepts: [...distances].map(([place, distance]) => ({ id: idOf(place), distance })),
    links: among.slice(0, maxLinks),
    truncated,
    linksTruncated: among.length > maxLinks,
  }
}
