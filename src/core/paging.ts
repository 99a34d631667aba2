import { readCursor, type SortType } from './cursor.ts'
import { badInput } from './errors.ts'
import { checkRange } from './range.ts'
import { and, join, raw, type Sql, sql } from './sql.ts'

/** The arguments of a connection, as Relay names them. */
export interface PageArgs {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** One column of an order. Its last column must be unique, or rows that tie could be lost. */
export interface SortColumn {
  expression: Sql
  type: SortType
  descending?: boolean
}

/** An order of a list. Its name stands in each cursor, so that no other order takes it. */
export interface Order {
  name: string
  columns: readonly SortColumn[]
}

/** A page that was asked for, its arguments checked. */
export interface PageRequest {
  size: number
  backward: boolean
  after: readonly string[] | undefined
  before: readonly string[] | undefined
  /** The rows at the bounds belong to the page. */
  inclusive?: boolean
}

export const defaultPageSize = 20
export const maxPageSize = 100

/** @throws BAD_USER_INPUT for sizes outside 0 to 100, for both sizes, and for a foreign cursor */
export const readPageArgs = (args: PageArgs, order: Order): PageRequest => ({
  ...readPageSize(args),
  after: readBound(args.after, order, 'after'),
  before: readBound(args.before, order, 'before'),
})

/** @throws BAD_USER_INPUT */
export function readPageSize({ first, last }: PageArgs): Pick<PageRequest, 'size' | 'backward'> {
  if (first != null && last != null) throw badInput('Give first or last, not both.', 'last')
  if (first != null) checkRange(first, 'first', 0, maxPageSize)
  if (last != null) checkRange(last, 'last', 0, maxPageSize)
  return { size: first ?? last ?? defaultPageSize, backward: last != null }
}

function readBound(cursor: string | null | undefined, order: Order, field: string) {
  if (cursor == null) return undefined
  const key = readCursor(cursor, order)
  if (!key) throw wrongCursor(field)
  return key
}

export const wrongCursor = (field: string) =>
  badInput(`${field} is not a cursor of this list in this order.`, field)

/** The rows that stand behind `key` in the order, or before it; and the row itself, where that is asked. */
function beyond(
  order: Order,
  key: readonly string[],
  side: 'after' | 'before',
  inclusive: boolean,
): Sql {
  const columns = order.columns.map((column, index) => ({
    expression: column.expression,
    value: sql`${key[index]}::${raw(column.type)}`,
    sign: (side === 'after') === !column.descending ? '>' : '<',
    descending: column.descending ?? false,
  }))
  const direction = columns[0]?.descending
  if (columns[0] && columns.every(column => column.descending === direction)) {
    // A row comparison is one range of the index; the long form below is not.
    const expressions = join(
      columns.map(column => column.expression),
      ', ',
    )
    const values = join(
      columns.map(column => column.value),
      ', ',
    )
    return sql`(${expressions}) ${raw(columns[0].sign + (inclusive ? '=' : ''))} (${values})`
  }
  const same = columns.map(({ expression, value }) => sql`${expression} = ${value}`)
  const alternatives = columns.map((column, index) =>
    and([...same.slice(0, index), sql`${column.expression} ${raw(column.sign)} ${column.value}`]),
  )
  return sql`(${join(inclusive ? [...alternatives, and(same)] : alternatives, ' or ')})`
}

/** The parts of a statement that reads one page, and one row more to know whether it ends there. */
export function keyset(order: Order, { size, backward, after, before, inclusive }: PageRequest) {
  const bounds: Sql[] = []
  if (after) bounds.push(beyond(order, after, 'after', inclusive ?? false))
  if (before) bounds.push(beyond(order, before, 'before', inclusive ?? false))
  const directions = order.columns.map(
    ({ expression, descending = false }) =>
      sql`${expression} ${raw(descending === backward ? 'asc' : 'desc')}`,
  )
  const texts = order.columns.map(({ expression }) => sql`(${expression})::text`)
  return {
    where: and(bounds),
    orderBy: join(directions, ', '),
    limit: size + 1,
    key: sql`array[${join(texts, ', ')}]`,
  }
}

/**
 * The nearest row on the side that the page's own extra row does not tell of, which most often is the
 * one that the cursor was made of; undefined where there is no bound on that side.
 */
export function otherSide<Bound>(
  request: Pick<PageRequest, 'backward'> & { after?: Bound; before?: Bound },
) {
  const bound = request.backward ? request.before : request.after
  if (bound === undefined) return undefined
  const backward = !request.backward
  const [after, before] = backward ? [undefined, bound] : [bound, undefined]
  return { size: 0, backward, after, before, inclusive: true }
}
