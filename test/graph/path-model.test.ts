import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Path, type PathArgs, path } from '../../src/graph/path.sql.ts'
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

const between = (from: number, to: number, args: Partial<PathArgs> = {}) =>
  path(database.pool, {
    from: idOf(from),
    to: idOf(to),
    direction: 'OUT',
    relationTypes: null,
    maxDepth: 12,
    ...args,
  })

describe('a path between two concepts', () => {
  it('is as short as a search by hand finds it, and made of links that may be followed', () =>
    fc.assert(
      fc.asyncProperty(anyGraph, anyChoice, async (graph, choice) => {
        await database.store(graph)
        const [from, to] = [choice.from % graph.concepts, choice.to % graph.concepts]
        const found = await between(from, to, { ...choice.args })
        const length = distance(graph, from, to, choice.args)
        expect(found?.links.length).toBe(length)
        if (found) checkPath(found, from, to, choice.args)
      }),
      { numRuns: 250 },
    ))

  it('is right or refused where the search may read little', () =>
    fc.assert(
      fc.asyncProperty(anyGraph, anyChoice, fc.nat(12), async (graph, choice, maxRead) => {
        await database.store(graph)
        const [from, to] = [choice.from % graph.concepts, choice.to % graph.concepts]
        const found = await between(from, to, { ...choice.args, maxRead }).catch(error => {
          expect(error.code).toBe('LIMIT_EXCEEDED')
          return 'refused' as const
        })
        if (found === 'refused') return
        expect(found?.links.length).toBe(distance(graph, from, to, choice.args))
      }),
      { numRuns: 150 },
    ))

  it('is as short between two hubs, whose surroundings are too wide to be probed in pairs', () =>
    fc.assert(
      fc.asyncProperty(anyHubs, anyChoice, async (graph, { args }) => {
        await database.store(graph)
        const found = await between(0, 1, args)
        expect(found?.links.length).toBe(distance(graph, 0, 1, args))
        if (found) checkPath(found, 0, 1, args)
      }),
      { numRuns: 100 },
    ))

  it('is the same one each time', async () => {
    await database.store(ring(12))
    const paths = [await between(0, 6, { direction: 'BOTH' })]
    paths.push(await between(0, 6, { direction: 'BOTH' }))
    expect(paths[0]?.links).toHaveLength(6)
    expect(paths[1]).toEqual(paths[0])
  })

  it('from a concept to itself has no links', async () => {
    await database.store(ring(3))
    expect(await between(0, 0)).toMatchObject({ concepts: [{ id: idOf(0) }], links: [] })
  })

  it('from or to a missing concept is none', async () => {
    await database.store(ring(3))
    expect(await between(3, 3)).toBeNull()
    expect(await between(0, 3)).toBeNull()
  })

  it('along a chain reaches as far as maxDepth and no farther', async () => {
    await database.store(ring(40))
    expect((await between(0, 12))?.links).toHaveLength(12)
    expect(await between(0, 13)).toBeNull()
    expect((await between(13, 1, { direction: 'IN' }))?.links).toHaveLength(12)
  })

  it('takes the oldest of parallel links that are of the types asked for', async () => {
    const types = ['is_a', 'part_of', 'uses']
    await database.store({ concepts: 2, links: types.map(type => ({ from: 0, to: 1, type })) })
    expect((await between(0, 1))?.links.map(({ id }) => id)).toEqual([idOf(0)])
    const asked = await between(0, 1, { relationTypes: ['uses', 'part_of'] })
    expect(asked?.links).toEqual([
      {
        id: idOf(1),
        fromConceptId: idOf(0),
        toConceptId: idOf(1),
        relationType: 'part_of',
        timestamp: expect.any(Date),
        llmId: null,
      },
    ])
  })

  it('between two large parts that are not connected is refused at the bound', async () => {
    await database.store({ concepts: 60, links: [...whole(0, 30), ...whole(30, 30)] })
    expect(await between(0, 30)).toBeNull()
    await expect(between(0, 30, { maxRead: 500 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })

  it('is refused rather than denied where the bound cuts off all that is new', async () => {
    const outOfTheFirst = [1, 2, 3, 4].map(from => ({ from, to: 5, type: 'knows' }))
    const chain = [5, 6, 7].map(from => ({ from, to: from + 1, type: 'knows' }))
    await database.store({
      concepts: 38,
      links: [...whole(0, 5), ...outOfTheFirst, ...chain, ...whole(8, 30)],
    })
    expect((await between(0, 8))?.links).toHaveLength(5)
    await expect(between(0, 8, { maxRead: 11 })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' })
  })
})

/** Links from each of some concepts to each of them, itself included. */
const whole = (first: number, size: number) =>
  Array.from({ length: size * size }, (_, n) => ({
    from: first + (n % size),
    to: first + Math.floor(n / size),
    type: 'knows',
  }))

/** Concepts 0 and 1 with a hundred links each, and a few links among the rest. */
const anyHubs: fc.Arbitrary<ModelGraph> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 2, max: 221 }), fc.integer({ min: 2, max: 221 })), {
    maxLength: 40,
    selector: String,
  })
  .map(pairs => ({
    concepts: 222,
    links: [
      ...Array.from({ length: 100 }, (_, n) => ({ from: 0, to: n + 2, type: 'is_a' })),
      ...Array.from({ length: 100 }, (_, n) => ({ from: n + 102, to: 1, type: 'is_a' })),
      ...pairs.map(([from, to]) => ({ from, to, type: 'uses' })),
    ],
  }))

const anyChoice = fc.record({
  from: fc.nat(8),
  to: fc.nat(8),
  args: fc.record({
    direction: anyDirection,
    relationTypes: anyTypes,
    maxDepth: fc.oneof(fc.nat(4), fc.constant(12)),
  }),
})

type Choice = Pick<PathArgs, 'direction' | 'relationTypes' | 'maxDepth'>

/** The length of a shortest path; undefined where there is none of at most `maxDepth`. */
function distance(graph: ModelGraph, start: number, end: number, choice: Choice) {
  const followed = steps(graph, choice.direction, choice.relationTypes)
  let rim = new Set([start])
  for (let length = 0; length <= choice.maxDepth; length += 1) {
    if (rim.has(end)) return length
    rim = new Set(followed.filter(({ from }) => rim.has(from)).map(({ to }) => to))
  }
  return undefined
}

function checkPath({ concepts, links }: Path, from: number, to: number, choice: Choice) {
  expect(concepts[0]?.id).toBe(idOf(from))
  expect(concepts.at(-1)?.id).toBe(idOf(to))
  expect(concepts).toHaveLength(links.length + 1)
  links.forEach((link, n) => {
    const hop = [concepts[n]?.id, concepts[n + 1]?.id]
    const along = [link.fromConceptId, link.toConceptId]
    const against = [link.toConceptId, link.fromConceptId]
    const allowed = { OUT: [along], IN: [against], BOTH: [along, against] }[choice.direction]
    expect(allowed).toContainEqual(hop)
    expect(choice.relationTypes ?? [link.relationType]).toContain(link.relationType)
  })
}
