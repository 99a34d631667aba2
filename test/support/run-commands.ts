import { graphql } from '../generated/gql.ts'
import type {
  ArtifactInput,
  CreateProcessInput,
  StartRunInput,
  StepInput,
} from '../generated/graphql.ts'
import type { Api } from './api.ts'
import type { Client } from './client.ts'

export const CreateProcess = graphql(`
  mutation CommandProcess($input: CreateProcessInput!) { createProcess(input: $input) { id code } }
`)
export const UpdateProcess = graphql(`
  mutation CommandUpdate($id: ID!, $input: UpdateProcessInput!) {
    updateProcess(id: $id, input: $input) { id status }
  }
`)
export const CreateChat = graphql(`
  mutation CommandChat($title: String) { createChat(title: $title) { id title owner { login } } }
`)
export const Start = graphql(`
  mutation CommandStart($input: StartRunInput!) {
    startRun(input: $input) { id status lastSeq requestedBy { login } chat { id } }
  }
`)
export const Claim = graphql(`
  mutation CommandClaim($codes: [String!], $worker: String! = "tests", $max: Int! = 1, $leaseSeconds: Int! = 60) {
    claimRuns(processCodes: $codes, worker: $worker, max: $max, leaseSeconds: $leaseSeconds) {
      lease
      expiresAt
      run { id status lastSeq attempt }
    }
  }
`)
export const Heartbeat = graphql(`
  mutation CommandHeartbeat($lease: String!) { heartbeatRun(lease: $lease) }
`)
export const Step = graphql(`
  mutation CommandStep($lease: String!, $input: StepInput!) {
    reportStep(lease: $lease, input: $input) { id stepKey status errorText outputPayload replacedText }
  }
`)
export const Artifact = graphql(`
  mutation CommandArtifact($lease: String!, $input: ArtifactInput!) {
    addArtifact(lease: $lease, input: $input) { id artifactType content metadata replacedText }
  }
`)
export const Partial = graphql(`
  mutation CommandPartial($lease: String!, $result: JSON!) {
    reportPartialResult(lease: $lease, result: $result) { status lastSeq }
  }
`)
export const Ask = graphql(`
  mutation CommandAsk($lease: String!, $prompt: String! = "Which?", $schema: JSON) {
    askUser(lease: $lease, prompt: $prompt, schema: $schema) { status lastSeq question { id } }
  }
`)
export const Answer = graphql(`
  mutation CommandAnswer($id: ID!, $questionId: ID!, $answer: JSON!) {
    answerRun(id: $id, questionId: $questionId, answer: $answer) { status lastSeq }
  }
`)
export const Finish = graphql(`
  mutation CommandFinish($lease: String!, $status: RunStatus!, $result: JSON, $errorText: String) {
    finishRun(lease: $lease, status: $status, result: $result, errorText: $errorText) {
      status
      lastSeq
      resultPayload
      errorText
    }
  }
`)
export const Cancel = graphql(`
  mutation CommandCancel($id: ID!, $reason: String) {
    cancelRun(id: $id, reason: $reason) { status lastSeq errorText }
  }
`)
export const Rerun = graphql(`
  mutation CommandRerun($id: ID!) {
    rerun(id: $id) { id status lastSeq inputText inputPayload rerunOf { id } }
  }
`)
const Run = graphql(`
  query CommandRun($id: ID!) {
    run(id: $id) {
      status
      errorText
      resultPayload
      lastSeq
      replacedText
      finishedAt
      steps { stepKey status errorText attempt }
      events(first: 1000) {
        seq
        __typename
        ... on RunStatusChanged { from to }
        ... on RunResultUpdated { partialResult late }
      }
    }
  }
`)

/** The local id in a global one. */
export const keyOf = (id: string) => Buffer.from(id, 'base64').toString().split(':')[1] ?? ''

/** What tests do with runs, as a user and a worker of theirs do. */
export class RunCommands {
  readonly api: Api
  readonly user: Client
  readonly worker: Client
  #processes = 0

  private constructor(api: Api, user: Client, worker: Client) {
    this.api = api
    this.user = user
    this.worker = worker
  }

  static async open(api: Api): Promise<RunCommands> {
    return new RunCommands(
      api,
      await api.signUp('user'),
      await api.signUp('worker', { kind: 'WORKER' }),
    )
  }

  /** Of its own for each test, so that no other test claims its runs. */
  async process(more: Partial<CreateProcessInput> = {}) {
    const code = `process-${++this.#processes}`
    const input = { code, name: code, status: 'ACTIVE', ...more } as const
    return (await this.api.admin.run(CreateProcess, { input })).createProcess
  }

  async start(processCode: string, more: StartRunInput = {}) {
    return (await this.user.run(Start, { input: { processCode, ...more } })).startRun
  }

  async claim(code: string, leaseSeconds = 60) {
    const { claimRuns } = await this.worker.run(Claim, { codes: [code], leaseSeconds })
    const [claimed] = claimRuns
    if (!claimed) throw new Error('there was nothing to claim')
    return claimed
  }

  /** A run that a worker has in hand. */
  async held(more: Partial<CreateProcessInput> = {}) {
    const { code } = await this.process(more)
    const { id } = await this.start(code)
    return { code, id, lease: (await this.claim(code)).lease }
  }

  async ask(lease: string, schema: unknown = null) {
    const { askUser } = await this.worker.run(Ask, { lease, schema })
    return askUser.question?.id ?? ''
  }

  async read(id: string) {
    const { run } = await this.user.run(Run, { id })
    if (!run) throw new Error('there is no such run')
    return run
  }

  step = (lease: string, input: StepInput) =>
    this.worker.run(Step, { lease, input }).then(({ reportStep }) => reportStep)

  artifact = (lease: string, input: ArtifactInput) =>
    this.worker.run(Artifact, { lease, input }).then(({ addArtifact }) => addArtifact)

  /** As if the time of its lease had passed. */
  async expire(id: string): Promise<void> {
    await this.api.db.pool.query(
      `update process_runs set lease_expires_at = now() - interval '1 second' where id = $1`,
      [keyOf(id)],
    )
  }
}
