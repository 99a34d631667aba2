import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { Loaders } from '../../src/core/loaders.ts'
import { query } from '../../src/core/query.ts'
import { sql } from '../../src/core/sql.ts'
import { transaction } from '../../src/core/transaction.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

let database: TestDatabase
let db: Database

beforeAll(async () => {
  database = await createTestDatabase()
  db = await openDatabase(database.url, { maxConnections: 8, log: pino({ level: 'silent' }) })
  await db.pool.query('create table counters (id int primary key, n int not null)')
  await db.pool.query('insert into counters values (1, 0), (2, 0)')
})
beforeEach(() => db.pool.query('update counters set n = 0'))
afterAll(async () => {
  await db.close()
  await database.close()
})

const caller = () => ({ db, loaders: new Loaders() })
const counters = async () =>
  (await db.pool.query('select n from counters order by id')).rows.map(row => row.n)
const add = (id: number) => sql`update counters set n = n + 1 where id = ${id}`

describe('a transaction', () => {
  it('that meets a deadlock is done again, and each has its effect once', async () => {
    let attempts = 0
    // Each takes one row and waits until the other has taken its own: the first attempts must meet.
    const gates = new Map([
      [1, gate()],
      [2, gate()],
    ])
    const work = (first: number, second: number) =>
      transaction(caller(), async tx => {
        attempts++
        await query(tx, add(first))
        gates.get(first)?.open()
        await gates.get(second)?.opened
        await query(tx, add(second))
      })
    await Promise.all([work(1, 2), work(2, 1)])
    expect(attempts).toBeGreaterThan(2)
    expect(await counters()).toEqual([2, 2])
  })

  it('that meets serialisation failures is done again, and each has its effect once', async () => {
    let attempts = 0
    const haveRead = gate()
    await Promise.all(
      Array.from({ length: 4 }, () =>
        transaction(caller(), async tx => {
          await tx.$executeRaw`set transaction isolation level serializable`
          const [row] = await query<{ n: number }>(tx, sql`select n from counters where id = 1`)
          // The first attempts have all read before one of them writes, and so they must meet.
          if (++attempts === 4) haveRead.open()
          await haveRead.opened
          await query(tx, sql`update counters set n = ${(row?.n ?? 0) + 1} where id = 1`)
        }),
      ),
    )
    expect(attempts).toBeGreaterThan(4)
    expect((await counters())[0]).toBe(4)
  })

  it('that never succeeds ends with SERVICE_BUSY', async () => {
    const conflict = sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`
    await expect(transaction(caller(), tx => query(tx, conflict))).rejects.toMatchObject({
      code: 'SERVICE_BUSY',
    })
  })

  it('that fails of itself is not done again and leaves nothing', async () => {
    const before = await counters()
    let attempts = 0
    const work = transaction(caller(), async tx => {
      attempts++
      await query(tx, add(1))
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(attempts).toBe(1)
    expect(await counters()).toEqual(before)
  })

  it('makes the loaders forget what they had read', async () => {
    const { loaders } = caller()
    const read = () =>
      loaders.use<number, number>('counter', async ids => {
        const rows = await counters()
        return ids.map(id => rows[id - 1])
      })
    const before = await read().load(1)
    await transaction({ db, loaders }, tx => query(tx, add(1)))
    expect(await read().load(1)).toBe(before + 1)
  })
})

function gate() {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { open, opened }
}
