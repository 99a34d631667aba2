import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { Dashboard, openBrowser } from './dashboard.ts'
import { define, start, Work } from './work.ts'

let api: Api
let browser: Browser

beforeAll(async () => {
  api = await startApi()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await api.close()
})

const attack = `"'><img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`
const others = `</script></pre><a href="javascript:document.title='broken'">&lt;b&gt;</a>\u202e\${attack}`

it('texts of a run are shown as they are, wherever they stand', async () => {
  const worker = await api.signUp('robot', { kind: 'WORKER' })
  await define(api.admin, attack, attack)
  await start(api.admin, attack, attack)
  const page = await Dashboard.open(browser, new URL(api.url).origin, `#token=${api.admin.token}`)
  await page.choose(attack)
  const work = await Work.claim(worker, attack, attack)
  await work.step(attack, 'RUNNING')
  await work.step(attack, 'FAILED', { errorText: others, output: { [attack]: others } })
  await work.artifact(attack, others)
  await work.partialResult(attack)
  await work.ask(attack, { title: attack })
  await expect.poll(() => page.text('#prompt')).toBe(attack)
  await page.answer('text', attack)
  await expect.poll(() => page.text('#answered pre')).toBe(attack)
  const again = await Work.claim(worker, attack, attack)
  await again.finish('DEGRADED', { result: { [attack]: [others] }, errorText: attack })
  await expect.poll(() => page.text('#run-title')).toBe(`${attack}: degraded`)

  for (const summary of await page.page.locator('summary:visible').all()) await summary.click()
  await expect.poll(() => page.text('#steps pre')).toContain('javascript:document')
  await expect.poll(() => page.text('#artifacts pre')).toBe(others)
  for (const place of ['#steps th[scope=row]', '#artifacts th[scope=row]', '#input-text pre']) {
    expect(await page.text(place)).toBe(attack)
  }
  expect(await page.page.locator('#process-filter option').allTextContents()).toContain(attack)
  expect(await page.runs()).toEqual([`${attack} | degraded | admin`])
  expect((await page.events()).join('\n')).toContain(`asked: ${attack}`)

  // None of it has become an element, an attribute that acts, or a link elsewhere.
  const made = page.page.locator('img, b, a:not([href^="#run="]), main script, [onerror]')
  expect(await made.count()).toBe(0)
  expect(await page.page.title()).toBe('Runs – Engraph')
})
