import { type Browser, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/** As quiet as it can be: nothing that is not the page's may reach out. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: flags,
  })

/** What somebody sees who looks at the dashboard. */
export class Dashboard {
  readonly page: Page
  /** What went wrong in the page, its policy included. */
  readonly errors: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.setDefaultTimeout(15_000)
    page.on('pageerror', error => this.errors.push(String(error)))
    page.on('console', message => {
      const isOfSocket = message.text().startsWith('WebSocket connection to')
      if (message.type() === 'error' && !isOfSocket) this.errors.push(message.text())
    })
  }

  /** The test fails when anything goes wrong in the page. */
  static async open(browser: Browser, origin: string, fragment: string): Promise<Dashboard> {
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC' })
    const dashboard = new Dashboard(await context.newPage())
    onTestFinished(async () => {
      await context.close()
      expect(dashboard.errors).toEqual([])
    })
    await dashboard.page.goto(`${origin}/examples/dashboard${fragment}`)
    return dashboard
  }

  /** The rows of the list: process, status and who. */
  runs(): Promise<string[]> {
    return this.#rows('#runs', 3)
  }

  /** The steps of the chosen run: key and status. */
  steps(): Promise<string[]> {
    return this.#rows('#steps', 2)
  }

  /** What happened in the chosen run, the newest first. */
  events(): Promise<string[]> {
    return this.page.locator('#events li bdi').allTextContents()
  }

  connection(): Promise<string | null> {
    return this.page.locator('#connection').textContent()
  }

  text(selector: string): Promise<string | null> {
    return this.page.locator(selector).textContent()
  }

  async isLive(): Promise<void> {
    await expect.poll(() => this.connection()).toBe('Live')
  }

  /** Opens the newest run of a process. */
  async choose(code: string): Promise<void> {
    await this.page.getByRole('link', { name: code, exact: true }).first().click()
    await this.page.locator('#run-content').waitFor()
  }

  async filterProcess(code: string): Promise<void> {
    await this.page
      .locator(`#process-filter option[value="${code}"]`)
      .waitFor({ state: 'attached' })
    await this.page.getByLabel('Process').selectOption(code)
  }

  /** Sends the form below the question. */
  async answer(kind: 'text' | 'JSON', answer: string): Promise<void> {
    await this.page.getByLabel('Answer').fill(answer)
    await this.page.getByLabel(kind, { exact: true }).check()
    await this.page.getByRole('button', { name: 'Answer' }).click()
  }

  /** The global id of the run that is shown. */
  runId(): string {
    return new URLSearchParams(new URL(this.page.url()).hash.slice(1)).get('run') ?? ''
  }

  async #rows(table: string, cells: number): Promise<string[]> {
    const rows = await this.page.locator(`${table} tbody tr`).allInnerTexts()
    return rows.map(row => row.split('\t').slice(0, cells).join(' | '))
  }
}
