import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { SeededRuns } from '../support/seeded-runs.ts'
import { Dashboard, openBrowser } from './dashboard.ts'
import { define, start, Work } from './work.ts'

let api: Api
let browser: Browser
let worker: Client

beforeAll(async () => {
  api = await startApi()
  browser = await openBrowser()
  worker = await api.signUp('robot', { kind: 'WORKER' })
})
afterAll(async () => {
  await browser.close()
  await api.close()
})

async function openRun(code: string) {
  await define(api.admin, code)
  await start(api.admin, code)
  const page = await Dashboard.open(browser, new URL(api.url).origin, `#token=${api.admin.token}`)
  await page.choose(code)
  return { page, work: await Work.claim(worker, code) }
}

async function recordCall(run: string): Promise<void> {
  const seed = new SeededRuns(api)
  const id = Buffer.from(run, 'base64url').toString().split(':')[1] ?? ''
  await seed.happen(id, { type: 'llmCall', llmCallId: await seed.llmCall({ run: id }) })
}

async function cancel(id: string): Promise<void> {
  await api.admin.run(
    graphql(`mutation CancelForBrowser($id: ID!) { cancelRun(id: $id) { id } }`),
    { id },
  )
}

describe('a question', () => {
  it('is answered with a text', async () => {
    const { page, work } = await openRun('text')
    await work.ask('Which one?')
    await expect.poll(() => page.text('#prompt')).toBe('Which one?')
    await page.answer('text', '42')
    await expect.poll(() => page.text('#answered pre')).toBe('42')
    expect(await page.page.locator('#answer-form').isVisible()).toBe(false)
    await expect
      .poll(() => page.events())
      .toEqual([
        'waiting user → running',
        'answered: 42',
        'asked: Which one?',
        'running → waiting user',
        'queued → running',
        'queued',
      ])
  })

  it('is answered with JSON, which has to meet its schema', async () => {
    const { page, work } = await openRun('json')
    await work.ask('How many?', { type: 'integer', maximum: 3 })
    await expect.poll(() => page.text('#prompt')).toBe('How many?')
    await page.answer('JSON', '{')
    await expect.poll(() => page.text('#answer-problem')).toMatch(/^This is no JSON/)
    await page.answer('JSON', '12345678901234567890')
    await expect.poll(() => page.text('#answer-problem')).toMatch(/^A number is too large/)
    await page.answer('JSON', '4')
    await expect.poll(() => page.text('#answer-problem')).toMatch(/3/)
    await page.answer('JSON', '3')
    await expect.poll(() => page.text('#answered pre')).toBe('3')
  })

  it('keeps the answer that is being written while other things happen, and is asked once more', async () => {
    const { page, work } = await openRun('twice')
    await work.step('ask', 'RUNNING')
    await work.ask('First?')
    await page.page.getByLabel('Answer').fill('half an ans')
    await recordCall(page.runId())
    await expect.poll(async () => (await page.events())[0]).toBe('LLM call: m')
    expect(await page.page.getByLabel('Answer').inputValue()).toBe('half an ans')
    await page.answer('text', 'one')
    await expect.poll(() => page.text('#answered pre')).toBe('one')
    const again = await Work.claim(worker, 'twice')
    await again.ask('Second?')
    await expect.poll(() => page.text('#prompt')).toBe('Second?')
    expect(await page.page.getByLabel('Answer').inputValue()).toBe('')
    await page.answer('text', 'two')
    await expect.poll(() => page.text('#answered pre')).toBe('two')
  })

  it('is gone from the page when the run is', async () => {
    const { page, work } = await openRun('cancelled')
    await work.ask('Still there?')
    await page.page.locator('#answer-form').waitFor()
    await cancel(page.runId())
    await expect.poll(() => page.text('#run-title')).toBe('cancelled: cancelled')
    expect(await page.page.locator('#answer-form').isVisible()).toBe(false)
  })
})
