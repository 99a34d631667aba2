import type { Change } from '../core/change.ts'
import type { Caller, Context } from '../core/context.ts'
import { callerOf } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { bigintKey } from '../core/ids.ts'
import { checkRange } from '../core/range.ts'
import { reachesOf } from './changes-around.ts'
import { conceptById } from './concepts.ts'
import { type GraphPayload, graphTopic } from './graph.events.ts'
import { isNear } from './near.sql.ts'
import { canReadGraph } from './permissions.ts'
import { limits } from './traversal.ts'

export interface FollowGraph {
  /** The id of a concept: only what happens around it. */
  around: string | null
  depth: number
  after?: string | null | undefined
}

/**
 * The changes of the graph from now on, or from a cursor on.
 * @throws BAD_USER_INPUT for a depth beyond 0 to 6, NOT_FOUND where there is no such concept
 */
export async function followGraph(
  context: Context,
  { around, depth, after }: FollowGraph,
): Promise<AsyncIterable<Change<GraphPayload>>> {
  checkRange(depth, 'depth', 0, limits.depth)
  if (around === null) {
    return context.feed.follow(context, graphTopic, { name: 'graph', after, accepts: canSee })
  }
  const centre = bigintKey(around)
  if (centre === undefined || !(await conceptById(callerOf(context), around))) {
    throw notFound('concept', 'around')
  }
  return context.feed.follow(context, graphTopic, {
    name: `graph around ${centre}, ${depth}`,
    after,
    accepts: (change, caller) =>
      canSee(change, caller) && isNear(caller.db.pool, centre, reachesOf(change.payload, depth)),
  })
}

const canSee = (_change: Change<GraphPayload>, { viewer }: Caller) => canReadGraph(viewer)
