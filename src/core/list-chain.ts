import {
  type Connection,
  type Edge,
  type ListSource,
  readEdges,
  toConnection,
} from './connection.ts'
import type { Caller } from './context.ts'
import { readCursor } from './cursor.ts'
import { type Order, otherSide, type PageArgs, readPageSize, wrongCursor } from './paging.ts'
import { query } from './query.ts'
import { sql } from './sql.ts'

/** One list of several that follow each other. Its order has a name of its own among them. */
export interface ChainedList {
  source: ListSource
  order: Order
}

/** A place in the chain: in which list, and where in its order. */
interface Place {
  list: number
  key: readonly string[]
}

interface ChainRequest {
  size: number
  backward: boolean
  after: Place | undefined
  before: Place | undefined
  inclusive?: boolean
}

/** A chain is counted to here and no further: what is found is often most of what there is. */
const maxChainCount = 10_000

/**
 * One page of lists that follow each other, none having a row of another. A list is read only where
 * those before it did not fill the page.
 */
export async function chainPage<Row>(
  { db }: Pick<Caller, 'db'>,
  chain: readonly ChainedList[],
  args: PageArgs,
): Promise<Connection<Row>> {
  const request = {
    ...readPageSize(args),
    after: placeOf(chain, args.after, 'after'),
    before: placeOf(chain, args.before, 'before'),
  }
  return toConnection(await readChain<Row>(db, chain, request), request, {
    async isBehind() {
      const other = otherSide(request)
      return other !== undefined && (await readChain(db, chain, other)).length > 0
    },
    async count() {
      let count = 0
      for (const { source } of chain) {
        if (count < maxChainCount) count += await countTo(db, source, maxChainCount - count)
      }
      return count
    },
  })
}

function placeOf(
  chain: readonly ChainedList[],
  cursor: string | null | undefined,
  field: string,
): Place | undefined {
  if (cursor == null) return undefined
  for (const [list, { order }] of chain.entries()) {
    const key = readCursor(cursor, order)
    if (key) return { list, key }
  }
  throw wrongCursor(field)
}

async function countTo(db: Caller['db'], { from, where }: ListSource, limit: number) {
  const [row] = await query<{ count: bigint }>(
    db.pool,
    sql`select count(*) from (select from ${from} where ${where} limit ${limit}) counted`,
  )
  return Number(row?.count ?? 0)
}

async function readChain<Row>(
  db: Caller['db'],
  chain: readonly ChainedList[],
  { size, backward, after, before, inclusive = false }: ChainRequest,
): Promise<Edge<Row>[]> {
  const first = after?.list ?? 0
  const last = before?.list ?? chain.length - 1
  const within = [...chain.entries()].slice(first, last + 1)
  if (backward) within.reverse()
  const edges: Edge<Row>[] = []
  for (const [list, { source, order }] of within) {
    const page = {
      size: size - edges.length,
      backward,
      after: after?.list === list ? after.key : undefined,
      before: before?.list === list ? before.key : undefined,
      inclusive,
    }
    edges.push(...(await readEdges<Row>(db, source, order, page)))
    if (edges.length > size) break
  }
  return edges
}
