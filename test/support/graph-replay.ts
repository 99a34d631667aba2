import type { Queryable } from '../../src/core/query.ts'
import { query } from '../../src/core/query.ts'
import { sql } from '../../src/core/sql.ts'
import type { GraphPayload } from '../../src/graph/graph.events.ts'

/** Names of concepts and ends of links, by their ids. */
export interface ReplayedGraph {
  concepts: Record<string, string>
  links: Record<string, string>
}

/**
 * The graph that the changes make of nothing. Each must be possible where it comes: nothing is made
 * twice, nothing happens to what is not there, and a link is never without its concepts.
 */
export function replay(changes: readonly GraphPayload[]): ReplayedGraph {
  const concepts = new Map<string, string>()
  const links = new Map<string, string>()
  for (const change of changes) {
    if (!isPossible(change)) throw new Error(`out of place: ${JSON.stringify(change)}`)
    if (change.type === 'conceptDeleted') concepts.delete(change.conceptId)
    else if (change.type === 'linkDeleted') links.delete(change.linkId)
    else if ('conceptId' in change) concepts.set(change.conceptId, change.name)
    else links.set(change.linkId, linkText(change))
  }
  return { concepts: Object.fromEntries(concepts), links: Object.fromEntries(links) }

  function isPossible(change: GraphPayload): boolean {
    switch (change.type) {
      case 'conceptCreated':
        return !concepts.has(change.conceptId) && ![...concepts.values()].includes(change.name)
      case 'conceptUpdated':
        return concepts.has(change.conceptId)
      case 'conceptDeleted':
        return (
          concepts.get(change.conceptId) === change.name &&
          ![...links.values()].some(link => link.split(' ').includes(change.conceptId))
        )
      case 'linkCreated':
        return !links.has(change.linkId) && canBe(change)
      case 'linkMoved':
        return (
          links.get(change.linkId) ===
            linkText({ ...change, fromId: change.oldFromId, toId: change.oldToId }) && canBe(change)
        )
      case 'linkDeleted':
        return links.get(change.linkId) === linkText(change)
    }
  }

  function canBe(link: LinkText): boolean {
    return (
      concepts.has(link.fromId) &&
      concepts.has(link.toId) &&
      ![...links.values()].includes(linkText(link))
    )
  }
}

type LinkText = { fromId: string; relationType: string; toId: string }

const linkText = ({ fromId, relationType, toId }: LinkText) => `${fromId} ${relationType} ${toId}`

/** The graph as the database has it. */
export async function graphNow(on: Queryable): Promise<ReplayedGraph> {
  const concepts = await query<{ id: bigint; name: string }>(on, sql`select id, name from concepts`)
  const links = await query<{ id: bigint; fromId: bigint; toId: bigint; relationType: string }>(
    on,
    sql`select id, from_concept_id as "fromId", to_concept_id as "toId",
      relation_type as "relationType" from links`,
  )
  return {
    concepts: Object.fromEntries(concepts.map(({ id, name }) => [`${id}`, name])),
    links: Object.fromEntries(
      links.map(({ id, fromId, toId, relationType }) => [
        `${id}`,
        linkText({ fromId: `${fromId}`, toId: `${toId}`, relationType }),
      ]),
    ),
  }
}

/** What has been told of the graph since the change with this id, in the order of the ids. */
export async function toldSince(on: Queryable, id: bigint): Promise<GraphPayload[]> {
  const rows = await query<{ payload: GraphPayload }>(
    on,
    sql`select payload from core.changes where topic = 'graph' and id > ${id} order by id`,
  )
  return rows.map(({ payload }) => payload)
}

export async function lastChangeId(on: Queryable): Promise<bigint> {
  const [row] = await query<{ id: bigint }>(
    on,
    sql`select coalesce(max(id), 0) as id from core.changes`,
  )
  return row?.id ?? 0n
}
