import type { Json } from '../core/json.ts'
import { heldJson } from '../core/json-text.ts'

interface Refusal {
  retryAfterMs?: number
  status?: number
}

/** n8n did not take what it was sent. */
export class N8nFailed extends Error {
  override readonly name = 'N8nFailed'
  /** Whether the same may succeed a little later. */
  readonly isPassing: boolean
  readonly retryAfterMs: number
  /** Undefined where n8n has not answered. */
  readonly status: number | undefined

  constructor(message: string, isPassing: boolean, { retryAfterMs = 0, status }: Refusal = {}) {
    super(message)
    this.isPassing = isPassing
    this.retryAfterMs = retryAfterMs
    this.status = status
  }
}

const patienceMs = 15_000
const maxAnswer = 16 << 20

/** n8n at its address: webhooks, and with a key of its API the executions. */
export class N8nApi {
  readonly #base: string
  readonly #key: string | undefined

  constructor(base: string, key: string | undefined) {
    this.#base = base.replace(/\/+$/, '')
    this.#key = key
  }

  get hasKey(): boolean {
    return this.#key !== undefined
  }

  /**
   * Starts a workflow by its webhook, and answers the id of the execution where n8n tells it.
   * @throws N8nFailed
   */
  async start(path: string, body: Json, signal: AbortSignal): Promise<string | null> {
    const segments = path.split('/').filter(segment => segment !== '')
    if (segments.length === 0 || segments.some(segment => segment === '.' || segment === '..')) {
      throw new N8nFailed('n8nWebhookPath is no path of a webhook.', false)
    }
    const url = `${this.#base}/webhook/${segments.map(encodeURIComponent).join('/')}`
    const response = await this.#send(url, signal, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return executionIdIn(await response.text())
  }

  /** The execution with its data; undefined where n8n does not know it. @throws N8nFailed */
  async execution(id: string, signal: AbortSignal): Promise<Json | undefined> {
    const url = `${this.#base}/api/v1/executions/${encodeURIComponent(id)}?includeData=true`
    try {
      const text = await (await this.#send(url, signal, { headers: this.#headers })).text()
      if (text.length > maxAnswer) throw new N8nFailed('The execution is too large to read.', false)
      return heldJson(text)
    } catch (error) {
      // Also where the key may not see the workflow.
      if (error instanceof N8nFailed && error.status === 404) return undefined
      throw error
    }
  }

  /** Stops an execution; one that has ended stays as it is. @throws N8nFailed */
  async stop(id: string, signal: AbortSignal): Promise<void> {
    const url = `${this.#base}/api/v1/executions/${encodeURIComponent(id)}/stop`
    await this.#send(url, signal, { method: 'POST', headers: this.#headers })
  }

  get #headers(): Record<string, string> {
    return this.#key === undefined ? {} : { 'x-n8n-api-key': this.#key }
  }

  async #send(url: string, signal: AbortSignal, init: RequestInit): Promise<Response> {
    let response: Response
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
      response = await fetch(url, { ...init, redirect: 'manual', signal: patience })
    } catch (error) {
      const { cause, message } = error as Error
      const reason = cause instanceof Error ? cause.message : message
      throw new N8nFailed(`n8n cannot be reached: ${reason}`, true)
    }
    if (response.ok) return response
    const { status } = response
    const said = (await response.text().catch(() => '')).trim().slice(0, 500)
    // A workflow that is not active yet has no webhook.
    const isPassing = [404, 408, 429].includes(status) || status >= 500
    const retryAfter = Number(response.headers.get('retry-after') ?? 0)
    const retryAfterMs = Number.isFinite(retryAfter) ? retryAfter * 1_000 : 0
    throw new N8nFailed(`n8n answered ${status}${said && `: ${said}`}`, isPassing, {
      retryAfterMs,
      status,
    })
  }
}

/** It becomes part of an address. */
export const isExecutionId = (id: string) => /^[\w-]{1,100}$/.test(id)

/** As a node «Respond to Webhook» can answer it, under either name. */
function executionIdIn(text: string): string | null {
  try {
    const { executionId, execution_id: other } = Object(JSON.parse(text))
    const id = executionId ?? other
    return isExecutionId(String(id)) ? String(id) : null
  } catch {
    return null
  }
}
