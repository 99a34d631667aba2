import type { GraphPayload } from './graph.events.ts'
import type { Reach } from './near.sql.ts'

/**
 * What has to lie around a centre so that the change belongs to its neighbourhood of this depth: all
 * of one of the alternatives. It is asked of the graph as it is by then. What the change has taken out
 * of it is placed by what was next to it: one link nearer than itself.
 */
export function reachesOf(payload: GraphPayload, depth: number): Reach[][] {
  switch (payload.type) {
    case 'conceptCreated':
    case 'conceptUpdated':
      return [[reach([payload.conceptId], depth)]]
    case 'conceptDeleted':
      return [[reach([payload.conceptId], 0)], [reach(payload.neighborIds, depth - 1)]]
    case 'linkCreated':
      return [bothEnds(payload.fromId, payload.toId, depth)]
    case 'linkMoved':
      return [
        bothEnds(payload.fromId, payload.toId, depth),
        ...linkThatWas(payload.oldFromId, payload.oldToId, depth),
      ]
    case 'linkDeleted':
      return linkThatWas(payload.fromId, payload.toId, depth)
  }
}

const linkThatWas = (from: string, to: string, depth: number): Reach[][] => [
  [reach([from, to], depth - 1)],
  bothEnds(from, to, depth),
]

const bothEnds = (from: string, to: string, depth: number): Reach[] => [
  reach([from], depth),
  reach([to], depth),
]

const reach = (ids: readonly string[], hops: number): Reach => ({ ids: ids.map(BigInt), hops })
