import type { Json } from '../core/json.ts'
import { heldJson } from '../core/json-text.ts'
import type { ChatAnswer, Message } from '../llm/chat.ts'
import { ChatFailed } from '../llm/chat-failed.ts'
import { violation } from '../processes/json-schema.ts'
import { type CallOptions, callModel } from './call-model.ts'
import type { Claimed } from './documents.ts'
import { type HeldRun, RunLost } from './held-run.ts'
import { type ModelChoice, type ProcessSettings, readSettings } from './settings.ts'
import { render } from './template.ts'

export interface CarryOutOptions extends Omit<CallOptions, 'timeoutMs'> {
  /** Aborted when the executor stops. */
  stopping: AbortSignal
}

/** Carries a run out to its end: renders its prompt, asks the model, and checks what it answers. */
export async function carryOut(
  run: HeldRun,
  claimed: Claimed['run'],
  options: CarryOutOptions,
): Promise<void> {
  try {
    await new Attempt(run, claimed, options).toEnd()
  } catch (error) {
    if (error instanceof RunLost || run.lost.aborted) return
    await failed(run, error as Error, options.stopping)
  }
}

/** Degraded where part of an answer had come in the time there was, else failed. */
async function failed(run: HeldRun, error: Error, stopping: AbortSignal): Promise<void> {
  const { partial = '', isTimeout } = error instanceof ChatFailed ? error.failure : {}
  const reason = stopping.aborted ? 'The executor was stopped.' : error.message
  if (partial !== '' && (stopping.aborted || isTimeout)) {
    const errorText = `${reason} The result is what had come by then.`
    await run.finish('DEGRADED', { result: partial, errorText })
  } else {
    await run.finish('FAILED', { errorText: reason })
  }
}

class Attempt {
  readonly #run: HeldRun
  readonly #claimed: Claimed['run']
  readonly #options: CarryOutOptions
  /** Why the end is less than was asked for. */
  readonly #reasons: string[] = []

  constructor(run: HeldRun, claimed: Claimed['run'], options: CarryOutOptions) {
    this.#run = run
    this.#claimed = claimed
    this.#options = options
  }

  async toEnd(): Promise<void> {
    const { process } = this.#claimed
    const prompt = await this.#prompt()
    const settings = readSettings(process, this.#options.servers)
    const messages: Message[] = [{ role: 'user', content: prompt }]
    const { answer, choice } = await this.#answer(messages, settings)
    const result =
      process.outputSchema === null
        ? answer.text
        : await this.#checked(answer, messages, choice, settings)
    const errorText = this.#reasons.length > 0 ? this.#reasons.join(' ') : null
    await this.#run.finish(errorText === null ? 'SUCCEEDED' : 'DEGRADED', { result, errorText })
  }

  #prompt(): Promise<string> {
    const { inputText, inputPayload, process } = this.#claimed
    return this.#run.step('render_prompt', async () => {
      const values = { inputText, inputPayload, metadata: process.metadata }
      const rendered = render(process.promptTemplate ?? '', values)
      if ('missing' in rendered) {
        throw new Error(`The prompt needs {{${rendered.missing}}}, which the run does not give.`)
      }
      return { result: rendered.prompt, output: { prompt: rendered.prompt } }
    })
  }

  /** The fallback's, where the model has none. */
  async #answer(
    messages: readonly Message[],
    settings: ProcessSettings,
  ): Promise<{ answer: ChatAnswer; choice: ModelChoice }> {
    const { model, fallback } = settings
    try {
      return { answer: await this.#call('call_model', messages, model, settings), choice: model }
    } catch (error) {
      if (!(error instanceof ChatFailed) || fallback === null || this.#options.signal.aborted) {
        throw error
      }
      const answer = await this.#call('call_fallback', messages, fallback, settings, error.message)
      this.#reasons.push(`${fallback.model} answered instead of ${model.model}: ${error.message}`)
      return { answer, choice: fallback }
    }
  }

  async #call(
    key: string,
    messages: readonly Message[],
    { server, model }: ModelChoice,
    { timeoutMs, options }: ProcessSettings,
    reason?: string,
  ): Promise<ChatAnswer> {
    const schema = this.#claimed.process.outputSchema
    const question = { server, model, messages, schema, options }
    const answer = await this.#run.step(key, async step => {
      const done = await callModel(this.#run, step, question, { ...this.#options, timeoutMs })
      const output = { model, attempts: done.attempts, ...(reason && { reason }) }
      return { result: done.answer, output }
    })
    if (answer.isCut) this.#reasons.push('The model came to its limit of length.')
    return answer
  }

  /** The result that the schema wants; where the answer is none, the model may mend it once. */
  async #checked(
    answer: ChatAnswer,
    messages: readonly Message[],
    choice: ModelChoice,
    settings: ProcessSettings,
  ): Promise<Json> {
    const first = await this.#validate('validate_output', answer.text)
    if (first.reason === null) return first.value
    const asked: Message[] = [
      ...messages,
      { role: 'assistant', content: answer.text },
      { role: 'user', content: repairPrompt(first.reason) },
    ]
    try {
      const repaired = await this.#call('repair_output', asked, choice, settings)
      const second = await this.#validate('validate_repair', repaired.text)
      if (second.reason === null) return second.value
      this.#reasons.push(`The answer does not meet the output schema: ${second.reason}.`)
      return second.value
    } catch (error) {
      if (!(error instanceof ChatFailed) || this.#options.signal.aborted) throw error
      this.#reasons.push(
        `The answer does not meet the output schema: ${first.reason}. It could not be mended: ${error.message}`,
      )
      return first.value
    }
  }

  /** What stands in a text, and why it does not meet the schema; a text that is no JSON stays one. */
  #validate(key: string, text: string): Promise<{ value: Json; reason: string | null }> {
    return this.#run.step(key, async () => {
      const verdict = await verdictOf(text, this.#claimed.process.outputSchema)
      return { result: verdict, output: { valid: verdict.reason === null, reason: verdict.reason } }
    })
  }
}

async function verdictOf(text: string, schema: Json) {
  let value: Json
  try {
    value = heldJson(withoutFence(text))
  } catch {
    return { value: text, reason: 'it is no JSON' }
  }
  return { value, reason: await violation(schema, value) }
}

/** Models like to put JSON between fences of Markdown. */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```')
  return isFenced ? trimmed.slice(trimmed.indexOf('\n') + 1, -3) : trimmed
}

const repairPrompt = (reason: string) =>
  `Your answer does not meet the JSON Schema that was asked for: ${reason}. Answer again with the corrected JSON alone.`
