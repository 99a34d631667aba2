import { isStorable } from './text.ts'

/** The PostgreSQL type of a column that a list is ordered by, into which a cursor's text is read back. */
export type SortType = 'bigint' | 'text' | 'timestamptz' | 'double precision' | 'uuid'

/** What of a list's order stands in its cursors. */
interface Order {
  name: string
  columns: readonly { type: SortType }[]
}

/** A place in a list: the values of one row in the columns of the list's order, as PostgreSQL writes them. */
export function writeCursor(order: Order, key: readonly string[]): string {
  return Buffer.from(JSON.stringify([order.name, ...key])).toString('base64url')
}

/** The values in a cursor of this order; undefined for any other text. */
export function readCursor(cursor: string, order: Order): readonly string[] | undefined {
  const [name, ...key] = partsOf(cursor)
  const fits =
    name === order.name &&
    key.length === order.columns.length &&
    order.columns.every(({ type }, index) => {
      const part = key[index]
      return typeof part === 'string' && holds[type](part)
    })
  return fits ? (key as string[]) : undefined
}

/** The name of the order that a cursor says it is of. */
export function orderNameOf(cursor: string): string | undefined {
  const [name] = partsOf(cursor)
  return typeof name === 'string' ? name : undefined
}

function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

// Cursors come back from outside: what passes here PostgreSQL must be able to read.
const holds: Record<SortType, (text: string) => boolean> = {
  bigint: text => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text),
  text: isStorable,
  timestamptz: isTimestamp,
  'double precision': isDouble,
  uuid: text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
}

/** As PostgreSQL writes an instant of the years 1 to 9999 in a session of UTC. */
function isTimestamp(text: string): boolean {
  const [date, time] = text.split(' ')
  if (!date || !time || !/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?\+00$/.test(time))
    return false
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || date.startsWith('0000')) return false
  // Date refuses a thirteenth month, and makes another day of one that its month does not have.
  const day = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}

/** PostgreSQL refuses what is too small to be told from zero, which JavaScript makes a zero of. */
function isDouble(text: string): boolean {
  if (!/^-?\d{1,17}(\.\d{1,20})?(e[+-]\d{1,3})?$/.test(text)) return false
  const number = Number(text)
  return Number.isFinite(number) && (number !== 0 || /^-?0$/.test(text))
}
