import { type Queryable, query } from '../core/query.ts'
import { sql } from '../core/sql.ts'

/**
 * relation types: each name once, in order. A loose scan, which goes from one name to the next with
 * one descent of the index, so that it costs what the names cost and not what the links do.
 */
export async function relationTypeNames(on: Queryable): Promise<string[]> {
  const rows = await query<{ name: string }>(
    on,
    sql`with recursive type (name) as (
      (select relation_type from links order by relation_type limit 1)
      union all
      select next.name from type cross join lateral (
        select relation_type as name from links where relation_type > type.name
        order by relation_type limit 1
      ) next
    )
    select name from type order by name`,
  )
  return rows.map(row => row.name)
}

/**
 * relation type counts: the links of each type, in the order of the names. Index-only scans, which
 * read as much as the types asked for have; all of a million links take some 50 ms.
 */
export async function relationTypeCounts(
  on: Queryable,
  names: readonly string[],
): Promise<number[]> {
  const rows = await query<{ links: bigint }>(
    on,
    sql`select (select count(*) from links l where l.relation_type = asked.name) as links
      from unnest(${names}::text[]) with ordinality as asked(name, place) order by place`,
  )
  return rows.map(row => Number(row.links))
}
