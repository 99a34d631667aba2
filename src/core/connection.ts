import type { Caller } from './context.ts'
import { writeCursor } from './cursor.ts'
import {
  keyset,
  type Order,
  otherSide,
  type PageArgs,
  type PageRequest,
  readPageArgs,
} from './paging.ts'
import { query } from './query.ts'
import { raw, type Sql, sql } from './sql.ts'
import { keysOf } from './text.ts'

/**
 * What a connection resolves to. The count, and the flag of the side that one came from, cost a
 * statement each, so they are read where the field is selected, and once however often it is.
 */
export interface Connection<Row> {
  edges: Edge<Row>[]
  pageInfo: {
    startCursor: string | null
    endCursor: string | null
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
  }
  totalCount: () => Promise<number>
}

export interface Edge<Row> {
  cursor: string
  node: Row
}

/** What a list reads. The permission predicate of its room belongs into `where`. */
export interface ListSource {
  columns: Sql
  from: Sql
  where: Sql
  /** The page's rows with their `pageKey`, where the usual statement would read far more than them. */
  page?: (request: PageRequest) => Sql
}

/** A list under each of many parents; `where` refers to a parent as `parent.id`. */
export interface ChildSource extends ListSource {
  /** The field, with whatever of its arguments the source depends on. */
  name: string
  parentType: 'bigint' | 'text' | 'uuid'
}

type Keyed<Row> = Row & { pageKey: string[] }

/** One page of a list. */
export async function listPage<Row>(
  { db }: Pick<Caller, 'db'>,
  source: ListSource,
  order: Order,
  args: PageArgs,
): Promise<Connection<Row>> {
  const request = readPageArgs(args, order)
  const read = (asked: PageRequest) => readEdges<Row>(db, source, order, asked)
  return toConnection(await read(request), request, {
    async isBehind() {
      const other = otherSide(request)
      return other !== undefined && (await read(other)).length > 0
    },
    async count() {
      const [row] = await query<{ count: bigint }>(db.pool, countOf(source))
      return Number(row?.count ?? 0)
    },
  })
}

/** The rows of a page, and the one behind them if there is one, in the order in which they are read. */
export async function readEdges<Row>(
  db: Caller['db'],
  source: ListSource,
  order: Order,
  request: PageRequest,
): Promise<Edge<Row>[]> {
  const rows = await query<Keyed<Row>>(db.pool, pageOf(source, order, request))
  return rows.map(row => toEdge(order, row))
}

/**
 * The page under one parent, read with the pages under its siblings: one LATERAL over all the
 * parents that ask in the same tick, so that a page of parents costs one statement.
 */
export async function childPage<Row>(
  { db, loaders }: Pick<Caller, 'db' | 'loaders'>,
  parentId: unknown,
  source: ChildSource,
  order: Order,
  args: PageArgs,
): Promise<Connection<Row>> {
  const request = readPageArgs(args, order)
  const name = `${source.name} ${order.name}`
  // Rows of one parent come from one run of the inner statement, and so in its order.
  const perParent = async <Child>(ids: readonly unknown[], inner: Sql) => {
    const parents = sql`unnest(${keysOf(ids)}::${raw(source.parentType)}[]) with ordinality`
    const rows = await query<Child & { place: bigint }>(
      db.pool,
      sql`select parent.place, child.* from ${parents} as parent(id, place)
        cross join lateral (${inner}) child`,
    )
    const groups: Child[][] = ids.map(() => [])
    for (const row of rows) groups[Number(row.place) - 1]?.push(row)
    return groups
  }
  const pages = (asked: PageRequest) =>
    loaders.use(`${name} rows ${JSON.stringify(asked)}`, (ids: readonly unknown[]) =>
      perParent<Keyed<Row>>(ids, pageOf(source, order, asked)),
    )
  const counts = loaders.use(`${name} count`, async (ids: readonly unknown[]) => {
    const groups = await perParent<{ count: bigint }>(ids, countOf(source))
    return groups.map(([row]) => Number(row?.count ?? 0))
  })
  const rows = await pages(request).load(parentId)
  return toConnection(
    rows.map(row => toEdge(order, row)),
    request,
    {
      async isBehind() {
        const other = otherSide(request)
        return other !== undefined && (await pages(other).load(parentId)).length > 0
      },
      count: () => counts.load(parentId),
    },
  )
}

function pageOf(source: ListSource, order: Order, request: PageRequest): Sql {
  if (source.page) return source.page(request)
  const { columns, from, where } = source
  const page = keyset(order, request)
  return sql`select ${columns}, ${page.key} as "pageKey" from ${from}
    where ${where} and ${page.where} order by ${page.orderBy} limit ${page.limit}`
}

const countOf = ({ from, where }: ListSource) => sql`select count(*) from ${from} where ${where}`

const toEdge = <Row>(order: Order, row: Keyed<Row>): Edge<Row> => ({
  cursor: writeCursor(order, row.pageKey),
  node: row,
})

/** The connection of the rows that were read for a page. */
export function toConnection<Row>(
  read: readonly Edge<Row>[],
  { size, backward }: Pick<PageRequest, 'size' | 'backward'>,
  reads: { isBehind(): Promise<boolean>; count(): Promise<number> },
): Connection<Row> {
  const edges = read.slice(0, size)
  if (backward) edges.reverse()
  const ahead = read.length > size
  const isBehind = once(reads.isBehind)
  // GraphQL awaits what a field resolves to, but Relay's plugin has no type for a flag that is late.
  const behind = () => isBehind() as unknown as boolean
  return {
    edges,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      get hasNextPage() {
        return backward ? behind() : ahead
      },
      get hasPreviousPage() {
        return backward ? ahead : behind()
      },
    },
    totalCount: once(reads.count),
  }
}

function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= read()
    return result
  }
}
