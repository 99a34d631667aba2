import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { reachesOf } from '../../src/graph/changes-around.ts'
import type { GraphPayload } from '../../src/graph/graph.events.ts'
import { isNear } from '../../src/graph/near.sql.ts'
import { graphNow, lastChangeId, type ReplayedGraph, toldSince } from '../support/graph-replay.ts'
import { anyWrite, write, writer } from '../support/graph-writes.ts'
import { anyGraph, graphDatabase, idOf } from '../support/model-graph.ts'

const database = graphDatabase()
let db: Database
beforeAll(async () => {
  db = await openDatabase(database.url, { maxConnections: 2, log: pino({ level: 'silent' }) })
})
afterAll(() => db.close())

const anyDepth = fc.nat(4)
const anyStart = fc.record({
  graph: anyGraph,
  centre: fc.nat(8),
  depth: anyDepth,
  wanted: anyWrite,
})

describe('a change', () => {
  it('is told around a concept when it was within, or is now, and not when it never was', () =>
    fc.assert(
      fc.asyncProperty(anyStart, async ({ graph, centre, depth, wanted }) => {
        await database.store(graph)
        const start = idOf(centre % graph.concepts)
        const before = around(await graphNow(db.pool), start, depth)
        const since = await lastChangeId(db.pool)
        await write(writer(db), wanted)
        const after = around(await graphNow(db.pool), start, depth)

        const changes = await toldSince(db.pool, since)
        const told: GraphPayload[] = []
        for (const change of changes) {
          if (await isNear(db.pool, start, reachesOf(change, depth))) told.push(change)
        }
        if (after.concepts.size === 0) {
          // Nobody asks what else there was when the centre has gone, but nothing comes behind that.
          expect(told.at(-1)).toMatchObject({ type: 'conceptDeleted', conceptId: `${start}` })
          return
        }
        const gone = new Set(
          told.flatMap(each => (each.type === 'conceptDeleted' ? each.conceptId : [])),
        )
        for (const change of changes) {
          const isTold = told.includes(change)
          // Its concept takes a link with it.
          const isKnown =
            isTold ||
            (change.type === 'linkDeleted' && (gone.has(change.fromId) || gone.has(change.toId)))
          if (holds(before, change) || holds(after, change)) expect(isKnown).toBe(true)
          // A merge brings things nearer, which then cannot be told from those that were near.
          else if (wanted.kind !== 'merge') expect(isTold).toBe(false)
        }
      }),
      { numRuns: Number(process.env.TEST_ROUNDS ?? 150) },
    ))
})

interface Around {
  concepts: Set<string>
  /** Ids of the links both of whose ends are among the concepts. */
  links: Set<string>
}

function around({ concepts, links }: ReplayedGraph, centre: bigint, depth: number): Around {
  const ends = Object.entries(links).map(([id, link]) => {
    const [from = '', , to = ''] = link.split(' ')
    return { id, from, to }
  })
  const distances = new Map(`${centre}` in concepts ? [[`${centre}`, 0]] : [])
  for (const [id, distance] of distances) {
    if (distance === depth) continue
    for (const { from, to } of ends) {
      if (from === id && !distances.has(to)) distances.set(to, distance + 1)
      if (to === id && !distances.has(from)) distances.set(from, distance + 1)
    }
  }
  return {
    concepts: new Set(distances.keys()),
    links: new Set(
      ends.filter(({ from, to }) => distances.has(from) && distances.has(to)).map(({ id }) => id),
    ),
  }
}

const holds = ({ concepts, links }: Around, change: GraphPayload) =>
  'conceptId' in change ? concepts.has(change.conceptId) : links.has(change.linkId)
