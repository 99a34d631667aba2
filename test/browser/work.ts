import { graphql } from '../generated/gql.ts'
import type { RunStatus, StepStatus } from '../generated/graphql.ts'
import type { Client } from '../support/client.ts'

/** Makes a process that takes runs. */
export async function define(admin: Client, code: string, name = code): Promise<void> {
  await admin.run(
    graphql(`
      mutation DefineForBrowser($code: String!, $name: String!) {
        createProcess(input: { code: $code, name: $name, status: ACTIVE }) { id }
      }
    `),
    { code, name },
  )
}

/** Starts a run; answers its global id. */
export async function start(client: Client, processCode: string, inputText?: string) {
  const { startRun } = await client.run(
    graphql(`
      mutation StartForBrowser($processCode: String!, $inputText: String) {
        startRun(input: { processCode: $processCode, inputText: $inputText }) { id }
      }
    `),
    { processCode, inputText },
  )
  return startRun.id
}

/** A run in the hands of a worker. */
export class Work {
  readonly #client: Client
  readonly #lease: string

  private constructor(client: Client, lease: string) {
    this.#client = client
    this.#lease = lease
  }

  /** Claims the oldest run of a process. */
  static async claim(client: Client, code: string, worker = 'robot'): Promise<Work> {
    const { claimRuns } = await client.run(
      graphql(`
        mutation ClaimForBrowser($code: String!, $worker: String!) {
          claimRuns(processCodes: [$code], worker: $worker) { lease }
        }
      `),
      { code, worker },
    )
    const [claimed] = claimRuns
    if (!claimed) throw new Error('there is nothing to claim')
    return new Work(client, claimed.lease)
  }

  async step(
    stepKey: string,
    status: StepStatus,
    more: { errorText?: string; output?: unknown } = {},
  ) {
    const { errorText, output: outputPayload } = more
    await this.#client.run(
      graphql(`
        mutation StepForBrowser($lease: String!, $input: StepInput!) {
          reportStep(lease: $lease, input: $input) { id }
        }
      `),
      { lease: this.#lease, input: { stepKey, status, errorText, outputPayload } },
    )
  }

  async artifact(artifactType: string, content: string) {
    await this.#client.run(
      graphql(`
        mutation ArtifactForBrowser($lease: String!, $input: ArtifactInput!) {
          addArtifact(lease: $lease, input: $input) { id }
        }
      `),
      { lease: this.#lease, input: { artifactType, content } },
    )
  }

  async llmCall(model: string, requestJson: unknown, responseJson: unknown) {
    const call = {
      scope: 'process',
      endpoint: 'https://llm.example/v1',
      latencyMs: 120,
      httpStatus: 200,
    }
    await this.#client.run(
      graphql(`
        mutation CallForBrowser($lease: String!, $input: LlmCallInput!) {
          recordLlmCall(lease: $lease, input: $input) { id }
        }
      `),
      { lease: this.#lease, input: { ...call, model, requestJson, responseJson } },
    )
  }

  async partialResult(result: unknown) {
    await this.#client.run(
      graphql(`
        mutation PartialForBrowser($lease: String!, $result: JSON!) {
          reportPartialResult(lease: $lease, result: $result) { id }
        }
      `),
      { lease: this.#lease, result },
    )
  }

  async ask(prompt: string, schema?: unknown) {
    await this.#client.run(
      graphql(`
        mutation AskForBrowser($lease: String!, $prompt: String!, $schema: JSON) {
          askUser(lease: $lease, prompt: $prompt, schema: $schema) { id }
        }
      `),
      { lease: this.#lease, prompt, schema },
    )
  }

  async finish(status: RunStatus, more: { result?: unknown; errorText?: string } = {}) {
    await this.#client.run(
      graphql(`
        mutation FinishForBrowser(
          $lease: String!, $status: RunStatus!, $result: JSON, $errorText: String
        ) {
          finishRun(lease: $lease, status: $status, result: $result, errorText: $errorText) { id }
        }
      `),
      { lease: this.#lease, status, ...more },
    )
  }
}
