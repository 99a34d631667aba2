import type { Caller } from './context.ts'
import {
  keyset,
  type Order,
  otherSide,
  type PageArgs,
  type PageRequest,
  readPageArgs,
  writeCursor,
} from './paging.ts'
import { query } from './query.ts'
import { raw, type Sql, sql } from './sql.ts'

/**
 * What a connection resolves to. The count, and the flag of the side that one came from, cost a
 * statement each, so they are read only where the field is selected.
 */
export interface Connection<Row> {
  edges: { cursor: string; node: Row }[]
  pageInfo: {
    startCursor: string | null
    endCursor: string | null
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
  }
  totalCount: () => Promise<number>
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
  const rows = await query<Keyed<Row>>(db.pool, pageOf(source, order, request))
  return toConnection(rows, order, request, {
    async exists(bound) {
      const { from, where } = source
      const [row] = await query<{ found: boolean }>(
        db.pool,
        sql`select exists(select from ${from} where ${where} and ${bound}) as found`,
      )
      return row?.found ?? false
    },
    async count() {
      const { from, where } = source
      const [row] = await query<{ count: bigint }>(
        db.pool,
        sql`select count(*) from ${from} where ${where}`,
      )
      return Number(row?.count ?? 0)
    },
  })
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
  const { from, where } = source
  // Rows of one parent come from one run of the inner statement, and so in its order.
  const perParent = async <Child>(ids: readonly unknown[], inner: Sql) => {
    const parents = sql`unnest(${ids}::${raw(source.parentType)}[]) with ordinality`
    const rows = await query<Child & { place: bigint }>(
      db.pool,
      sql`select parent.place, child.* from ${parents} as parent(id, place)
        cross join lateral (${inner}) child`,
    )
    const groups: Child[][] = ids.map(() => [])
    for (const row of rows) groups[Number(row.place) - 1]?.push(row)
    return groups
  }
  const rows = loaders.use(`${name} rows ${JSON.stringify(request)}`, (ids: readonly unknown[]) =>
    perParent<Keyed<Row>>(ids, pageOf(source, order, request)),
  )
  const counts = loaders.use(`${name} count`, async (ids: readonly unknown[]) => {
    const inner = sql`select count(*) as count from ${from} where ${where}`
    return (await perParent<{ count: bigint }>(ids, inner)).map(([row]) => Number(row?.count ?? 0))
  })
  return toConnection(await rows.load(parentId), order, request, {
    exists(bound) {
      const found = loaders.use(
        `${name} exists ${JSON.stringify(request)}`,
        async (ids: readonly unknown[]) => {
          const inner = sql`select exists(select from ${from} where ${where} and ${bound}) as found`
          const groups = await perParent<{ found: boolean }>(ids, inner)
          return groups.map(([row]) => row?.found ?? false)
        },
      )
      return found.load(parentId)
    },
    count: () => counts.load(parentId),
  })
}

function pageOf(source: ListSource, order: Order, request: PageRequest): Sql {
  if (source.page) return source.page(request)
  const { columns, from, where } = source
  const page = keyset(order, request)
  return sql`select ${columns}, ${page.key} as "pageKey" from ${from}
    where ${where} and ${page.where} order by ${page.orderBy} limit ${page.limit}`
}

function toConnection<Row>(
  rows: Keyed<Row>[],
  order: Order,
  request: PageRequest,
  reads: { exists(bound: Sql): Promise<boolean>; count(): Promise<number> },
): Connection<Row> {
  const { size, backward } = request
  const kept = rows.slice(0, size)
  if (backward) kept.reverse()
  const edges = kept.map(node => ({ cursor: writeCursor(order, node.pageKey), node }))
  const ahead = rows.length > size
  // GraphQL awaits what a field resolves to, but Relay's plugin has no type for a flag that is late.
  const behind = () => {
    const bound = otherSide(order, request)
    return (bound ? reads.exists(bound) : false) as boolean
  }
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
    totalCount: reads.count,
  }
}
