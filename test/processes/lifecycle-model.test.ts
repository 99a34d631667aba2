import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunStatus } from '../../src/generated/prisma/client.ts'
import type { RunPayload } from '../../src/processes/processes.events.ts'
import { sweepRuns } from '../../src/processes/sweep.ts'
import { canBecome, hasEnded } from '../../src/processes/transitions.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { type Client, clientOf } from '../support/client.ts'

let api: Api
/** Of each of two servers on one database. */
let servers: { worker: Client; user: Client }[]
beforeAll(async () => {
  api = await startApi()
  const worker = await api.signUp('worker', { kind: 'WORKER' })
  const user = await api.signUp('user')
  const { url } = await api.sibling()
  servers = [
    { worker, user },
    { worker: clientOf(url, worker.token), user: clientOf(url, user.token) },
  ]
})
afterAll(() => api.close())

const CreateProcess = graphql(`
  mutation ModelProcess($code: String!) {
    createProcess(input: { code: $code, name: $code, status: ACTIVE }) { id }
  }
`)
const Start = graphql(`
  mutation ModelStart($code: String!) { startRun(input: { processCode: $code }) { id } }
`)
const Claim = graphql(`
  mutation ModelClaim($code: String!) {
    claimRuns(processCodes: [$code], worker: "model", max: 1) { lease }
  }
`)
const Step = graphql(`
  mutation ModelStep($lease: String!, $status: StepStatus!) {
    reportStep(lease: $lease, input: { stepKey: "step", status: $status }) { id }
  }
`)
const Partial = graphql(`
  mutation ModelPartial($lease: String!) { reportPartialResult(lease: $lease, result: 1) { id } }
`)
const Ask = graphql(
  `mutation ModelAsk($lease: String!) { askUser(lease: $lease, prompt: "?") { id } }`,
)
const Question = graphql(`query ModelQuestion($id: ID!) { run(id: $id) { question { id } } }`)
const Answer = graphql(`
  mutation ModelAnswer($id: ID!, $questionId: ID!) {
    answerRun(id: $id, questionId: $questionId, answer: 1) { id }
  }
`)
const Finish = graphql(`
  mutation ModelFinish($lease: String!, $status: RunStatus!) {
    finishRun(lease: $lease, status: $status, result: 2) { id }
  }
`)
const Cancel = graphql(`mutation ModelCancel($id: ID!) { cancelRun(id: $id) { id } }`)

const command = fc.oneof(
  { weight: 4, arbitrary: fc.constant('claim' as const) },
  { weight: 2, arbitrary: fc.constantFrom('start step', 'end step', 'partial') },
  { weight: 3, arbitrary: fc.constantFrom('ask', 'answer') },
  { weight: 1, arbitrary: fc.constantFrom('succeed', 'fail', 'cancel', 'expire', 'sweep') },
)

/** Commands of one round are sent at once, each to one of the servers. */
const rounds = fc.array(
  fc.array(fc.record({ command, server: fc.nat({ max: 1 }), lease: fc.nat() }), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 2, maxLength: 8 },
)

let count = 0

describe('the life of a run', () => {
  it('has one end and no step outside its table, whatever is sent to two servers at once', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async history => {
        const code = `model-${++count}`
        await api.admin.run(CreateProcess, { code })
        const { id } = (await servers[0]?.user.run(Start, { code }))?.startRun ?? { id: '' }
        const life = new Life(code, id)
        for (const round of history) await Promise.all(round.map(one => life.send(one)))
        await life.check()
      }),
      { numRuns: 25, interruptAfterTimeLimit: 20_000 },
    )
  }, 60_000)
})

type Sent = { command: string; server: number; lease: number }

class Life {
  readonly #code: string
  readonly #id: string
  readonly #key: string
  /** All that were given, those that are lost by now too. */
  readonly #leases: string[] = []
  readonly #accepted: string[] = []

  constructor(code: string, id: string) {
    this.#code = code
    this.#id = id
    this.#key = Buffer.from(id, 'base64').toString().split(':')[1] ?? ''
  }

  async send({ command, server, lease: index }: Sent): Promise<void> {
    const at = servers[server]
    if (!at) return
    const { worker, user } = at
    const lease = this.#leases[index % Math.max(1, this.#leases.length)] ?? 'lease_none'
    const id = this.#id
    const verdict = async () => {
      switch (command) {
        case 'claim': {
          const { claimRuns } = await worker.run(Claim, { code: this.#code })
          this.#leases.push(...claimRuns.map(claimed => claimed.lease))
          return claimRuns.length > 0 ? null : 'NOTHING'
        }
        case 'start step':
          return worker.verdict(Step, { lease, status: 'RUNNING' })
        case 'end step':
          return worker.verdict(Step, { lease, status: 'SUCCEEDED' })
        case 'partial':
          return worker.verdict(Partial, { lease })
        case 'ask':
          return worker.verdict(Ask, { lease })
        case 'answer': {
          const { run } = await user.run(Question, { id })
          const questionId =
            run?.question?.id ?? Buffer.from(`RunQuestion:${this.#key}`).toString('base64')
          return user.verdict(Answer, { id, questionId })
        }
        case 'succeed':
          return worker.verdict(Finish, { lease, status: 'SUCCEEDED' })
        case 'fail':
          return worker.verdict(Finish, { lease, status: 'FAILED' })
        case 'cancel':
          return user.verdict(Cancel, { id })
        case 'expire':
          await api.db.pool.query(
            `update process_runs set lease_expires_at = now() - interval '1 s'
              where id = $1 and lease_expires_at is not null`,
            [this.#key],
          )
          return 'NOTHING'
        default:
          await sweepRuns(api.db)
          return 'NOTHING'
      }
    }
    const code = await verdict()
    if (code === null) this.#accepted.push(command)
    else expect(['NOTHING', 'ILLEGAL_TRANSITION', 'LEASE_LOST', 'CONFLICT']).toContain(code)
  }

  async check(): Promise<void> {
    const { rows: changes } = await api.db.pool.query<{ seq: number; payload: RunPayload }>(
      `select seq, payload from core.changes where topic = 'run' and subject = $1 order by seq`,
      [this.#key],
    )
    const { rows } = await api.db.pool.query<{ status: RunStatus; last_seq: number }>(
      'select status, last_seq from process_runs where id = $1',
      [this.#key],
    )
    expect(changes.map(({ seq }) => seq)).toEqual(changes.map((_, index) => index + 1))
    expect(rows[0]?.last_seq).toBe(changes.length)

    let status: RunStatus | null = null
    const came: RunStatus[] = []
    for (const { payload } of changes) {
      if (payload.type === 'status') {
        expect(payload.from).toBe(status)
        if (status !== null) expect(canBecome(status, payload.to)).toBe(true)
        status = payload.to
        came.push(status)
      }
      expect(payload.status).toBe(status)
    }
    expect(rows[0]?.status).toBe(status)
    expect(came.filter(hasEnded).length).toBeLessThanOrEqual(1)

    const accepted = (name: string) => this.#accepted.filter(one => one === name).length
    const reached = (...ends: RunStatus[]) => came.filter(one => ends.includes(one)).length
    expect(accepted('ask')).toBe(reached('waiting_user'))
    expect(accepted('cancel')).toBe(reached('cancelled'))
    expect(accepted('succeed')).toBe(reached('succeeded'))
    // A sweep ends runs as well.
    expect(accepted('fail')).toBeLessThanOrEqual(reached('failed'))
    const answers = changes.filter(({ payload }) => payload.type === 'answered').length
    expect(accepted('answer')).toBe(answers)
  }
}
