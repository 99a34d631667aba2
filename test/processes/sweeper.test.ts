import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSweeper, sweepRuns } from '../../src/processes/sweep.ts'
import { type Api, startApi } from '../support/api.ts'
import { eventually } from '../support/raw-eventually.ts'
import { Heartbeat, keyOf, RunCommands } from '../support/run-commands.ts'

let api: Api
let commands: RunCommands
beforeAll(async () => {
  api = await startApi()
  commands = await RunCommands.open(api)
})
afterAll(() => api.close())

const log = pino({ level: 'silent' })

describe('a run whose worker is gone', () => {
  it('is ended by the server itself, when its lease has expired', async () => {
    const { code } = await commands.process()
    const { id } = await commands.start(code)
    const { lease } = await commands.claim(code, 5)
    const sweepers = [startSweeper({ db: api.db, log }), startSweeper({ db: api.db, log })]
    onTestFinished(async () => void (await Promise.all(sweepers.map(one => one.close()))))
    await eventually(async () => (await commands.read(id)).status).toBe('FAILED')
    expect(await commands.worker.verdict(Heartbeat, { lease })).toBe('LEASE_LOST')
    const { events } = await commands.read(id)
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  it('goes on while its lease is renewed', async () => {
    const { id, lease } = await commands.held()
    await commands.worker.run(Heartbeat, { lease })
    await sweepRuns(api.db)
    expect((await commands.read(id)).status).toBe('RUNNING')
  })

  it('is ended once, however many servers look for it', async () => {
    const { code } = await commands.process()
    const ids = await Promise.all(
      Array.from({ length: 120 }, async () => (await commands.start(code)).id),
    )
    await api.db.pool.query(
      `update process_runs set deadline_at = now() - interval '1 s' where id = any($1)`,
      [ids.map(keyOf)],
    )
    const swept = await Promise.all([1, 2, 3].map(() => sweepRuns(api.db)))
    expect(swept.reduce((sum, count) => sum + count)).toBe(120)
    expect(await sweepRuns(api.db)).toBe(0)
    const { rows } = await api.db.pool.query(
      `select count(*)::int from core.changes where topic = 'run' and payload ->> 'to' = 'failed'
        and subject = any($1)`,
      [ids.map(keyOf)],
    )
    expect(rows[0].count).toBe(120)
  })
})

it('looking for what is over its time does not read every run', async () => {
  const { id: process } = await commands.process()
  await api.db.pool.query(
    `insert into process_runs (process_id, deadline_at)
      select $1, now() + interval '1 day' from generate_series(1, 5000)`,
    [keyOf(process)],
  )
  await api.db.pool.query('analyze process_runs')
  const { rows } = await api.db.pool.query(
    `explain select from process_runs r where r.lease_expires_at <= now() or r.deadline_at <= now()
      limit 100 for no key update skip locked`,
  )
  expect(JSON.stringify(rows)).not.toContain('Seq Scan')
})
