import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/core/database.ts'
import { Scheduler } from '../../src/schedules/scheduler.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { Cancel, CreateProcess, Rerun, UpdateProcess } from '../support/run-commands.ts'

const log = pino({ level: 'silent' })

let api: Api
const opened: { close(): Promise<void> }[] = []
beforeAll(async () => {
  api = await startApi()
  opened.push(api)
  // As two instances have them.
  for (let n = 0; n < 2; n++) {
    const db = await openDatabase(api.databaseUrl, { maxConnections: 2, log })
    opened.push(db, new Scheduler({ db, log }))
  }
})
afterAll(async () => {
  for (let part = opened.pop(); part; part = opened.pop()) await part.close()
})

const Scheduled = graphql(`
  query ScheduledRuns($code: String!) {
    process(code: $code) { nextRunAt }
    runs(first: 100, filter: { processCodes: [$code] }, orderBy: { field: CREATED_AT, direction: ASC }) {
      edges { node { id status scheduledFor inputText inputPayload requestedBy { login } } }
    }
  }
`)

async function read(code: string) {
  const { process, runs } = await api.admin.run(Scheduled, { code })
  return { nextRunAt: process?.nextRunAt ?? null, runs: runs.edges.map(({ node }) => node) }
}

const define = async (code: string, schedule: object, more: object = {}) =>
  (
    await api.admin.run(CreateProcess, {
      input: { code, name: code, status: 'ACTIVE', autoRun: true, metadata: { schedule }, ...more },
    })
  ).createProcess

const patience = { timeout: 10_000, interval: 100 }
const everySecond = '* * * * * *'

describe('a process with a schedule', () => {
  it('starts by itself, each time once over all instances', async () => {
    const process = await define('every second', {
      cron: everySecond,
      overlap: 'queue',
      inputText: 'tick',
      inputPayload: { a: 1 },
    })
    await expect
      .poll(async () => (await read('every second')).runs.length, patience)
      .toBeGreaterThan(3)
    await api.admin.run(UpdateProcess, { id: process.id, input: { autoRun: false } })
    const { runs } = await read('every second')
    const times = runs.map(({ scheduledFor }) => Date.parse(scheduledFor ?? ''))
    const [first = 0] = times
    expect(times).toEqual(times.map((_time, n) => first + n * 1_000))
    expect(runs[0]).toMatchObject({
      status: 'QUEUED',
      inputText: 'tick',
      inputPayload: { a: 1 },
      requestedBy: null,
    })
  })

  it('starts nothing while the last run that it started has not ended', async () => {
    const process = await define('no pile', { cron: everySecond })
    await expect.poll(async () => (await read('no pile')).runs.length, patience).toBe(1)
    const [first] = (await read('no pile')).runs
    // Another process is started twice meanwhile.
    await define('witness', { cron: everySecond, overlap: 'queue' })
    await expect.poll(async () => (await read('witness')).runs.length, patience).toBeGreaterThan(1)
    expect((await read('no pile')).runs).toHaveLength(1)
    await api.admin.run(Cancel, { id: first?.id ?? '' })
    await expect.poll(async () => (await read('no pile')).runs.length, patience).toBe(2)
    await api.admin.run(UpdateProcess, { id: process.id, input: { status: 'ARCHIVED' } })
  })

  it('starts nothing while it is paused, a draft or switched off, and says no next time', async () => {
    await define('paused', { cron: everySecond }, { status: 'PAUSED' })
    await define('draft', { cron: everySecond }, { status: 'DRAFT' })
    await define('off', { cron: everySecond }, { autoRun: false })
    await define('witness too', { cron: everySecond, overlap: 'queue' })
    await expect
      .poll(async () => (await read('witness too')).runs.length, patience)
      .toBeGreaterThan(1)
    for (const code of ['paused', 'draft', 'off']) {
      expect(await read(code)).toEqual({ nextRunAt: null, runs: [] })
    }
  })

  it('says when it starts next', async () => {
    await define('yearly', { cron: '0 0 1 1 *', timeZone: 'Asia/Tokyo' })
    const { nextRunAt } = await read('yearly')
    expect(nextRunAt).toMatch(/^\d{4}-12-31T15:00:00.000Z$/)
    expect(Date.parse(nextRunAt ?? '')).toBeGreaterThan(Date.now())
  })

  it('can be started anew by an administrator, who is the requester then', async () => {
    await define('again', { cron: everySecond })
    await expect.poll(async () => (await read('again')).runs.length, patience).toBe(1)
    const [run] = (await read('again')).runs
    const { rerun } = await api.admin.run(Rerun, { id: run?.id ?? '' })
    expect(rerun.rerunOf?.id).toBe(run?.id)
    expect((await read('again')).runs.at(-1)).toMatchObject({
      scheduledFor: null,
      requestedBy: { login: 'admin' },
    })
  })

  it('is refused without one, and with one that cannot be kept', async () => {
    const input = { code: 'wrong', name: 'wrong', autoRun: true }
    expect(await api.admin.refused(CreateProcess, { input })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.autoRun',
    })
    const metadata = { schedule: { cron: '0 0 30 2 *' } }
    expect(await api.admin.refused(CreateProcess, { input: { ...input, metadata } })).toMatchObject(
      {
        code: 'BAD_USER_INPUT',
        field: 'input.metadata',
      },
    )
    const process = await define('kept', { cron: '0 0 1 1 *' })
    expect(
      await api.admin.refused(UpdateProcess, { id: process.id, input: { metadata: {} } }),
    ).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.autoRun' })
    expect((await read('kept')).nextRunAt).not.toBeNull()
  })
})
