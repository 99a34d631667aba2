import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ask } from '../core/ask.ts'
import type { Env } from '../core/env.ts'
import type { Log } from '../core/log.ts'
import type { ModelServers } from '../llm/upstream.ts'
import { carryOut } from './carry-out.ts'
import { type Claimed, claimMutation, type ProcessesPage, processesQuery } from './documents.ts'
import { HeldRun } from './held-run.ts'

export interface ExecutorOptions {
  ask: Ask
  servers: ModelServers
  log: Log
  /** The name that it gives itself when it claims runs. */
  name: string
  /** How many runs it carries out at once. */
  concurrency: number
  leaseSeconds?: number
  /** Between two looks for runs. */
  pollMs?: number
  /** Before a call of a model is tried again the first time. */
  retryPauseMs?: number
}

const maxHeartbeatMs = 2_000

/** Carries out runs of processes that have a prompt, as a worker of the API like any other. */
export class Executor {
  readonly #options: Required<ExecutorOptions>
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #looking: Promise<void>
  #codes: { at: number; codes: string[] } = { at: Number.NEGATIVE_INFINITY, codes: [] }
  #isFailing = false

  constructor(options: ExecutorOptions) {
    this.#options = { leaseSeconds: 30, pollMs: 1_000, retryPauseMs: 1_000, ...options }
    this.#looking = this.#look()
  }

  /** With the settings of this process, whose name it has. */
  static of(
    env: ModelServers & Pick<Env, 'EXECUTOR_CONCURRENCY' | 'EXECUTOR_LEASE_SECONDS'>,
    { ask, log }: Pick<ExecutorOptions, 'ask' | 'log'>,
  ): Executor {
    const { EXECUTOR_CONCURRENCY: concurrency, EXECUTOR_LEASE_SECONDS: leaseSeconds } = env
    const name = `executor ${hostname()} ${process.pid}`
    return new Executor({ ask, servers: env, log, name, concurrency, leaseSeconds })
  }

  /** Breaks off what it does: each of its runs ends as degraded or failed. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#looking
    await Promise.all(this.#running)
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopping
    const { log, pollMs, concurrency } = this.#options
    while (!signal.aborted) {
      try {
        const max = concurrency - this.#running.size
        const claimed = max > 0 ? await this.#claim(Math.min(max, 100)) : []
        for (const each of claimed) this.#begin(each)
        this.#isFailing = false
      } catch (error) {
        if (!this.#isFailing) log.warn({ err: error }, 'no runs could be claimed')
        this.#isFailing = true
      }
      const isFull = this.#running.size >= concurrency
      // A run that ends makes room for the next one at once.
      const poll = delay(pollMs, undefined, { signal }).catch(() => {})
      await (isFull ? Promise.race([...this.#running, aborted(signal)]) : poll)
    }
  }

  async #claim(max: number): Promise<Claimed[]> {
    const { ask, name: worker, leaseSeconds } = this.#options
    const codes = await this.#prompted()
    if (codes.length === 0) return []
    const variables = { codes, worker, max, leaseSeconds }
    const { claimRuns } = await ask<{ claimRuns: Claimed[] }>(claimMutation, variables)
    return claimRuns
  }

  /** The codes of the processes that it carries out. */
  async #prompted(): Promise<string[]> {
    const { ask, pollMs } = this.#options
    // Processes change seldom.
    if (performance.now() - this.#codes.at < 2 * pollMs) return this.#codes.codes
    const codes: string[] = []
    for (let after: string | null = null; ; ) {
      const page: ProcessesPage = await ask<ProcessesPage>(processesQuery, { after })
      const { edges, pageInfo } = page.processes
      for (const { node } of edges) {
        const { status, promptTemplate, n8nWebhookPath, metadata } = node
        const isOurs = promptTemplate !== null && n8nWebhookPath === null
        if (status === 'ACTIVE' && isOurs && metadata.executor !== false) codes.push(node.code)
      }
      if (!pageInfo.hasNextPage) break
      after = pageInfo.endCursor
    }
    this.#codes = { at: performance.now(), codes }
    return codes
  }

  #begin({ lease, run }: Claimed): void {
    const { ask, servers, leaseSeconds, retryPauseMs, log } = this.#options
    const heartbeatMs = Math.min(maxHeartbeatMs, leaseSeconds * 250)
    const held = new HeldRun(ask, lease, heartbeatMs)
    const stopping = this.#stopping.signal
    const signal = AbortSignal.any([stopping, held.lost])
    const done = carryOut(held, run, { servers, pauseMs: retryPauseMs, signal, stopping })
      .catch(error => log.error({ err: error, run: run.id }, 'a run could not be carried out'))
      .finally(() => {
        held.close()
        this.#running.delete(done)
      })
    this.#running.add(done)
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>(resolve => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
