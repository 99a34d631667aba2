import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { Answer, Finish, Rerun, RunCommands } from '../support/run-commands.ts'

let api: Api
let runs: RunCommands
beforeAll(async () => {
  api = await startApi()
  runs = await RunCommands.open(api)
})
afterAll(() => api.close())

const Explained = graphql(`
  query ExplainedRun($id: ID!, $first: Int, $after: String) {
    run(id: $id) {
      explanation {
        startedBy
        summary
        prompt
        entries(first: $first, after: $after) {
          totalCount
          edges {
            cursor
            node {
              kind
              name
              status
              reason
              step { stepKey }
              llmCall { model }
              artifact { artifactType }
              question { prompt answer }
            }
          }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }
`)
const Call = graphql(`
  mutation ExplainedCall($lease: String!) {
    recordLlmCall(
      lease: $lease
      input: { scope: "process", model: "qwen3", endpoint: "http://models", requestJson: {}, httpStatus: 200 }
    ) { id }
  }
`)

async function explain(id: string, page: { first?: number; after?: string } = {}) {
  const { run } = await runs.user.run(Explained, { id, ...page })
  if (!run) throw new Error('no run')
  return run.explanation
}

const told = (explanation: Awaited<ReturnType<typeof explain>>) =>
  explanation.entries.edges.map(({ node: { kind, name, status, reason } }) =>
    [kind, name, status, reason].filter(part => part !== null).join(' '),
  )

/** A run in which everything happens that can be told. */
async function eventful() {
  const { code, id, lease } = await runs.held()
  const ended = { status: 'SUCCEEDED' } as const
  await runs.step(lease, { stepKey: 'render_prompt', status: 'RUNNING' })
  await runs.step(lease, {
    stepKey: 'render_prompt',
    ...ended,
    outputPayload: { prompt: 'Say it.' },
  })
  await runs.step(lease, { stepKey: 'call_model', status: 'RUNNING' })
  await runs.worker.run(Call, { lease })
  await runs.step(lease, { stepKey: 'call_model', ...ended })
  await runs.step(lease, { stepKey: 'validate_output', status: 'RUNNING' })
  const outputPayload = { valid: false, reason: '/n must be integer' }
  await runs.step(lease, { stepKey: 'validate_output', ...ended, outputPayload })
  await runs.artifact(lease, { artifactType: 'draft', content: 'text' })
  const questionId = await runs.ask(lease)
  await runs.user.run(Answer, { id, questionId, answer: 'this one' })
  const { lease: next } = await runs.claim(code)
  const end = { status: 'DEGRADED', result: { n: 'x' }, errorText: 'It stayed wrong.' } as const
  await runs.worker.run(Finish, { lease: next, ...end })
  return id
}

describe('the explanation of a run', () => {
  it('says what started it, its prompt, and how it came to its end', async () => {
    const explanation = await explain(await eventful())
    expect(explanation).toMatchObject({ startedBy: 'USER', prompt: 'Say it.' })
    expect(explanation.summary).toMatch(
      /^It was asked for by a user\. The worker is tests, the last of 2 that claimed it\. It ended with less than was asked after [\d.]+ seconds: It stayed wrong\.$/,
    )
  })

  it('tells what happened in its order, with the things themselves', async () => {
    const explanation = await explain(await eventful(), { first: 20 })
    expect(told(explanation)).toEqual([
      'STARTED tests',
      'STEP render_prompt succeeded',
      'LLM_CALL qwen3 200',
      'STEP call_model succeeded',
      'STEP validate_output succeeded /n must be integer',
      'ARTIFACT draft',
      'ASKED Which?',
      'ANSWERED Which?',
      'ENDED degraded degraded It stayed wrong.',
    ])
    const nodes = explanation.entries.edges.map(({ node }) => node)
    expect(nodes[1]?.step?.stepKey).toBe('render_prompt')
    expect(nodes[2]?.llmCall?.model).toBe('qwen3')
    expect(nodes[5]?.artifact?.artifactType).toBe('draft')
    expect(nodes[7]?.question?.answer).toBe('this one')
  })

  it('comes in pages that are the whole together', async () => {
    const id = await eventful()
    const whole = told(await explain(id, { first: 20 }))
    const found: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await explain(id, { first: 2, ...(after !== undefined && { after }) })
      found.push(...told(page))
      expect(page.entries.totalCount).toBe(whole.length)
      if (!page.entries.pageInfo.hasNextPage) break
      after = page.entries.pageInfo.endCursor ?? undefined
    }
    expect(found).toEqual(whole)
  })

  it('is there before anything has happened, and says what a rerun repeats', async () => {
    const { code } = await runs.process()
    const { id } = await runs.start(code)
    const waiting = await explain(id)
    expect(waiting).toMatchObject({ startedBy: 'USER', prompt: null, entries: { edges: [] } })
    expect(waiting.summary).toBe('It was asked for by a user. It waits for a worker.')
    const { rerun } = await runs.user.run(Rerun, { id })
    expect((await explain(rerun.id)).startedBy).toBe('RERUN')
  })
})
