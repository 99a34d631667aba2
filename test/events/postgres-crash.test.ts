import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { migrate } from '../../src/core/migrations/migrations.ts'
import { withClient } from '../support/databases.ts'
import { newDirectory } from '../support/embedded.ts'
import { freePorts } from '../support/free-ports.ts'
import { RestartablePostgres } from './chaos/restartable-postgres.ts'
import { openInstance } from './open-feed.ts'

/*
 * PostgreSQL gives the number of a transaction that was rolled back again when it crashes right after
 * it: only what is committed is written down at once. Who has noted that number as seen would overlook
 * the change of the other transaction.
 */
it('brings the change of a transaction whose number a crash of PostgreSQL gave twice', async () => {
  // It writes the rest down after 0.2 s otherwise.
  const settings = { wal_writer_delay: '10s' }
  const [port = 0] = await freePorts(1)
  const postgres = await RestartablePostgres.start(newDirectory(), port, settings)
  onTestFinished(() => postgres.stop('crash'))
  await migrate(postgres.url, { log: pino({ level: 'silent' }) })
  const { db, feed, write, follow } = await openInstance(postgres.url)
  const stream = follow()
  await write('before')
  expect(await stream.take(1)).toEqual(['before'])

  const given = await rolledBack(postgres.url)
  // The feed looks, and sees that nothing runs any more.
  const reads = vi.spyOn(db.pool, 'query')
  db.committed.ring(undefined)
  await expect.poll(() => reads.mock.calls.length, { timeout: 5_000 }).toBeGreaterThan(1)
  const after = feed.position
  await postgres.restart('crash')

  const { rows } = await vi.waitFor(() => db.pool.query(change), { timeout: 10_000 })
  expect(BigInt(rows[0].xact)).toBeLessThanOrEqual(given)
  expect(await stream.take(1)).toEqual(['after'])
  expect(await follow({ after }).take(1)).toEqual(['after'])
  const other = await openInstance(postgres.url)
  expect(await other.follow({ after }).take(1)).toEqual(['after'])
}, 60_000)

const change = `insert into core.changes (topic, subject, payload)
  values ('news', 'all', '{"text":"after"}') returning xact::text`

/** Answers the last number of some transactions that have left nothing. */
async function rolledBack(url: string): Promise<bigint> {
  return withClient(url, async client => {
    let last = 0n
    for (let count = 0; count < 20; count++) {
      await client.query('begin')
      const { rows } = await client.query(change)
      last = BigInt(rows[0].xact)
      await client.query('rollback')
    }
    return last
  })
}
