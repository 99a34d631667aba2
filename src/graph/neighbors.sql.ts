import type { ChildSource } from '../core/connection.ts'
import { keyset, type Order } from '../core/paging.ts'
import { type Queryable, query } from '../core/query.ts'
import { raw, type Sql, sql } from '../core/sql.ts'
import { adjacent, type Direction, ofTypes, type RelationTypes } from './adjacent.sql.ts'
import { conceptColumns } from './graph.sql.ts'

const orderBy = (id: Sql): Order => ({
  name: 'neighbors',
  columns: [{ expression: id, type: 'bigint' }],
})

export const neighborOrder = orderBy(raw('near.id'))

/**
 * neighbors: the other concepts one link away from `parent.id`, each once, however many links lead
 * there and whichever way.
 *
 * The page is not left to the planner, which reads the whole of a hub where it expects an ordinary
 * concept: its bounds and its size stand in each of the scans, which so end after the rows shown.
 */
export function neighbors(
  direction: Direction,
  relationTypes: RelationTypes,
  visible: Sql,
): ChildSource {
  const outward = ends(raw('l.from_concept_id'), raw('l.to_concept_id'))
  const inward = ends(raw('l.to_concept_id'), raw('l.from_concept_id'))
  const both = sql`${outward} union all ${inward}`
  const links = { OUT: outward, IN: inward, BOTH: both }[direction]
  return {
    name: `neighbors ${direction} ${JSON.stringify(relationTypes)}`,
    parentType: 'bigint',
    columns: raw('near.id'),
    from: sql`(select distinct id from (${links}) link) near`,
    where: visible,
    page(request) {
      const { orderBy: order, limit, key } = keyset(neighborOrder, request)
      const bounds = (id: Sql) => keyset(orderBy(id), request).where
      const next = adjacent({
        of: raw('parent.id'),
        direction,
        relationTypes,
        limit: sql`${limit}`,
        where: id => sql`${id} <> parent.id and ${bounds(id)}`,
        descending: request.backward,
      })
      return sql`select ${conceptColumns}, ${key} as "pageKey"
        from (select distinct near.id from (${next}) near order by ${order} limit ${limit}) near
        join concepts c on c.id = near.id where ${visible} order by ${order}`
    },
  }

  function ends(near: Sql, far: Sql): Sql {
    return sql`select ${far} as id from links l
      where ${near} = parent.id and ${far} <> parent.id ${ofTypes(relationTypes)}`
  }
}

/** degrees: how many links each concept has, in the order of the ids; a self-link is one each way. */
export async function degrees(
  on: Queryable,
  ids: readonly bigint[],
  direction: Direction,
): Promise<number[]> {
  const outward = sql`(select count(*) from links l where l.from_concept_id = asked.id)`
  const inward = sql`(select count(*) from links l where l.to_concept_id = asked.id)`
  const degree = { OUT: outward, IN: inward, BOTH: sql`${outward} + ${inward}` }[direction]
  const rows = await query<{ degree: bigint }>(
    on,
    sql`select ${degree} as degree
      from unnest(${ids}::bigint[]) with ordinality as asked(id, place) order by place`,
  )
  return rows.map(row => Number(row.degree))
}
