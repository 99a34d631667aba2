import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { Dashboard, openBrowser } from './dashboard.ts'
import { WatchedServer } from './watched-server.ts'
import { define, start, Work } from './work.ts'

let api: Api
let server: WatchedServer
let browser: Browser
let worker: Client

beforeAll(async () => {
  api = await startApi()
  server = await WatchedServer.beside(api)
  browser = await openBrowser()
  worker = await api.signUp('robot', { kind: 'WORKER' })
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await api.close()
})

/** The dashboard with a run of this process opened, whose worker has it in hand. */
async function openRun(code: string) {
  await define(api.admin, code)
  await start(api.admin, code)
  const work = await Work.claim(worker, code)
  const page = await Dashboard.open(browser, server.origin, `#token=${api.admin.token}`)
  await page.filterProcess(code)
  await page.choose(code)
  await page.isLive()
  await expect.poll(() => page.events()).toEqual(['queued → running', 'queued'])
  return { page, work }
}

/**
 * Reloads the page with a clock that stands still. What is answered reads from the page again and again,
 * a little later by its clock each time: less than it ever waits before it connects anew.
 */
async function stopClock(page: Dashboard, code: string) {
  const { clock } = page.page
  await clock.install()
  await page.page.reload()
  await page.filterProcess(code)
  await page.isLive()
  await expect.poll(() => page.events()).toEqual(['queued → running', 'queued'])
  await clock.pauseAt(Date.now() + 1_000)
  return <Read>(read: () => Promise<Read>) =>
    expect.poll(
      async () => {
        await clock.runFor(200)
        return read()
      },
      { interval: 1, timeout: 20_000 },
    )
}

describe('after the sockets were cut', () => {
  it('the page has what happened meanwhile, once and in order', async () => {
    const { page, work } = await openRun('cut')
    const later = await stopClock(page, 'cut')
    const expected = ['queued → running', 'queued']
    for (let n = 0; n < 20; n++) {
      server.wire.cut()
      await work.step(`step ${n}`, 'RUNNING')
      await start(api.admin, 'cut')
      expected.unshift(`step step ${n}: running`)
      await later(() => page.events()).toEqual(expected)
      await later(async () => (await page.runs()).length).toBe(n + 2)
    }
    await page.isLive()
  })

  it('the page goes on from its last change, and does not read the list anew', async () => {
    const { page, work } = await openRun('cursor')
    const sent: string[] = []
    page.page.on('websocket', socket =>
      socket.on('framesent', ({ payload }) => sent.push(String(payload))),
    )
    server.wire.cut()
    await work.finish('SUCCEEDED')
    await expect.poll(() => page.runs()).toEqual(['cursor | succeeded | admin'])
    const operations = sent.flatMap(
      message => /(?:query|subscription) (\w+)/.exec(message)?.[1] ?? [],
    )
    expect(operations.toSorted()).toEqual(['RunChanges', 'RunEvents'])
  })

  it('a network that fell silent is noticed', async () => {
    const { page, work } = await openRun('silent')
    const later = await stopClock(page, 'silent')
    server.wire.silence()
    await work.step('unseen', 'RUNNING')
    await page.page.clock.runFor(20_000)
    await later(() => page.connection()).toBe('Reconnecting…')
    await later(() => page.steps()).toEqual(['unseen | running'])
  })
})

describe('after the server was closed and started again', () => {
  it('the page has what happened meanwhile', async () => {
    const { page, work } = await openRun('away')
    await server.awayDuring(async () => {
      await expect.poll(() => page.connection()).toMatch(/^Reconnecting…/)
      await work.step('unseen', 'RUNNING')
      await work.step('unseen', 'SUCCEEDED')
      await start(api.admin, 'away')
      await work.finish('SUCCEEDED', { result: 'well' })
    })
    await expect
      .poll(() => page.runs())
      .toEqual(['away | queued | admin', 'away | succeeded | admin'])
    await expect
      .poll(() => page.events())
      .toEqual([
        'running → succeeded',
        'step unseen: succeeded',
        'step unseen: running',
        'queued → running',
        'queued',
      ])
    expect(await page.text('#result pre')).toBe('well')
    await page.isLive()
  })

  it('the page reads anew where its place is no longer kept', async () => {
    const { page, work } = await openRun('trimmed')
    await server.awayDuring(async () => {
      await work.step('unseen', 'RUNNING')
      await start(api.admin, 'trimmed')
      await work.finish('FAILED', { errorText: 'no' })
      await forgetChanges()
    })
    await expect
      .poll(() => page.runs())
      .toEqual(['trimmed | queued | admin', 'trimmed | failed | admin'])
    await expect.poll(() => page.steps()).toEqual(['unseen | failed'])
    expect(await page.events()).toEqual([])
    const again = await Work.claim(worker, 'trimmed')
    await again.finish('SUCCEEDED')
    await expect.poll(async () => (await page.runs())[0]).toBe('trimmed | succeeded | admin')
    expect(await page.text('#problem')).toBe('')
  })
})

/** As the retention does with what has become old. */
async function forgetChanges(): Promise<void> {
  await api.db.pool.query(
    `with gone as (delete from core.changes returning xact)
      update core.change_log set trimmed = (select xact from gone order by xact desc limit 1)`,
  )
}
