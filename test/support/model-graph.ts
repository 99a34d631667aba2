import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import type { Direction, RelationTypes } from '../../src/graph/adjacent.sql.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/** A graph small enough to be searched by hand. Concepts are known by their place. */
export interface ModelGraph {
  concepts: number
  links: { from: number; to: number; type: string }[]
}

const types = ['is_a', 'part_of', 'uses']

/** Graphs with cycles, self-links, links both ways and parallel links of different types. */
export const anyGraph: fc.Arbitrary<ModelGraph> = fc.integer({ min: 1, max: 9 }).chain(concepts =>
  fc.record({
    concepts: fc.constant(concepts),
    links: fc.uniqueArray(
      fc.record({
        from: fc.nat(concepts - 1),
        to: fc.nat(concepts - 1),
        type: fc.constantFrom(...types),
      }),
      { maxLength: 24, selector: link => Object.values(link).join() },
    ),
  }),
)

/** A cycle, in which each concept points at the next. */
export const ring = (size: number): ModelGraph => ({
  concepts: size,
  links: Array.from({ length: size }, (_, n) => ({ from: n, to: (n + 1) % size, type: 'next' })),
})

export const anyDirection = fc.constantFrom<Direction>('OUT', 'IN', 'BOTH')

export const anyTypes: fc.Arbitrary<RelationTypes> = fc.option(
  fc.array(fc.constantFrom(...types, 'nothing'), { maxLength: 3 }),
)

/** Beyond what a double holds, so that a rounded id is a wrong one. */
export const idOf = (place: number) => 9_007_199_254_740_993n + BigInt(place)

/** A database for the tests of a file, which holds one graph at a time. */
export function graphDatabase() {
  let database: TestDatabase
  let pool: pg.Pool
  beforeAll(async () => {
    database = await createTestDatabase()
    pool = new pg.Pool({ connectionString: database.url, max: 1 })
  })
  afterAll(async () => {
    await pool.end()
    await database.close()
  })
  return {
    get pool() {
      return pool
    },
    get url() {
      return database.url
    },
    async store({ concepts, links }: ModelGraph) {
      await pool.query('delete from concepts')
      await pool.query(
        `insert into concepts (id, name) select $1::bigint + n, 'concept ' || n
          from generate_series(0, $2 - 1) n`,
        [idOf(0), concepts],
      )
      await pool.query(
        `insert into links (id, from_concept_id, to_concept_id, relation_type)
          select $1::bigint + place - 1, l.a, l.b, l.type
          from unnest($2::bigint[], $3::bigint[], $4::text[]) with ordinality as l(a, b, type, place)`,
        [
          idOf(0),
          links.map(({ from }) => idOf(from)),
          links.map(({ to }) => idOf(to)),
          links.map(({ type }) => type),
        ],
      )
    },
  }
}

/** The links that may be followed, each as the step that it allows. */
export function steps({ links }: ModelGraph, direction: Direction, relationTypes: RelationTypes) {
  return links
    .filter(({ type }) => relationTypes === null || relationTypes.includes(type))
    .flatMap(({ from, to }) => [
      ...(direction === 'IN' ? [] : [{ from, to }]),
      ...(direction === 'OUT' ? [] : [{ from: to, to: from }]),
    ])
}
