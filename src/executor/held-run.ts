import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Ask, AskError } from '../core/ask.ts'
import type { Json } from '../core/json.ts'
import type { ModelCall } from '../llm/chat-failed.ts'
import {
  callMutation,
  finishMutation,
  heartbeatMutation,
  partialMutation,
  stepMutation,
} from './documents.ts'

export interface Step {
  id: string
}

/** Thrown where the run is no longer the executor's: it was cancelled, or its lease has expired. */
export class RunLost extends Error {
  override readonly name = 'RunLost'
}

const partialEveryMs = 500
const isOver = (error: unknown) =>
  error instanceof AskError &&
  (error.code === 'LEASE_LOST' || error.code === 'ILLEGAL_TRANSITION' || error.code === 'FORBIDDEN')
const isPassing = (error: unknown) =>
  error instanceof AskError &&
  (error.code === undefined || error.code === 'SERVICE_BUSY' || error.code === 'TIMEOUT')

/** A run that the executor holds by a lease: what it reports, and how it hears that it has lost it. */
export class HeldRun {
  readonly #ask: Ask
  readonly #lease: string
  readonly #lost = new AbortController()
  readonly #beat: NodeJS.Timeout
  #isBeating = false
  #partial: string | undefined
  // A short answer is there before it would be told of.
  #partialAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<unknown> = Promise.resolve()

  constructor(ask: Ask, lease: string, heartbeatMs: number) {
    this.#ask = ask
    this.#lease = lease
    this.#beat = setInterval(() => void this.#heartbeat(), heartbeatMs)
  }

  /** Aborted when the run is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Does a step, which has failed where `work` throws. */
  async step<Result>(
    key: string,
    work: (step: Step) => Promise<{ result: Result; output?: Json }>,
  ): Promise<Result> {
    const id = await this.#report({ stepKey: key, status: 'RUNNING' })
    try {
      const { result, output } = await work({ id })
      await this.#report({ stepKey: key, status: 'SUCCEEDED', outputPayload: output ?? null })
      return result
    } catch (error) {
      if (error instanceof RunLost) throw error
      await this.#report({ stepKey: key, status: 'FAILED', errorText: (error as Error).message })
      throw error
    }
  }

  /** Records a call of a model. */
  async record(call: ModelCall, step: Step, errorText: string | null): Promise<void> {
    const input = {
      ...call,
      scope: 'process',
      stepId: step.id,
      errorText,
      idempotencyKey: randomUUID(),
    }
    await this.#send(callMutation, { input })
  }

  /** Keeps what there is so far: the last of it, and now and then what came before. */
  partial(text: string): void {
    this.#partial = text
    const pauseMs = Math.max(0, this.#partialAt + partialEveryMs - performance.now())
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#partialAt = performance.now()
      const send = () => this.#send(partialMutation, { result: this.#partial ?? '' })
      // Where the run is lost, the next report says so.
      this.#sending = this.#sending.then(send).then(undefined, () => {})
    }, pauseMs)
  }

  async finish(
    status: 'SUCCEEDED' | 'DEGRADED' | 'FAILED',
    { result = null, errorText = null }: { result?: Json; errorText?: string | null },
  ): Promise<void> {
    clearTimeout(this.#timer)
    await this.#sending
    await this.#send(finishMutation, { status, result, errorText })
  }

  close(): void {
    clearInterval(this.#beat)
    clearTimeout(this.#timer)
  }

  async #report(input: { [name: string]: Json }): Promise<string> {
    const { reportStep } = await this.#send<{ reportStep: { id: string } }>(stepMutation, { input })
    return reportStep.id
  }

  async #heartbeat(): Promise<void> {
    if (this.#isBeating) return
    this.#isBeating = true
    try {
      await this.#ask(heartbeatMutation, { lease: this.#lease })
    } catch (error) {
      // A server that is away may come back before the lease has expired.
      if (isOver(error)) this.#lost.abort()
    } finally {
      this.#isBeating = false
    }
  }

  /** Again where the server is away or busy, while the lease may hold. @throws RunLost */
  async #send<Data>(document: string, variables: { [name: string]: Json }): Promise<Data> {
    for (let pauseMs = 100; ; pauseMs = Math.min(5_000, 2 * pauseMs)) {
      if (this.lost.aborted) throw new RunLost()
      try {
        return await this.#ask<Data>(document, { ...variables, lease: this.#lease })
      } catch (error) {
        if (isOver(error)) this.#giveUp(error)
        if (!isPassing(error)) throw error
        await delay(pauseMs, undefined, { signal: this.lost }).catch(() => {})
      }
    }
  }

  #giveUp(error: unknown): never {
    this.#lost.abort()
    throw new RunLost(undefined, { cause: error })
  }
}
