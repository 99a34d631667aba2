import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readIdOf } from '../../src/core/ids.ts'
import type { GraphPayload } from '../../src/graph/graph.events.ts'
import { graphql } from '../generated/gql.ts'
import type { ReplayedFeedSubscription } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'
import { graphNow, lastChangeId, replay, toldSince } from '../support/graph-replay.ts'
import { anyWrite, write, writer } from '../support/graph-writes.ts'
import { watch } from '../support/watch.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Feed = graphql(`
  subscription ReplayedFeed($after: Cursor) {
    graphChanges(after: $after) {
      __typename
      ... on ConceptChange { conceptId name }
      ... on LinkChange { linkId fromId toId relationType }
    }
  }
`)
const Position = graphql(`query ReplayedFrom { concepts(first: 0) { changesCursor } }`)

/** Several at once, and then the next ones. */
const anyWrites = fc.array(fc.array(anyWrite, { minLength: 1, maxLength: 6 }), {
  minLength: 4,
  maxLength: 14,
})

async function writeAll(batches: typeof anyWrites extends fc.Arbitrary<infer T> ? T : never) {
  for (const batch of batches) await Promise.all(batch.map(each => write(writer(api.db), each)))
}

describe('the changes of a graph, from the first on', () => {
  it(
    'make the graph as it is, whatever was written at once',
    () =>
      fc.assert(
        fc.asyncProperty(anyWrites, async batches => {
          await api.db.pool.query('delete from concepts')
          const start = await lastChangeId(api.db.pool)
          const { concepts } = await api.admin.run(Position)
          await writeAll(batches)
          const now = await graphNow(api.db.pool)
          const told = await toldSince(api.db.pool, start)
          expect(replay(told)).toEqual(now)

          const feed = await watch(api.admin, Feed, { after: concepts.changesCursor })
          const events = await feed.take(told.length)
          feed.cut()
          const byText = new Map(told.map(change => [textOf(change), change]))
          const delivered = events.map(({ graphChanges }) => byText.get(textOfEvent(graphChanges)))
          expect(replay(delivered.filter(change => change !== undefined))).toEqual(now)
          expect(delivered).toHaveLength(told.length)
        }),
        { numRuns: Number(process.env.TEST_ROUNDS ?? 40) },
      ),
    120_000,
  )
})

const textOf = (change: GraphPayload) =>
  'conceptId' in change
    ? `${change.type} ${change.conceptId} ${change.name}`
    : `${change.type} ${change.linkId} ${change.fromId} ${change.relationType} ${change.toId}`

/** The same of what a client gets. */
function textOfEvent(event: ReplayedFeedSubscription['graphChanges']): string {
  const type = `${event.__typename[0]?.toLowerCase()}${event.__typename.slice(1)}`
  if ('name' in event) return `${type} ${readIdOf('Concept', event.conceptId)} ${event.name}`
  const [from, to] = [event.fromId, event.toId].map(id => readIdOf('Concept', id))
  return `${type} ${readIdOf('Link', event.linkId)} ${from} ${event.relationType} ${to}`
}
