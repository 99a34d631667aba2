import { type Connection, childPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { bigintKey } from '../core/ids.ts'
import type { PageArgs } from '../core/paging.ts'
import { checkRange } from '../core/range.ts'
import type { Concept } from '../generated/prisma/client.ts'
import type { Direction } from './adjacent.sql.ts'
import { keepConcepts } from './concepts.ts'
import { visibleGraph } from './graph.sql.ts'
import { maxLinksAmong, type Neighborhood, neighborhood } from './neighborhood.sql.ts'
import { degrees, neighborOrder, neighbors } from './neighbors.sql.ts'
import { type Path, path } from './path.sql.ts'
import { canReadGraph } from './permissions.ts'
import { relationTypeCounts, relationTypeNames } from './relation-types.sql.ts'
import { readRelationTypes } from './relation-types.ts'

export const limits = { depth: 6, maxNodes: 1_000, maxDepth: 12 }

interface Traversal {
  direction: Direction
  relationTypes?: readonly string[] | null | undefined
}

/**
 * What lies around a concept.
 * @throws NOT_FOUND, and BAD_USER_INPUT for a depth beyond 0 to 6 or a size beyond 1 to 1,000
 */
export async function readNeighborhood(
  caller: Caller,
  args: Traversal & { conceptId: string; depth: number; maxNodes: number },
): Promise<Neighborhood> {
  const { viewer, db } = caller
  const { direction, depth, maxNodes } = args
  checkRange(depth, 'depth', 0, limits.depth)
  checkRange(maxNodes, 'maxNodes', 1, limits.maxNodes)
  const relationTypes = readRelationTypes(args.relationTypes)
  const conceptId = bigintKey(args.conceptId)
  if (conceptId === undefined || !canReadGraph(viewer)) throw notFound('concept', 'conceptId')
  const found = await neighborhood(db.pool, {
    conceptId,
    depth,
    direction,
    relationTypes,
    maxNodes,
    maxLinks: maxLinksAmong(maxNodes),
  })
  if (found.concepts.length === 0) throw notFound('concept', 'conceptId')
  keepConcepts(caller, found.concepts)
  return found
}

/**
 * A shortest path, or null where there is none, or no such concept.
 * @throws BAD_USER_INPUT for a length beyond 0 to 12, LIMIT_EXCEEDED when the search grew too large
 */
export async function readPath(
  caller: Caller,
  args: Traversal & { from: string; to: string; maxDepth: number },
): Promise<Path | null> {
  const { viewer, db } = caller
  const { direction, maxDepth } = args
  checkRange(maxDepth, 'maxDepth', 0, limits.maxDepth)
  const relationTypes = readRelationTypes(args.relationTypes)
  const [from, to] = [bigintKey(args.from), bigintKey(args.to)]
  if (from === undefined || to === undefined || !canReadGraph(viewer)) return null
  const found = await path(db.pool, { from, to, direction, relationTypes, maxDepth })
  if (found) keepConcepts(caller, found.concepts)
  return found
}

/** @throws BAD_USER_INPUT */
/** The other concepts one link away from a concept that the viewer sees already, each once. */
export function neighborsOf(
  caller: Caller,
  conceptId: bigint,
  args: PageArgs & Traversal,
): Promise<Connection<Concept>> {
  const relationTypes = readRelationTypes(args.relationTypes)
  const source = neighbors(args.direction, relationTypes, visibleGraph(caller.viewer))
  return childPage(caller, conceptId, source, neighborOrder, args)
}

/** How many links a concept that the viewer sees already has. */
export const degreeOf = ({ db, loaders }: Caller, conceptId: bigint, direction: Direction) =>
  loaders
    .use(`degree ${direction}`, (ids: readonly bigint[]) => degrees(db.pool, ids, direction))
    .load(conceptId)

/** The names of all relation types that there are, in order. */
export const listRelationTypes = async ({ viewer, db }: Caller): Promise<string[]> =>
  canReadGraph(viewer) ? relationTypeNames(db.pool) : []

/** How many links are of a relation type. */
export const linksOfType = ({ db, loaders }: Caller, name: string) =>
  loaders
    .use('links of a type', (names: readonly string[]) => relationTypeCounts(db.pool, names))
    .load(name)
