import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childPage } from '../../src/core/connection.ts'
import type { Caller } from '../../src/core/context.ts'
import { Loaders } from '../../src/core/loaders.ts'
import { raw } from '../../src/core/sql.ts'
import type { Concept } from '../../src/generated/prisma/client.ts'
import { neighborOrder, neighbors } from '../../src/graph/neighbors.sql.ts'
import {
  anyDirection,
  anyGraph,
  anyTypes,
  graphDatabase,
  idOf,
  steps,
} from '../support/model-graph.ts'

const database = graphDatabase()

describe('the neighbours of a concept', () => {
  it('are paged as by hand, forwards and backwards, for all concepts at once', () =>
    fc.assert(
      fc.asyncProperty(
        anyGraph,
        anyDirection,
        anyTypes,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (graph, direction, relationTypes, size, backward) => {
          await database.store(graph)
          const places = Array.from({ length: graph.concepts }, (_, place) => place)
          const byHand = places.map(place =>
            [...new Set(steps(graph, direction, relationTypes).filter(reaches(place)).map(end))]
              .sort((a, b) => a - b)
              .map(idOf),
          )
          const source = neighbors(direction, relationTypes, raw('true'))
          const page = (place: number, loaders: Loaders, cursor: string | null) =>
            childPage<Concept>(
              { db: { pool: database.pool } as Caller['db'], loaders },
              idOf(place),
              source,
              neighborOrder,
              backward ? { last: size, before: cursor } : { first: size, after: cursor },
            )
          const loaders = new Loaders()
          const pages = await Promise.all(places.map(place => page(place, loaders, null)))
          for (const [place, expected] of byHand.entries()) {
            let current = pages[place]
            expect(await current?.totalCount()).toBe(expected.length)
            let found: bigint[] = []
            while (current) {
              const ids = current.edges.map(({ node }) => node.id)
              found = backward ? [...ids, ...found] : [...found, ...ids]
              const { pageInfo } = current
              const more = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage
              const cursor = backward ? pageInfo.startCursor : pageInfo.endCursor
              current = more ? await page(place, new Loaders(), cursor) : undefined
            }
            expect(found).toEqual(expected)
          }
        },
      ),
      { numRuns: 100 },
    ))
})

const reaches = (place: number) => (step: { from: number; to: number }) =>
  step.from === place && step.to !== place
const end = (step: { to: number }) => step.to
