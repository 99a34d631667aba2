import { join, raw, type Sql, sql } from '../core/sql.ts'
import { adjacent, type Direction, ofTypes, type RelationTypes, reversed } from './adjacent.sql.ts'

export interface SearchArgs {
  /** A query of two arrays of ids: where the search starts, and where it may end. No row, no search. */
  ends: Sql
  direction: Direction
  relationTypes: RelationTypes
  maxDepth: number
  /** About how many links the search may read before it gives up. */
  maxRead: number
}

/** Beyond this many links two rims count as equally heavy: to weigh them must stay cheap. */
const maxWeight = 1_000

/** Two rims with no more pairs than this are probed pair by pair, which takes a few milliseconds. */
const maxBridgeProbes = 5_000

/**
 * path search: a recursive term, of which each row is one step of a search from both ends at once.
 *
 * A rim is what was last met from one end. A step widens the rim with fewer links ahead by the
 * concepts adjacent to it, until the rims meet: depth 6 is two searches of depth 3, and a hub is
 * widened last. A row has all that the next step needs, since it sees no other: both rims, all that
 * was met from either end, and the `origins` from which the concepts of the new rim were reached.
 *
 * A step first looks for a link that bridges the rims, while they are small: the last step is the
 * largest, and mostly this saves it. Else it reads a pool of the adjacent concepts, the other rim
 * (mark 1) and what was met before (mark 2) and groups it by concept, which is one hash, whatever
 * the planner believes about the length of an array.
 */
export function pathSearch(args: SearchArgs): Sql {
  const { ends, direction, relationTypes, maxDepth, maxRead } = args
  const next = (way: Direction, limit: number) =>
    adjacent({ of: sql`here.id`, direction: way, relationTypes, limit: sql`${limit}` })
  const weight = (rim: Sql, way: Direction) => sql`((select count(*) from (
    select from unnest(${rim}) as here(id) cross join lateral (${next(way, maxWeight)}) next
    limit ${maxWeight}) ahead), cardinality(${rim}))`
  const bridges = joining(raw('here.id'), raw('there.id'), direction).map(
    joined => sql`exists (select from links l where ${joined} ${ofTypes(relationTypes)})`,
  )
  return sql`search (step, forth, start_rim, end_rim, start_met, end_met, origins, meeting, reads) as (
    select 0, null::boolean, ends.a, ends.b, ends.a, ends.b, null::bigint[],
      (select min(id) from unnest(ends.a) as met(id) where id = any(ends.b)), 0::bigint
    from (${ends}) as ends(a, b)
    union all
    select search.step + 1, side.forth,
      case when side.forth then next.ids else start_rim end,
      case when side.forth then end_rim else next.ids end,
      case when side.forth then start_met || next.ids else start_met end,
      case when side.forth then end_met else end_met || next.ids end,
      next.origins, next.meeting, search.reads + next.reads
    from search
    cross join lateral (select ${weight(raw('start_rim'), direction)}
      <= ${weight(raw('end_rim'), reversed(direction))} as forth offset 0) lighter
    cross join lateral (select lighter.forth,
      case when lighter.forth then start_rim else end_rim end as rim,
      case when lighter.forth then end_rim else start_rim end as other_rim,
      case when lighter.forth then start_met else end_met end as met) side
    cross join lateral (
      (select array[bridge.id] as ids, array[bridge.origin] as origins, bridge.id as meeting,
        1::bigint as reads
      from (
        select case when side.forth then there.id else here.id end as id,
          case when side.forth then here.id else there.id end as origin
        from unnest(start_rim) as here(id), unnest(end_rim) as there(id)
        where cardinality(start_rim)::bigint * cardinality(end_rim) <= ${maxBridgeProbes}
          and (${join(bridges, ' or ')})
      ) bridge order by id, origin limit 1)
      union all
      select array_agg(id) filter (where mark < 2), array_agg(origin) filter (where mark < 2),
        min(id) filter (where mark = 1), sum(reads)::bigint
      from (
        select id, min(origin) as origin, max(mark) as mark, count(*) as reads
        from (
          (select next.id, here.id as origin, 0 as mark from unnest(side.rim) as here(id)
            cross join lateral (
              select * from (${next(direction, maxRead)}) next where side.forth
              union all
              select * from (${next(reversed(direction), maxRead)}) next where not side.forth
            ) next limit ${maxRead} - search.reads)
          union all select unnest(side.other_rim), null, 1
          union all select unnest(side.met), null, 2
        ) pool group by id having min(origin) is not null
      ) reached
      limit 1
    ) next
    where search.step < ${maxDepth} and search.meeting is null and search.reads < ${maxRead}
      and (next.ids is not null or search.reads + next.reads >= ${maxRead})
  )`
}

/** The conditions on a link `l`, any one of which makes it a step from one concept to another. */
export function joining(from: Sql, to: Sql, direction: Direction): Sql[] {
  const along = sql`l.from_concept_id = ${from} and l.to_concept_id = ${to}`
  const against = sql`l.from_concept_id = ${to} and l.to_concept_id = ${from}`
  if (direction === 'BOTH') return [along, against]
  return direction === 'OUT' ? [along] : [against]
}
