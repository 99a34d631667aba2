import pino from 'pino'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { Retention } from '../../src/events/retention.ts'
import { hold, untilWaiting } from '../support/held-transaction.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { type Instance, openInstance } from './open-feed.ts'

const resync = { code: 'LIMIT_EXCEEDED', resync: true }

let url: string
let instance: Instance
let retention: Retention
beforeEach(async () => {
  const database = await createTestDatabase()
  url = database.url
  onTestFinished(() => database.close())
  instance = await openInstance(url)
  retention = new Retention(instance.db, { hours: 2, log: pino({ level: 'silent' }) })
  onTestFinished(() => retention.close())
})

/** Written so many hours ago. */
const insert = (text: string, hours: number) => ({
  text: `insert into core.changes (topic, subject, payload, created_at)
    values ('news', 'all', jsonb_build_object('text', $1::text), now() - make_interval(hours => $2))`,
  values: [text, hours],
})
const write = (text: string, hours: number) => instance.db.pool.query(insert(text, hours))

async function kept(): Promise<string[]> {
  const { rows } = await instance.db.pool.query(
    `select payload ->> 'text' as text from core.changes order by id`,
  )
  return rows.map(({ text }) => text)
}

/**
 * What nobody can still be writing is trimmed, and other databases of the server write too: so until so
 * many go, all in one call.
 */
const trimAway = (count: number) =>
  expect.poll(() => retention.trim(), { timeout: 10_000 }).toBe(count)

it('takes away what is older than the hours that are kept, and leaves the rest', async () => {
  await write('old', 3)
  await write('young', 1)
  await trimAway(1)
  expect(await kept()).toEqual(['young'])
})

it('leaves what was committed since it last looked, however old, for readers to read', async () => {
  await retention.trim()
  await write('just committed', 3)
  expect(await retention.trim()).toBe(0)
  expect(await kept()).toEqual(['just committed'])
  await trimAway(1)
})

it('leaves what a transaction wrote that was open when it last looked', async () => {
  const { text, values } = insert('open for long', 3)
  const slow = await hold(instance.db.pool, text, values)
  await retention.trim()
  await slow.commit()
  expect(await retention.trim()).toBe(0)
  expect(await kept()).toEqual(['open for long'])
})

it('takes away more than fits into one statement', async () => {
  await instance.db.pool.query(
    `insert into core.changes (topic, subject, payload, created_at)
      select 'news', 'all', '{}', now() - interval '3 hours' from generate_series(1, 20001)`,
  )
  await trimAway(20_001)
  expect(await kept()).toEqual([])
})

it('tells who comes back for what is gone to read anew, and nobody else', async () => {
  const first = instance.feed.position
  const news = instance.follow()
  await write('old', 3)
  await news.take(1)
  const second = instance.feed.position
  await write('young', 1)
  await news.take(1)
  await trimAway(1)
  // One that has just started has nothing in memory.
  const { follow } = await openInstance(url)
  await expect(follow({ after: first }).take(1)).rejects.toMatchObject(resync)
  expect(await follow({ after: second }).take(1)).toEqual(['young'])
  // Who keeps up does not notice.
  await instance.write('new')
  expect(await news.take(1)).toEqual(['new'])
})

it('tells who reads a subject by its seq when what comes next is gone', async () => {
  const insertCounted = `insert into core.changes (topic, subject, seq, payload, created_at)
    select 'news', 'one', n, jsonb_build_object('text', n::text), now() - make_interval(hours => 4 - n)
    from generate_series(1, 3) n`
  await instance.db.pool.query(insertCounted)
  await trimAway(2)
  const { follow } = await openInstance(url)
  await expect(follow({ subject: 'one', afterSeq: 0 }).take(1)).rejects.toMatchObject(resync)
  expect(await follow({ subject: 'one', afterSeq: 2 }).take(1)).toEqual(['3'])
})

it('tells who waits on an instance that was away when something was trimmed', async () => {
  const news = instance.follow()
  await instance.write('seen')
  expect(await news.take(1)).toEqual(['seen'])
  const refused = expect(news.take(1)).rejects.toMatchObject(resync)
  // Nobody reads the log until this ends; by then the change has come and gone.
  const away = await hold(
    instance.db.pool,
    `lock table core.changes in access exclusive mode;
      with gone as (insert into core.changes (topic, subject, payload) values ('news', 'all', '{"text": "missed"}')
        returning xact)
      update core.change_log set trimmed = (select xact from gone);
      delete from core.changes where payload ->> 'text' = 'missed'`,
  )
  await untilWaiting(instance.db.pool, 1)
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 120_000)
  onTestFinished(() => void vi.restoreAllMocks())
  await away.commit()
  await refused
})
