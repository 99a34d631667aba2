import { setTimeout as delay } from 'node:timers/promises'
import { type ChatAnswer, type ChatQuestion, chat } from '../llm/chat.ts'
import { ChatFailed } from '../llm/chat-failed.ts'
import type { ModelServers } from '../llm/upstream.ts'
import type { HeldRun, Step } from './held-run.ts'

const maxAttempts = 3

export interface CallOptions {
  servers: ModelServers
  timeoutMs: number
  /** Of the first pause before a call is tried again; each later one is twice as long. */
  pauseMs: number
  /** Aborted when the run is lost or the executor stops. */
  signal: AbortSignal
}

/**
 * Asks a model, and again after a while where the failure may pass. Every attempt is recorded.
 * @throws ChatFailed of the last attempt
 */
export async function callModel(
  run: HeldRun,
  step: Step,
  question: ChatQuestion,
  { servers, timeoutMs, pauseMs, signal }: CallOptions,
): Promise<{ answer: ChatAnswer; attempts: number }> {
  for (let attempt = 1; ; attempt++) {
    try {
      const onText = (text: string) => run.partial(text)
      const answer = await chat(servers, question, { timeoutMs, signal, onText })
      await run.record(answer.call, step, null)
      return { answer, attempts: attempt }
    } catch (error) {
      if (!(error instanceof ChatFailed)) throw error
      const { call, isPassing, retryAfterMs } = error.failure
      if (call) await run.record(call, step, error.message)
      if (!isPassing || attempt === maxAttempts || signal.aborted) throw error
      // Those who failed together come back apart.
      const pause = pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random())
      await delay(Math.min(maxPauseMs, Math.max(pause, retryAfterMs ?? 0)), undefined, {
        signal,
      }).catch(() => {})
      if (signal.aborted) throw error
    }
  }
}

/** A server may ask for more; then the call has failed. */
const maxPauseMs = 60_000
