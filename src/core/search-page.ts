import { type Connection, listPage } from './connection.ts'
import type { Caller } from './context.ts'
import { orderNameOf } from './cursor.ts'
import { type ChainedList, chainPage } from './list-chain.ts'
import type { Order, PageArgs } from './paging.ts'
import { query } from './query.ts'
import type { SearchQuery } from './search-query.ts'
import { sparseList } from './sparse-list.ts'
import { and, type Sql, sql } from './sql.ts'
import { type Searched, textSearch } from './text-search.ts'

/** A table that can be searched. */
export interface SearchedTable extends Searched {
  name: string
  columns: Sql
  /** The table with its alias, such as `concepts c`. */
  table: Sql
  alias: Sql
  /** A bigint, greater in newer rows. */
  id: Sql
  /** The permission predicate of its room. */
  visible: Sql
}

/** Of names that look alike the newest are compared, so many; and none with a longer text. */
const alikeLimits = { rows: 200, length: 64 }

/**
 * A page of what a search finds, in the order given, else the best first. Where nothing is found, the
 * names that look alike. A page costs what it shows and what an index finds, never a look at all that
 * many rows have in common.
 */
export async function searchPage<Row>(
  caller: Pick<Caller, 'db'>,
  table: SearchedTable,
  search: SearchQuery,
  order: Order | undefined,
  args: PageArgs,
): Promise<Connection<Row>> {
  const cursor = args.after ?? args.before
  let floor = cursor == null ? undefined : floorIn(cursor)
  if (floor === undefined) {
    const chain = order ? [inOrder(table, search, order)] : bestFirst(table, search)
    const page = await chainPage<Row>(caller, chain, args)
    const { hasNextPage, hasPreviousPage } = page.pageInfo
    const goesOn = args.last == null ? hasNextPage : hasPreviousPage
    if (cursor != null || goesOn || page.edges.length > 0) return page
    floor = await alikeFloor(caller.db, table, search)
    if (floor === undefined) return page
  }
  const { source, order: likest } = alike(table, search, order, floor)
  return listPage(caller, source, likest, args)
}

/**
 * Lists that each have no row of those before it. Only the first is in the order of names: it is the
 * one that an index has in order. In the others the newest is first, so that where many rows fit a
 * page need not look at them all.
 */
function bestFirst(table: SearchedTable, search: SearchQuery): ChainedList[] {
  const { beginning, words, part, text } = textSearch(table, search)
  const byName: Order = {
    name: `${table.name} beginning`,
    columns: [
      { expression: table.foldedName, type: 'text' },
      { expression: table.id, type: 'bigint' },
    ],
  }
  const where = sql`${table.visible} and ${beginning}`
  const chain: ChainedList[] = [
    { source: { columns: table.columns, from: table.table, where }, order: byName },
  ]
  let rest = sql`${table.visible} and not (${beginning})`
  const follow = (name: string, way: Sql, rows = rowsOf(table)) => {
    const found = sql`${rows(way)} and ${rest}`
    const columns = [{ expression: table.id, type: 'bigint' as const, descending: true }]
    const order = { name: `${table.name} ${name}`, columns }
    chain.push(sparseList({ ...table, where: sql`${way} and ${rest}`, found }, order))
    rest = sql`${rest} and not (${way})`
  }
  if (!search.negatesAlone) follow('words', words)
  if (!search.hasOperators) follow('part', part, partsOf(table, search))
  follow('text', text)
  return chain
}

/** Whatever fits in one list, found by one index and by the other. */
function inOrder(table: SearchedTable, search: SearchQuery, order: Order): ChainedList {
  const { beginning, part, text } = textSearch(table, search)
  const named = search.hasOperators ? beginning : part
  const rows = search.hasOperators ? rowsOf(table) : partsOf(table, search)
  const found = sql`${rows(named)} and ${table.visible}
    union all ${rowsOf(table)(text)} and ${table.visible} and not (${named})`
  const where = sql`${table.visible} and (${named} or ${text})`
  return sparseList({ ...table, where, found }, order)
}

const rowsOf =
  ({ table, alias }: SearchedTable) =>
  (way: Sql) =>
    sql`select ${alias}.* from ${table} where ${way}`

/** Where no index finds parts of names, the names are read from one, which is smaller than the table. */
function partsOf(searched: SearchedTable, search: SearchQuery) {
  if (textSearch(searched, search).hasTrigrams) return rowsOf(searched)
  const { table, alias, id } = searched
  return (way: Sql) =>
    sql`select ${alias}.* from ${table}
      where ${id} in (select ${id} from ${table} where ${way} offset 0)`
}

/**
 * Names that look alike, the likest first. Only rows from `floor` on are compared; it stands in the
 * cursors, so that the pages of a list stay pages of one list.
 */
function alike(
  table: SearchedTable,
  search: SearchQuery,
  order: Order | undefined,
  floor: bigint,
): ChainedList {
  const { alike, likeness } = textSearch(table, search)
  const likest: Order = {
    name: table.name,
    columns: [
      { expression: likeness, type: 'double precision', descending: true },
      { expression: table.id, type: 'bigint', descending: true },
    ],
  }
  const { name, columns } = order ?? likest
  const where = and([table.visible, sql`${table.id} >= ${floor}`, alike])
  return {
    source: { columns: table.columns, from: table.table, where },
    order: { name: `${name} alike ${floor}`, columns },
  }
}

/** The least id among the newest rows whose names look alike; undefined where there are none. */
async function alikeFloor(
  db: Caller['db'],
  table: SearchedTable,
  search: SearchQuery,
): Promise<bigint | undefined> {
  // What looks like the whole of "a -b" has the very word that it should be without.
  if (search.hasOperators || search.typed.length > alikeLimits.length) return undefined
  const { alike, hasTrigrams } = textSearch(table, search)
  if (!hasTrigrams) return undefined
  const [row] = await query<{ floor: bigint | null }>(
    db.pool,
    sql`select min(id) as floor from (
      select ${table.id} as id from ${table.table} where ${table.visible} and ${alike}
      order by ${table.id} desc limit ${alikeLimits.rows}) newest`,
  )
  return row?.floor ?? undefined
}

function floorIn(cursor: string): bigint | undefined {
  const floor = / alike (\d{1,18})$/.exec(orderNameOf(cursor) ?? '')?.[1]
  return floor === undefined ? undefined : BigInt(floor)
}
