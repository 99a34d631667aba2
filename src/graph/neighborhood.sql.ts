import { type Queryable, query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import type { Concept, Link } from '../generated/prisma/client.ts'
import { adjacent, type Direction, ofTypes, type RelationTypes } from './adjacent.sql.ts'

export interface NeighborhoodArgs {
  conceptId: bigint
  depth: number
  direction: Direction
  relationTypes: RelationTypes
  /** The start counts as one of them. */
  maxNodes: number
  maxLinks: number
}

export interface Neighborhood {
  /** Each once, nearest first and then by id: the first is the start. None: there is no start. */
  concepts: (Concept & { distance: number })[]
  /** Those of the relation types among the concepts, whichever way they point, by id. */
  links: Link[]
  /** A concept within the depth was left out. */
  truncated: boolean
  /** There are more than `maxLinks` links; those of the lowest ids were kept. */
  linksTruncated: boolean
}

/** Sparse graphs fit, and complete ones of up to 50 or of 100 concepts, with links both ways. */
export const maxLinksAmong = (maxNodes: number) => Math.min(50 * maxNodes, 10_000)

/**
 * neighborhood: breadth first by sets, and the links of what was found, in one statement and so of
 * one snapshot.
 *
 * Each row of `level` is one distance, with the concepts first met there and all met so far, both
 * as arrays: a recursive term sees only the row before it, and this way that is all it needs. A
 * path is never followed twice, so cycles and complete graphs cost no more than their links. The
 * concepts that are left for `maxNodes` are taken lowest id first, and one more is looked for,
 * which says whether any was left out. No concept needs to name more than `maxNodes + 1` ids: of
 * so many, what was met before cannot hide one that would be taken.
 *
 * The links of a concept are read and those to other concepts found are kept, by a hash (which is
 * what `is true` is for: a bare IN would become a join, planned for arrays of ten). Only a hub, with
 * more links than concepts were found, is asked for each of these instead.
 */
export async function neighborhood(on: Queryable, args: NeighborhoodArgs): Promise<Neighborhood> {
  const { conceptId, depth, direction, relationTypes, maxNodes, maxLinks } = args
  const limit = sql`${maxNodes + 1}`
  const next = adjacent({ of: sql`here.id`, direction, relationTypes, limit })
  const rows = await query<Row>(
    on,
    sql`with recursive level (distance, ids, met, truncated) as (
      select 0, array[id], array[id], false from concepts where id = ${conceptId}
      union all
      select level.distance + 1, next.ids[:room], level.met || next.ids[:room],
        cardinality(next.ids) > room
      from level
      cross join lateral (select ${maxNodes}::int - cardinality(level.met) as room) cap
      cross join lateral (select array_agg(id order by id) as ids from (
        select next.id from unnest(level.ids) as here(id) cross join lateral (${next}) next
        except select unnest(level.met)
        order by id limit room + 1
      ) nearest) next
      where level.distance < ${depth} and not level.truncated and next.ids is not null
    ),
    whole as materialized (select met, truncated from level order by distance desc limit 1)
    select c.id, c.timestamp, c.llm_id as "llmId", level.distance, c.name, c.description,
      null::bigint as "fromConceptId", null::bigint as "toConceptId", null as "relationType",
      (select truncated from whole)
    from level cross join unnest(level.ids) as found(id)
    cross join lateral (select * from concepts where id = found.id limit 1) c
    union all
    (select l.id, l.timestamp, l.llm_id, null, null, null,
      l.from_concept_id, l.to_concept_id, l.relation_type, null
    from whole cross join unnest(whole.met) as here(id)
    cross join lateral (select exists (select from links l
      where l.from_concept_id = here.id offset cardinality(whole.met)) as hub offset 0) degree
    cross join lateral (
      select * from links l where not degree.hub and l.from_concept_id = here.id
        and (l.to_concept_id in (select unnest(met) from whole)) is true
      union all
      select l.* from unnest(whole.met) as there(id) cross join lateral (select * from links l
        where l.from_concept_id = here.id and l.to_concept_id = there.id offset 0) l
      where degree.hub
    ) l
    where true ${ofTypes(relationTypes)}
    order by l.id limit ${maxLinks + 1})
    order by distance, id`,
  )
  const concepts: Neighborhood['concepts'] = []
  const links: Link[] = []
  for (const row of rows) {
    const { id, timestamp, llmId } = row
    if (row.distance === null) {
      const { fromConceptId, toConceptId, relationType } = row
      links.push({ id, fromConceptId, toConceptId, relationType, timestamp, llmId })
    } else {
      const { name, description, distance } = row
      concepts.push({ id, name, description, timestamp, llmId, distance })
    }
  }
  return {
    concepts,
    links: links.slice(0, maxLinks),
    truncated: rows[0]?.truncated ?? false,
    linksTruncated: links.length > maxLinks,
  }
}

type Row = { truncated: boolean } & ((Concept & { distance: number }) | (Link & { distance: null }))
