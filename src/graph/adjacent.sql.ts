import { empty, raw, type Sql, sql } from '../core/sql.ts'

/** Which way links are followed: from a concept to those it points at, backwards, or either. */
export type Direction = 'OUT' | 'IN' | 'BOTH'

export const reversed = (direction: Direction): Direction =>
  direction === 'OUT' ? 'IN' : direction === 'IN' ? 'OUT' : 'BOTH'

/** Null is every type; an empty list is none. */
export type RelationTypes = readonly string[] | null

/** `and …`, for links of alias `l`. */
export const ofTypes = (relationTypes: RelationTypes): Sql =>
  relationTypes === null ? empty : sql`and l.relation_type = any(${relationTypes}::text[])`

export interface Adjacency {
  of: Sql
  direction: Direction
  relationTypes: RelationTypes
  limit: Sql
  /** What the ids must meet besides, as a condition on the column that holds them. */
  where?: (id: Sql) => Sql
  descending?: boolean
}

/**
 * adjacent: a query of the `id`s one link away from the concept `of`, each way the first `limit`
 * in their order. An id can come once from each way.
 *
 * It is one ordered index-only scan for each way and type, which stops at the limit: the links of
 * a hub are never read whole, and parallel links never crowd an id out. The limit is also what
 * keeps the planner from turning the scan into a join over all links, whatever it believes about
 * the number of concepts that the scan is run for.
 */
export function adjacent({ of, direction, relationTypes, limit, ...rest }: Adjacency): Sql {
  const { where = () => raw('true'), descending = false } = rest
  const order = raw(descending ? 'order by 1 desc' : 'order by 1')
  const outward = ends(raw('l.from_concept_id'), raw('l.to_concept_id'))
  const inward = ends(raw('l.to_concept_id'), raw('l.from_concept_id'))
  if (direction === 'BOTH') return sql`${outward} union all ${inward}`
  return direction === 'OUT' ? outward : inward

  function ends(near: Sql, far: Sql): Sql {
    if (relationTypes === null) {
      return sql`(select distinct ${far} as id from links l where ${near} = ${of} and ${where(far)}
        ${order} limit ${limit})`
    }
    return sql`(select distinct hop.id from unnest(${relationTypes}::text[]) as wanted(type)
      cross join lateral (
        select ${far} as id from links l
        where ${near} = ${of} and l.relation_type = wanted.type and ${where(far)}
        ${order} limit ${limit}
      ) hop ${order} limit ${limit})`
  }
}
