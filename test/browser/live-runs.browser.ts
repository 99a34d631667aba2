import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { Dashboard, openBrowser } from './dashboard.ts'
import { define, start, Work } from './work.ts'

let api: Api
let browser: Browser
let worker: Client
let ann: Client

beforeAll(async () => {
  api = await startApi()
  browser = await openBrowser()
  worker = await api.signUp('robot', { kind: 'WORKER' })
  ann = await api.signUp('ann')
})
afterAll(async () => {
  await browser.close()
  await api.close()
})

const open = (client = api.admin, more = '') =>
  Dashboard.open(browser, new URL(api.url).origin, `#token=${client.token}${more}`)

describe('the list of runs', () => {
  it('shows a run as it comes, and what becomes of it', async () => {
    await define(api.admin, 'list')
    const page = await open()
    await page.isLive()
    await page.filterProcess('list')
    await start(api.admin, 'list')
    await expect.poll(() => page.runs()).toEqual(['list | queued | admin'])
    await start(ann, 'list')
    await expect.poll(() => page.runs()).toEqual(['list | queued | ann', 'list | queued | admin'])
    const work = await Work.claim(worker, 'list')
    await expect.poll(() => page.runs()).toEqual(['list | queued | ann', 'list | running | admin'])
    await work.finish('SUCCEEDED', { result: 1 })
    await expect
      .poll(() => page.runs())
      .toEqual(['list | queued | ann', 'list | succeeded | admin'])
  })

  it('has only what its viewer may see', async () => {
    await define(api.admin, 'own')
    await start(api.admin, 'own')
    const page = await open(ann)
    await expect.poll(() => page.text('#viewer')).toBe('ann, user')
    await page.filterProcess('own')
    await start(api.admin, 'own')
    await start(ann, 'own')
    await expect.poll(() => page.runs()).toEqual(['own | queued | ann'])
  })

  it('can be that of some statuses, which runs come into and leave', async () => {
    await define(api.admin, 'filter')
    await start(api.admin, 'filter')
    const page = await open()
    await page.filterProcess('filter')
    await page.page.getByLabel('running').check()
    await expect.poll(() => page.text('#no-runs')).toBe('There are no such runs.')
    const work = await Work.claim(worker, 'filter')
    await expect.poll(() => page.runs()).toEqual(['filter | running | admin'])
    await page.page.getByLabel('failed').check()
    await work.finish('FAILED', { errorText: 'no' })
    await expect.poll(() => page.runs()).toEqual(['filter | failed | admin'])
    await page.page.getByLabel('failed').uncheck()
    await expect.poll(() => page.runs()).toEqual([])
  })

  it('goes on to older runs, and what becomes of them', async () => {
    await define(api.admin, 'older')
    for (let n = 0; n < 60; n++) await start(api.admin, 'older')
    const page = await open()
    await page.filterProcess('older')
    await expect.poll(async () => (await page.runs()).length).toBe(50)
    await Work.claim(worker, 'older')
    await page.page.getByRole('button', { name: 'Show older runs' }).click()
    await expect.poll(async () => (await page.runs()).length).toBe(60)
    await expect.poll(async () => (await page.runs()).at(-1)).toBe('older | running | admin')
    await Work.claim(worker, 'older')
    await expect.poll(async () => (await page.runs()).at(-2)).toBe('older | running | admin')
  })
})

describe('a run', () => {
  it('shows its steps, artifacts, results and events as they come', async () => {
    await define(api.admin, 'run', 'A process')
    await start(api.admin, 'run', 'What now?')
    const page = await open()
    await page.choose('run')
    expect(await page.text('#input-text pre')).toBe('What now?')
    const work = await Work.claim(worker, 'run')
    await expect.poll(() => page.text('#run-title')).toBe('A process: running')
    await work.step('fetch', 'RUNNING')
    await expect.poll(() => page.steps()).toEqual(['fetch | running'])
    await work.step('fetch', 'SUCCEEDED', { output: { found: 3 } })
    await work.step('write', 'RUNNING')
    await expect.poll(() => page.steps()).toEqual(['fetch | succeeded', 'write | running'])
    await page.page.locator('#steps summary').first().click()
    await expect.poll(() => page.text('#steps [open] pre')).toContain('"found": 3')
    await work.artifact('report', 'All is well.')
    await page.page.locator('#artifacts summary').click()
    await expect.poll(() => page.text('#artifacts pre')).toBe('All is well.')
    await work.llmCall(
      'gpt',
      { prompt: 'Write!' },
      { usage: { prompt_tokens: 7, completion_tokens: 9 } },
    )
    await expect.poll(() => page.text('#llm-calls tbody tr')).toContain('gpt200, 120 ms7 + 9')
    await page.page.locator('#llm-calls summary').click()
    await expect.poll(() => page.text('#llm-calls pre')).toContain('"prompt": "Write!"')
    await work.partialResult({ half: true })
    await expect.poll(() => page.text('#partial-result pre')).toContain('"half": true')
    await work.step('write', 'FAILED', { errorText: 'no disk' })
    await work.finish('DEGRADED', { result: 'half of it', errorText: 'no disk' })
    await expect.poll(() => page.text('#result pre')).toBe('half of it')
    await expect
      .poll(() => page.events())
      .toEqual([
        'running → degraded: no disk',
        'step write: failed: no disk',
        'partial result: {\n  "half": true\n}',
        'LLM call: gpt',
        'artifact: report',
        'step write: running',
        'step fetch: succeeded',
        'step fetch: running',
        'queued → running',
        'queued',
      ])
  })

  it('shows the same to who opens it later, by a link of its own', async () => {
    await define(api.admin, 'later')
    const id = await start(api.admin, 'later')
    const work = await Work.claim(worker, 'later')
    for (let n = 0; n < 60; n++) {
      await work.step(`step ${n}`, 'RUNNING')
      await work.step(`step ${n}`, 'SUCCEEDED')
    }
    const page = await open(api.admin, `&run=${encodeURIComponent(id)}`)
    await expect.poll(async () => (await page.steps()).length).toBe(60)
    // Of 122 events, the last hundred.
    await expect.poll(async () => (await page.events()).length).toBe(100)
    await work.finish('SUCCEEDED', { result: [1] })
    await expect.poll(async () => (await page.events())[0]).toBe('running → succeeded')
    await expect.poll(() => page.text('#result pre')).toContain('1')
    expect(await page.page.getByRole('link', { name: 'later' }).getAttribute('aria-current')).toBe(
      'true',
    )
  })

  it('that is not there, or not to be seen, says so', async () => {
    await define(api.admin, 'hidden')
    const id = await start(api.admin, 'hidden')
    const page = await open(ann, `&run=${encodeURIComponent(id)}`)
    await expect.poll(() => page.text('#run-problem')).toMatch(/^There is no such run/)
    expect(page.page.url()).not.toContain('token')
  })
})
