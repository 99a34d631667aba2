import type { ChainedList } from './list-chain.ts'
import { keyset, type Order } from './paging.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Rows of a table that fit a condition of which nobody can tell beforehand how many it fits. */
export interface SparseRows {
  columns: Sql
  /** The table with its alias, such as `concepts c`. */
  table: Sql
  alias: Sql
  where: Sql
  /** The same rows, whole, as the indexes find them; without it those of `where`. */
  found?: Sql
}

/** How many rows are looked at for each row of the page. */
const lookedThrough = 10

/**
 * A list of such rows. The rows that are next in the order are looked through first: a condition that
 * fits many rows fits enough of these. Only else are all the rows found that it fits, by the indexes,
 * and put in order; OFFSET 0 keeps the planner from walking along the order again, to its end.
 */
export function sparseList(rows: SparseRows, order: Order): ChainedList {
  const { columns, table, alias, where } = rows
  const found = rows.found ?? sql`select ${alias}.* from ${table} where ${where}`
  const source = {
    columns,
    from: sql`(${found}) ${alias}`,
    where: raw('true'),
    page(request: Parameters<typeof keyset>[1]) {
      const page = keyset(order, request)
      const shown = sql`${columns}, ${page.key} as "pageKey"`
      return sql`with near as materialized (
          select ${shown} from (
            select ${alias}.* from ${table} where ${page.where}
            order by ${page.orderBy} limit ${page.limit * lookedThrough}
          ) ${alias} where ${where} order by ${page.orderBy} limit ${page.limit}
        )
        select * from near where (select count(*) from near) = ${page.limit}
        union all
        select * from (
          select ${shown} from (
            select * from (${found}) ${alias}
            where (select count(*) from near) < ${page.limit} offset 0
          ) ${alias} where ${page.where} order by ${page.orderBy} limit ${page.limit}
        ) far`
    },
  }
  return { source, order }
}
