import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { Dashboard, openBrowser } from './dashboard.ts'
import { define, start } from './work.ts'

let api: Api
let browser: Browser

beforeAll(async () => {
  api = await startApi()
  browser = await openBrowser()
  await define(api.admin, 'token')
  await start(api.admin, 'token')
})
afterAll(async () => {
  await browser.close()
  await api.close()
})

const open = (fragment = '') => Dashboard.open(browser, new URL(api.url).origin, fragment)
const asks = (page: Dashboard) =>
  expect.poll(() => page.page.locator('#sign-in').isVisible()).toBe(true)

async function makeToken(expiresAt?: string) {
  const { createToken } = await api.admin.run(
    graphql(`
      mutation TokenForBrowser($expiresAt: DateTime) {
        createToken(input: { kind: USER, name: "browser", expiresAt: $expiresAt }) {
          secret
          token { id }
        }
      }
    `),
    { expiresAt },
  )
  return createToken
}

describe('the token', () => {
  it('is asked for where there is none, and kept for the next visit', async () => {
    const page = await open()
    await asks(page)
    await page.page.getByLabel('Token').fill(` ${api.admin.token} `)
    await page.page.keyboard.press('Enter')
    await expect.poll(() => page.runs()).toEqual(['token | queued | admin'])
    await page.page.reload()
    await expect.poll(() => page.runs()).toEqual(['token | queued | admin'])
    await page.page.getByRole('button', { name: 'Use another token' }).click()
    await asks(page)
    await page.page.reload()
    await asks(page)
  })

  it('of a link is taken out of the address, also in a page that is open', async () => {
    const page = await open('#token=wrong')
    await asks(page)
    expect(await page.text('#sign-in-reason')).toMatch(/token/)
    await page.page.goto(
      `${new URL(page.page.url()).origin}/examples/dashboard#token=${api.admin.token}`,
    )
    await expect.poll(() => page.runs()).toEqual(['token | queued | admin'])
    expect(page.page.url()).not.toContain('token=')
  })

  it('is asked for again when it was revoked, and none is kept', async () => {
    const { secret, token } = await makeToken()
    const page = await open(`#token=${secret}`)
    await expect.poll(() => page.runs()).toEqual(['token | queued | admin'])
    await page.isLive()
    await api.admin.run(
      graphql(`mutation RevokeForBrowser($id: ID!) { revokeToken(id: $id) { id } }`),
      { id: token.id },
    )
    await asks(page)
    expect(await page.page.locator('main').isVisible()).toBe(false)
    await page.page.reload()
    await asks(page)
  })

  it('is asked for again when it has expired', async () => {
    const expiresAt = new Date(Date.now() + 4_000).toISOString()
    const { secret } = await makeToken(expiresAt)
    const page = await open(`#token=${secret}`)
    await page.isLive()
    await asks(page)
    expect(await page.text('#sign-in-reason')).toMatch(/expired/)
  })
})
