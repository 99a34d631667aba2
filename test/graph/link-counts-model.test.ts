import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { degrees } from '../../src/graph/neighbors.sql.ts'
import { relationTypeCounts, relationTypeNames } from '../../src/graph/relation-types.sql.ts'
import { anyDirection, anyGraph, graphDatabase, idOf, steps } from '../support/model-graph.ts'

const database = graphDatabase()

describe('the number of links', () => {
  it('of each concept and of each relation type is what a count by hand gives', () =>
    fc.assert(
      fc.asyncProperty(anyGraph, anyDirection, async (graph, direction) => {
        await database.store(graph)
        const places = Array.from({ length: graph.concepts }, (_, place) => place).reverse()
        const counted = await degrees(database.pool, places.map(idOf), direction)
        expect(counted).toEqual(
          places.map(place => steps(graph, direction, null).filter(s => s.from === place).length),
        )
        const names = [...new Set(graph.links.map(({ type }) => type))].sort()
        expect(await relationTypeNames(database.pool)).toEqual(names)
        const asked = ['nothing', ...names]
        expect(await relationTypeCounts(database.pool, asked)).toEqual(
          asked.map(name => graph.links.filter(({ type }) => type === name).length),
        )
      }),
      { numRuns: 100 },
    ))
})
