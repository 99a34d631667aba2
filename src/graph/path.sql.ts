import { limitExceeded } from '../core/errors.ts'
import { type Queryable, query } from '../core/query.ts'
import { join, raw, sql } from '../core/sql.ts'
import type { Concept, Link } from '../generated/prisma/client.ts'
import { ofTypes } from './adjacent.sql.ts'
import { conceptColumns } from './graph.sql.ts'
import { joining, pathSearch, type SearchArgs } from './path-search.sql.ts'

export interface PathArgs extends Omit<SearchArgs, 'ends' | 'maxRead'> {
  from: bigint
  to: bigint
  maxRead?: number
}

/** `links[n]` joins `concepts[n]` and `concepts[n + 1]`. */
export interface Path {
  concepts: Concept[]
  links: Link[]
}

/**
 * About a second on two cores. Paths that exist are found after far fewer, even beside hubs; what
 * meets this bound is the search for a path between two large parts that are not connected.
 */
const maxPathRead = 1_000_000

/**
 * path: a shortest path; null where there is none, or no such concept. Among several it is always
 * the same one. The search is in `path-search.sql.ts`; `trail` walks from where it met back to
 * either end, by the origins that it noted, and each hop takes the oldest link that makes it.
 *
 * @throws LIMIT_EXCEEDED when `maxRead` links did not decide it
 */
export async function path(
  on: Queryable,
  { from, to, maxRead = maxPathRead, ...args }: PathArgs,
): Promise<Path | null> {
  const { direction, relationTypes, maxDepth } = args
  const ends = sql`select array[a.id], array[b.id] from concepts a, concepts b
    where a.id = ${from} and b.id = ${to}`
  const hops = joining(raw('walk.previous'), raw('walk.id'), direction)
  const rows = await query<Row>(
    on,
    sql`with recursive ${pathSearch({ ...args, ends, maxRead })},
    trail (id, place, step, forth) as (
      select meeting, 0, step, ends.forth from search, (values (true), (false)) as ends(forth)
      where meeting is not null
      union all
      select step.origins[array_position(step.rim, trail.id)],
        trail.place + case when trail.forth then -1 else 1 end, step.step - 1, trail.forth
      from trail cross join lateral (
        select origins, step, case when forth then start_rim else end_rim end as rim
        from search where search.forth = trail.forth and search.step <= trail.step
        order by search.step desc limit 1
      ) step
    ),
    walk as (
      select id, place, lag(id) over (order by place) as previous
      from trail where place <> 0 or forth order by place limit ${maxDepth + 1}
    )
    select outcome.undecided, ${conceptColumns}, l.id as "linkId",
      l.from_concept_id as "fromConceptId", l.to_concept_id as "toConceptId",
      l.relation_type as "relationType", l.timestamp as "linkTimestamp", l.llm_id as "linkLlmId"
    from (select bool_or(meeting is null and reads >= ${maxRead}) as undecided from search) outcome
    left join walk on true
    left join concepts c on c.id = walk.id
    left join lateral (select * from links l where (${join(hops, ' or ')}) ${ofTypes(relationTypes)}
      order by l.id limit 1) l on true
    order by walk.place`,
  )
  if (rows[0]?.undecided) {
    throw limitExceeded(`A search reads at most ${maxRead} links, which did not decide this one.`)
  }
  return toPath(rows.filter(row => row.id !== null))
}

/** A concept of the path with the link that leads to it, which the first one has not. */
type Row = { undecided: boolean | null } & Concept &
  Pick<Link, 'fromConceptId' | 'toConceptId' | 'relationType'> & {
    linkId: bigint
    linkTimestamp: Date
    linkLlmId: string | null
  }

function toPath(rows: Row[]): Path | null {
  if (rows.length === 0) return null
  return {
    concepts: rows.map(row => ({
      id: row.id,
      name: row.name,
      description: row.description,
      timestamp: row.timestamp,
      llmId: row.llmId,
    })),
    links: rows.slice(1).map(row => ({
      id: row.linkId,
      fromConceptId: row.fromConceptId,
      toConceptId: row.toConceptId,
      relationType: row.relationType,
      timestamp: row.linkTimestamp,
      llmId: row.linkLlmId,
    })),
  }
}
