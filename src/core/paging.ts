import { badInput } from './errors.ts'
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
  /** The PostgreSQL type, into which a cursor's text is read back. */
  type: 'bigint' | 'text' | 'timestamptz' | 'double precision' | 'uuid'
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
}

export const defaultPageSize = 20
export const maxPageSize = 100

/** @throws BAD_USER_INPUT for sizes outside 0 to 100, for both sizes, and for a foreign cursor */
export function readPageArgs(args: PageArgs, order: Order): PageRequest {
  const { first, last } = args
  if (first != null && last != null) throw badInput('Give first or last, not both.', 'last')
  checkSize(first, 'first')
  checkSize(last, 'last')
  return {
    size: first ?? last ?? defaultPageSize,
    backward: last != null,
    after: readCursor(args.after, order, 'after'),
    before: readCursor(args.before, order, 'before'),
  }
}

function checkSize(size: number | null | undefined, field: string) {
  if (size != null && (size < 0 || size > maxPageSize)) {
    throw badInput(`${field} must be from 0 to ${maxPageSize}.`, field)
  }
}

export function writeCursor(order: Order, key: readonly string[]): string {
  return Buffer.from(JSON.stringify([order.name, ...key])).toString('base64url')
}

const holds: Record<SortColumn['type'], (text: string) => boolean> = {
  bigint: text => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text),
  text: text => text.isWellFormed() && !text.includes('\u0000'),
  timestamptz: text => /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/.test(text),
  'double precision': text => text !== '' && Number.isFinite(Number(text)),
  uuid: text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
}

function readCursor(cursor: string | null | undefined, order: Order, field: string) {
  if (cursor == null) return undefined
  const wrong = () => badInput(`${field} is not a cursor of this list in this order.`, field)
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw wrong()
  }
  if (!Array.isArray(parts)) throw wrong()
  const [name, ...key] = parts as unknown[]
  const fits =
    name === order.name &&
    key.length === order.columns.length &&
    order.columns.every(({ type }, index) => {
      const part = key[index]
      return typeof part === 'string' && holds[type](part)
    })
  if (!fits) throw wrong()
  return key as string[]
}

/** The rows that stand behind `key` in the order, or before it. */
function beyond(order: Order, key: readonly string[], side: 'after' | 'before'): Sql {
  const columns = order.columns.map((column, index) => ({
    expression: column.expression,
    value: sql`${key[index]}::${raw(column.type)}`,
    sign: raw((side === 'after') === !column.descending ? '>' : '<'),
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
    return sql`(${expressions}) ${columns[0].sign} (${values})`
  }
  const alternatives = columns.map((column, index) =>
    and([
      ...columns.slice(0, index).map(equal => sql`${equal.expression} = ${equal.value}`),
      sql`${column.expression} ${column.sign} ${column.value}`,
    ]),
  )
  return sql`(${join(alternatives, ' or ')})`
}

/** The parts of a statement that reads one page, and one row more to know whether it ends there. */
export function keyset(order: Order, request: PageRequest) {
  const bounds: Sql[] = []
  if (request.after) bounds.push(beyond(order, request.after, 'after'))
  if (request.before) bounds.push(beyond(order, request.before, 'before'))
  const directions = order.columns.map(
    ({ expression, descending = false }) =>
      sql`${expression} ${raw(descending === request.backward ? 'asc' : 'desc')}`,
  )
  const texts = order.columns.map(({ expression }) => sql`(${expression})::text`)
  return {
    where: and(bounds),
    orderBy: join(directions, ', '),
    limit: request.size + 1,
    key: sql`array[${join(texts, ', ')}]`,
  }
}

/** Rows on the side that the page's own extra row does not tell of; undefined: there is no bound. */
export function otherSide(order: Order, request: PageRequest): Sql | undefined {
  const bound = request.backward ? request.before : request.after
  return bound && sql`not ${beyond(order, bound, request.backward ? 'before' : 'after')}`
}
