import type pg from 'pg'
import { expect, it } from 'vitest'
import type { Database } from '../../src/core/database.ts'
import { lend } from '../../src/core/lending.ts'
import { query } from '../../src/core/query.ts'
import { raw } from '../../src/core/sql.ts'

/** A pool of eight connections that answers when the test says so. */
function heldPool() {
  const started: string[] = []
  const answers: ((fails?: boolean) => void)[] = []
  const pool = {
    options: { max: 8 },
    query: ({ text }: pg.QueryConfig) => {
      started.push(text)
      return new Promise((resolve, reject) => {
        answers.push(fails => (fails ? reject(new Error('lost')) : resolve({ rows: [text] })))
      })
    },
  }
  return { db: { pool } as unknown as Database, started, answers }
}

const settled = () => new Promise(resolve => setImmediate(resolve))
const ask = (db: Database, text: string) => query(db.pool, raw(text))

it('an operation has a quarter of the connections at once, and the rest wait for their turn', async () => {
  const { db, started, answers } = heldPool()
  const lent = lend(db, new AbortController().signal)
  const asked = ['a', 'b', 'c', 'd'].map(text => ask(lent, text))
  await settled()
  expect(started).toEqual(['a', 'b'])
  answers[1]?.()
  expect(await asked[1]).toEqual(['b'])
  await settled()
  expect(started).toEqual(['a', 'b', 'c'])
  expect(await Promise.race([ask(lend(db, AbortSignal.any([])), 'other'), settled()])).toBe(
    undefined,
  )
  expect(started).toEqual(['a', 'b', 'c', 'other'])
})

it('a statement that fails gives its turn to the next one', async () => {
  const { db, started, answers } = heldPool()
  const lent = lend(db, new AbortController().signal)
  const asked = ['a', 'b', 'c'].map(text => ask(lent, text))
  await settled()
  answers[0]?.(true)
  await expect(asked[0]).rejects.toThrow('lost')
  await settled()
  expect(started).toEqual(['a', 'b', 'c'])
})

it('when the operation has taken too long, what waits does not start any more', async () => {
  const { db, started, answers } = heldPool()
  const overtime = new AbortController()
  const lent = lend(db, overtime.signal)
  const asked = ['a', 'b', 'c', 'd'].map(text => ask(lent, text))
  await settled()
  overtime.abort(new Error('too long'))
  answers[0]?.()
  expect(await asked[0]).toEqual(['a'])
  await expect(asked[2]).rejects.toThrow('too long')
  await expect(asked[3]).rejects.toThrow('too long')
  await expect(ask(lent, 'e')).rejects.toThrow('too long')
  expect(started).toEqual(['a', 'b'])
})
