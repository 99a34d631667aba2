import { setTimeout as delay } from 'node:timers/promises'
import type { Caller, Viewer } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { DomainError } from '../core/errors.ts'
import { writeGlobalId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { Loaders } from '../core/loaders.ts'
import type { Log } from '../core/log.ts'
import { type ClaimedRun, claimRuns } from '../processes/claim.ts'
import { finishRun } from '../processes/finish.ts'
import { reportStep } from '../processes/report-step.ts'
import { ExecutionWatch } from './execution-watch.ts'
import { N8nApi, N8nFailed } from './n8n-api.ts'
import {
  acceptRun,
  dispatchedRun,
  forgetExecution,
  hasReported,
  n8nCodes,
  dispatchStep as stepKey,
} from './n8n-runs.sql.ts'

export interface DispatcherOptions {
  db: Database
  /** In whose name runs are claimed. */
  viewer: Viewer
  n8n: { url: string; apiKey: string | undefined }
  /** Where n8n reports. */
  callbackUrl: string
  log: Log
  /** Between two looks for runs. */
  pollMs?: number
  /** Before a webhook is tried again the first time. */
  retryPauseMs?: number
  /** Between two looks at executions. */
  watchMs?: number
}

/** Until n8n has a run; after that n8n has to say something every so often. */
const dispatchSeconds = 120
const silenceSeconds = 900
const maxAttempts = 5
const maxAtOnce = 20
const maxPauseMs = 20_000

/** Hands runs of processes that have a webhook over to n8n, each once over all instances. */
export class Dispatcher {
  readonly #options: Required<DispatcherOptions>
  readonly #n8n: N8nApi
  readonly #watch: ExecutionWatch
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #looking: Promise<void>

  constructor(options: DispatcherOptions) {
    this.#options = { pollMs: 1_000, retryPauseMs: 1_000, watchMs: 5_000, ...options }
    const { n8n, watchMs } = this.#options
    this.#n8n = new N8nApi(n8n.url, n8n.apiKey)
    this.#watch = new ExecutionWatch({ ...this.#options, n8n: this.#n8n, everyMs: watchMs })
    this.#looking = this.#look()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
    await Promise.all(this.#running)
    await this.#watch.close()
  }

  get #caller(): Caller {
    const { db, viewer } = this.#options
    return { db, viewer, loaders: new Loaders() }
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopping
    const { db, log, pollMs } = this.#options
    for (let isFailing = false; !signal.aborted; ) {
      try {
        const codes = await n8nCodes(db)
        const max = maxAtOnce - this.#running.size
        const claim = { processCodes: codes, worker: 'n8n', max, leaseSeconds: dispatchSeconds }
        const claimed = codes.length > 0 && max > 0 ? await claimRuns(this.#caller, claim) : []
        for (const each of claimed) this.#begin(each)
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, 'runs for n8n could not be claimed')
        isFailing = true
      }
      await delay(pollMs, undefined, { signal }).catch(() => {})
    }
  }

  #begin(claimed: ClaimedRun): void {
    const done = this.#dispatch(claimed)
      .catch(error => {
        // The run was cancelled meanwhile.
        if (error instanceof DomainError) return
        this.#options.log.error({ err: error, run: claimed.run.id }, 'n8n could not be given a run')
      })
      .finally(() => this.#running.delete(done))
    this.#running.add(done)
  }

  async #dispatch({ run, lease }: ClaimedRun): Promise<void> {
    const { db, callbackUrl } = this.#options
    await forgetExecution(db, lease)
    await reportStep(this.#caller, lease, { stepKey, status: 'running' })
    try {
      const told = await dispatchedRun(db, run.id)
      if (!told?.webhookPath) throw new N8nFailed('The process has no webhook any more.', false)
      const { webhookPath, inputPayload, answer, ...rest } = told
      const body: Json = {
        run: {
          id: writeGlobalId('ProcessRun', run.id),
          ...rest,
          inputPayload: parsed(inputPayload),
          answer: parsed(answer),
        },
        callback: { url: callbackUrl, token: lease },
      }
      const { executionId, attempts } = await this.#send(webhookPath, body, lease)
      await acceptRun(db, lease, executionId, silenceSeconds)
      await this.#endStep(lease, { attempts, executionId })
    } catch (error) {
      if (!(error instanceof N8nFailed)) throw error
      const errorText = this.#stopping.signal.aborted
        ? 'The server was stopped before n8n had the run.'
        : error.message
      await reportStep(this.#caller, lease, { stepKey, status: 'failed', errorText })
      await finishRun(this.#caller, { lease, status: 'failed', errorText })
    }
  }

  /** A workflow can have ended the run before its webhook has answered; that is no failure. */
  async #endStep(lease: string, outputPayload: Json): Promise<void> {
    try {
      await reportStep(this.#caller, lease, { stepKey, status: 'succeeded', outputPayload })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }

  async #send(
    path: string,
    body: Json,
    lease: string,
  ): Promise<{ executionId: string | null; attempts: number }> {
    const { signal } = this.#stopping
    for (let attempt = 1; ; attempt++) {
      try {
        return { executionId: await this.#n8n.start(path, body, signal), attempts: attempt }
      } catch (error) {
        if (!(error instanceof N8nFailed) || !error.isPassing) throw error
        // It was slow to answer only, and must not begin twice.
        if (await hasReported(this.#options.db, lease))
          return { executionId: null, attempts: attempt }
        if (attempt === maxAttempts || signal.aborted) {
          throw new N8nFailed(`${error.message} (${attempt} attempts)`, false)
        }
        const pause = this.#options.retryPauseMs * 2 ** (attempt - 1)
        const pauseMs = Math.min(maxPauseMs, Math.max(pause, error.retryAfterMs))
        await delay(pauseMs, undefined, { signal }).catch(() => {})
      }
    }
  }
}

const parsed = (text: string | null): Json => (text === null ? null : JSON.parse(text))
