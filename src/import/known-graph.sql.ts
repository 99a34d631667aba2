import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { type KnownGraph, linkKey } from './batch.ts'
import type { ConceptLink } from './mapping.ts'

interface KnownConcept {
  id: bigint
  name: string
  description: string | null
}

/**
 * What the database holds of these concepts and links. The concepts are locked, so that nobody
 * changes a description between our reading and our adding to it.
 */
export async function readKnownGraph(
  tx: Tx,
  names: readonly string[],
  links: readonly ConceptLink[],
): Promise<KnownGraph> {
  const concepts = await query<KnownConcept>(
    tx,
    sql`select id, name, description from concepts where name = any(${names}::text[])
      order by id for no key update`,
  )
  return {
    descriptions: new Map(concepts.map(({ name, description }) => [name, description])),
    links: await readLinks(tx, concepts, links),
  }
}

/** By the ids of their ends: joined by name, all links of a hub would meet all that are asked for. */
async function readLinks(tx: Tx, concepts: readonly KnownConcept[], links: readonly ConceptLink[]) {
  const ids = new Map(concepts.map(({ id, name }) => [name, id]))
  const possible = links.filter(({ from, to }) => ids.has(from) && ids.has(to))
  const existing = await query<{ place: bigint }>(
    tx,
    sql`select w.place
      from unnest(
          ${possible.map(({ from }) => ids.get(from))}::bigint[],
          ${possible.map(({ relationType }) => relationType)}::text[],
          ${possible.map(({ to }) => ids.get(to))}::bigint[]
        ) with ordinality as w(from_id, relation_type, to_id, place)
        join links l on l.from_concept_id = w.from_id
          and l.relation_type = w.relation_type and l.to_concept_id = w.to_id`,
  )
  const found = new Set(existing.map(({ place }) => Number(place) - 1))
  return new Set(possible.filter((_, index) => found.has(index)).map(linkKey))
}
