import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listPage } from '../../src/core/connection.ts'
import { readCursor, type SortType, writeCursor } from '../../src/core/cursor.ts'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { DomainError } from '../../src/core/errors.ts'
import type { Order } from '../../src/core/paging.ts'
import { raw } from '../../src/core/sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = await openDatabase(database.url, { maxConnections: 2, log: pino({ level: 'silent' }) })
  await db.pool.query(`insert into concepts (name) values ('one'), ('two')`)
})
afterAll(async () => {
  await db.close()
  await database.close()
})

/** A list by a column of each type, and by two at once that run against each other. */
const expressions: Record<SortType, string> = {
  bigint: 'c.id',
  text: 'c.name',
  timestamptz: 'c.timestamp',
  'double precision': `word_similarity('tow', c.name)::float8`,
  uuid: `md5(c.name)::uuid`,
}
const orders: Order[] = Object.entries(expressions).flatMap(([type, expression]) =>
  [false, true].map(descending => ({
    name: `${type} ${descending}`,
    columns: [
      { expression: raw(expression), type: type as SortType, descending },
      { expression: raw('c.id'), type: 'bigint' },
    ],
  })),
)
const source = { columns: raw('c.id'), from: raw('concepts c'), where: raw('true') }

const almost = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', ' ', '0', '-0', '1', '0b1', '0o7', '0x1', '1e5', '1e400', '1e-400', '1_0'),
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '9223372036854775807', '9223372036854775808'),
  fc.stringMatching(/^-?\d{1,20}(\.\d{0,20})?(e[+-]?\d{1,4})?$/),
  fc.stringMatching(/^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,7})?\+00$/),
  fc.constantFrom(...['9999-99-99', '2026-02-30', '0000-01-01', '294277-01-01'].map(midnight)),
  fc.stringMatching(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/),
)
function midnight(date: string) {
  return `${date} 00:00:00+00`
}

describe('a cursor', () => {
  it('that is forged is refused or read, and is never a fault of the server', async () => {
    const parts = fc.array(fc.oneof(almost, fc.jsonValue()), { maxLength: 3 })
    const forged = fc.record({
      order: fc.constantFrom(...orders),
      parts: fc.oneof({ weight: 4, arbitrary: fc.tuple(almost, fc.constant('1')) }, parts),
      side: fc.constantFrom('after', 'before'),
    })
    await fc.assert(
      fc.asyncProperty(forged, async ({ order, parts, side }) => {
        const cursor = writeCursor(order, parts as string[])
        await listPage({ db }, source, order, { [side]: cursor }).catch(error => {
          expect(error).toBeInstanceOf(DomainError)
          expect(error).toMatchObject({ code: 'BAD_USER_INPUT', field: side })
        })
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['double precision', ' '],
    ['double precision', '0b1'],
    ['double precision', '0o7'],
    ['double precision', '1e-400'],
    ['timestamptz', midnight('9999-99-99')],
    ['timestamptz', midnight('2026-02-30')],
    ['timestamptz', midnight('0000-01-01')],
    ['timestamptz', midnight('294277-01-01')],
    ['timestamptz', '2026-02-01 24:00:00+00'],
    ['bigint', '9223372036854775808'],
    ['text', 'a\u0000'],
  ] as const)('of a %s does not hold %j', (type, text) => {
    const order = { name: 'list', columns: [{ type }] }
    expect(readCursor(writeCursor(order, [text]), order)).toBeUndefined()
  })

  it.each([
    ['double precision', `x::float8 from unnest(array[0, -0.0, 1, 1/3.0, 1e300, -1e-300, 1e15]) x`],
    [
      'timestamptz',
      `x from unnest(array['0001-01-01Z', '2024-02-29 23:59:59.999999Z',
      '9999-12-31 23:59:59.123Z']::timestamptz[]) x`,
    ],
    ['bigint', 'x from unnest(array[-9223372036854775808, 0, 9223372036854775807]::bigint[]) x'],
  ] as const)('holds every %s as PostgreSQL writes it', async (type, values) => {
    const order = { name: 'list', columns: [{ type }] }
    const { rows } = await db.pool.query(
      `select (${values.replace(' from', ')::text as text from')}`,
    )
    expect(rows.length).toBeGreaterThan(2)
    for (const { text } of rows) {
      expect(readCursor(writeCursor(order, [text]), order)).toEqual([text])
    }
  })
})
