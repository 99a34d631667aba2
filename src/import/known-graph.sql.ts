import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { type KnownGraph, linkKey } from './batch.ts'
import type { ConceptLink } from './mapping.ts'

/**
 * What the database holds of these concepts and links. The concepts are locked, so that nobody
 * changes a description between our reading and our adding to it.
 */
export async function readKnownGraph(
  tx: Tx,
  names: readonly string[],
  links: readonly ConceptLink[],
): Promise<KnownGraph> {
  const concepts = await query<{ name: string; description: string | null }>(
    tx,
    sql`select name, description from concepts where name = any(${names}::text[])
      order by id for no key update`,
  )
  const existing = await query<ConceptLink>(
    tx,
    sql`select f.name as "from", l.relation_type as "relationType", t.name as "to"
      from unnest(
          ${links.map(link => link.from)}::text[],
          ${links.map(link => link.relationType)}::text[],
          ${links.map(link => link.to)}::text[]
        ) as w(from_name, relation_type, to_name)
        join concepts f on f.name = w.from_name
        join concepts t on t.name = w.to_name
        join links l on l.from_concept_id = f.id
          and l.relation_type = w.relation_type and l.to_concept_id = t.id`,
  )
  return {
    descriptions: new Map(concepts.map(({ name, description }) => [name, description])),
    links: new Set(existing.map(linkKey)),
  }
}
