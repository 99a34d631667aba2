import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNear, type Reach } from '../../src/graph/near.sql.ts'
import {
  anyGraph,
  graphDatabase,
  idOf,
  type ModelGraph,
  ring,
  steps,
} from '../support/model-graph.ts'

const database = graphDatabase()

/** As `Reach`, by the places of the concepts; those beyond the graph are missing. */
interface Placed {
  places: number[]
  hops: number
}

const near = (centre: number, alternatives: Placed[][], maxRead?: number) =>
  isNear(
    database.pool,
    idOf(centre),
    alternatives.map(reaches =>
      reaches.map(({ places, hops }): Reach => ({ ids: places.map(idOf), hops })),
    ),
    maxRead === undefined ? {} : { maxRead },
  )

const anyReach = fc.record({
  places: fc.array(fc.nat(10), { maxLength: 4 }),
  hops: fc.integer({ min: -1, max: 6 }),
})
const anyAlternatives = fc.array(fc.array(anyReach, { minLength: 1, maxLength: 3 }), {
  maxLength: 3,
})

describe('what lies around a concept', () => {
  it('is what a search by hand finds there', () =>
    fc.assert(
      fc.asyncProperty(anyGraph, fc.nat(10), anyAlternatives, async (graph, centre, asked) => {
        await database.store(graph)
        expect(await near(centre, asked)).toBe(byHand(graph, centre, asked))
      }),
      { numRuns: 250 },
    ))

  it('is never left out where the search may read little', () =>
    fc.assert(
      fc.asyncProperty(
        anyGraph,
        fc.nat(10),
        anyAlternatives,
        fc.nat(6),
        async (graph, centre, asked, maxRead) => {
          await database.store(graph)
          if (byHand(graph, centre, asked)) expect(await near(centre, asked, maxRead)).toBe(true)
        },
      ),
      { numRuns: 150 },
    ))

  it('is found among ten thousand concepts that are asked for at once', async () => {
    await database.store(ring(40))
    const missing = Array.from({ length: 10_000 }, (_, place) => 100 + place)
    expect(await near(0, [[{ places: [...missing, 6], hops: 6 }]])).toBe(true)
    expect(await near(0, [[{ places: [...missing, 6], hops: 5 }]])).toBe(false)
  })
})

function byHand(graph: ModelGraph, centre: number, alternatives: Placed[][]): boolean {
  const distances = new Map([[centre, 0]])
  for (const [place, distance] of distances) {
    for (const { from, to } of steps(graph, 'BOTH', null)) {
      if (from === place && !distances.has(to)) distances.set(to, distance + 1)
    }
  }
  const distanceTo = (place: number) => distances.get(place) ?? Number.POSITIVE_INFINITY
  return alternatives.some(reaches =>
    reaches.every(({ places, hops }) => places.some(place => distanceTo(place) <= hops)),
  )
}
