import { pino } from 'pino'
import { expect } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { Executor, type ExecutorOptions } from '../../src/executor/executor.ts'
import { httpAsk } from '../../src/executor/http-ask.ts'
import { graphql } from '../generated/gql.ts'
import type { CreateProcessInput } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { Cancel, CreateProcess, Start } from '../support/run-commands.ts'

const Executed = graphql(`
  query ExecutedRun($id: ID!) {
    run(id: $id) {
      status
      errorText
      resultPayload
      partialResult
      steps { stepKey status errorText outputPayload }
      llmCalls(first: 20) {
        edges { node { model endpoint requestText responseText httpStatus errorText completionTokens step { stepKey } } }
      }
    }
  }
`)

/** An API, a server with models, and an executor between them that is in no hurry to wait. */
export class Stage {
  readonly api: Api
  readonly models: ModelServer
  readonly user: Client
  readonly #options: ExecutorOptions
  executor: Executor
  #processes = 0

  private constructor(api: Api, models: ModelServer, user: Client, options: ExecutorOptions) {
    this.api = api
    this.models = models
    this.user = user
    this.#options = options
    this.executor = new Executor(options)
  }

  static async open(): Promise<Stage> {
    const models = await startModelServer()
    const api = await startApi()
    const user = await api.signUp('ann')
    const worker = await api.signUp('robot', { kind: 'WORKER' })
    return new Stage(api, models, user, {
      ask: httpAsk(api.url, worker.token),
      servers: {
        OLLAMA_URL: models.url,
        OPENAI_URL: `${models.url}/v1`,
        OPENAI_API_KEY: 'sk-of-the-executor-1234',
        LLM_TIMEOUT_MS: 5_000,
      },
      log: pino({ level: 'silent' }),
      name: 'tests',
      concurrency: 4,
      pollMs: 20,
      retryPauseMs: 5,
    })
  }

  /** Starts another one after the last was closed. */
  reopen(): void {
    this.executor = new Executor(this.#options)
  }

  async close(): Promise<void> {
    await this.executor.close()
    await this.api.close()
    await this.models.close()
  }

  /** Starts a run of a new process. */
  async start(
    process: Partial<CreateProcessInput> = {},
    input: { inputText?: string; inputPayload?: Json } = {},
  ): Promise<string> {
    const code = `executed ${++this.#processes}`
    await this.api.admin.run(CreateProcess, {
      input: {
        code,
        name: code,
        status: 'ACTIVE',
        promptTemplate: 'Say {{input_text}}.',
        defaultModel: 'qwen3',
        ...process,
      },
    })
    const { startRun } = await this.user.run(Start, {
      input: { processCode: code, inputText: 'hello', ...input },
    })
    return startRun.id
  }

  /** A run of a new process when it has ended. */
  async ended(...start: Parameters<Stage['start']>) {
    return this.end(await this.start(...start))
  }

  async end(id: string) {
    await expect
      .poll(async () => (await this.read(id)).status, { timeout: 15_000 })
      .toMatch(/SUCCEEDED|DEGRADED|FAILED|CANCELLED/)
    return this.read(id)
  }

  async cancel(id: string): Promise<void> {
    await this.user.run(Cancel, { id })
  }

  async read(id: string) {
    const { run } = await this.user.run(Executed, { id })
    if (!run) throw new Error('no run')
    const { llmCalls, steps, ...rest } = run
    return {
      ...rest,
      steps: steps.map(({ stepKey, status }) => `${stepKey} ${status}`),
      outputs: Object.fromEntries(
        steps.map(({ stepKey, outputPayload }) => [stepKey, outputPayload]),
      ),
      calls: llmCalls.edges.map(({ node }) => node),
    }
  }
}

/** The lines in which Ollama streams an answer. */
export const spoken = (...words: string[]) => [
  ...words.map(
    content =>
      `{"model":"qwen3","message":{"role":"assistant","content":${JSON.stringify(content)}},"done":false}`,
  ),
  '{"model":"qwen3","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":7,"seed":4944116822809979520}',
]
