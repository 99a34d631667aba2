import { afterAll, beforeAll, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { SeededRuns } from '../support/seeded-runs.ts'

let api: Api
let clients: Client[]

beforeAll(async () => {
  api = await startApi()
  const seed = new SeededRuns(api)
  const ann = await api.signUp('ann')
  const worker = await api.signUp('robot', { kind: 'WORKER' })
  clients = [api.admin, ann, worker]
  const processes = await Promise.all(['a', 'b', 'c'].map(code => seed.process(code)))
  const chat = await seed.chat('ann', 'talk')
  for (let n = 0; n < 30; n++) {
    const run = await seed.run(processes[n % 3] ?? '', { by: 'ann', chat, input: { n } })
    const questionId = await seed.question(run, 'Which?')
    for (const key of ['one', 'two', 'three']) {
      const stepId = await seed.step(run, key, { key })
      const artifactId = await seed.artifact(run, key)
      const llmCallId = await seed.llmCall({ run })
      await seed.happen(
        run,
        { type: 'step', stepId, stepKey: key, from: null, to: 'running', errorText: null },
        { type: 'artifact', artifactId },
        { type: 'llmCall', llmCallId },
        { type: 'asked', questionId },
      )
    }
  }
})
afterAll(() => api.close())

/** How many statements the server sent to answer; who asks is one of them. */
async function statements(run: () => Promise<unknown>): Promise<number> {
  let sent = 0
  const query = api.db.pool.query
  api.db.pool.query = function counted(this: unknown, ...args: unknown[]) {
    const { text } = args[0] as { text?: string }
    // The feed looks for changes whenever it likes.
    if (!text?.includes('core.change_log')) sent++
    return Reflect.apply(query, api.db.pool, args)
  } as typeof query
  try {
    await run()
    return sent
  } finally {
    api.db.pool.query = query
  }
}

const Dashboard = graphql(`
  query DashboardPage($runs: Int!) {
    runs(first: $runs) {
      edges {
        node {
          status
          inputPayload
          process { code }
          requestedBy { login }
          steps { stepKey status }
        }
      }
    }
  }
`)

const Wide = graphql(`
  query WideRuns($runs: Int!, $inner: Int!) {
    runs(first: $runs) {
      totalCount
      changesCursor
      pageInfo { hasNextPage }
      edges {
        node {
          inputText inputPayload resultPayload partialResult
          process { code }
          requestedBy { login }
          chat { title owner { login } }
          rerunOf { id }
          question { prompt }
          steps { stepKey outputPayload run { id } }
          artifacts(first: $inner) { totalCount edges { node { content run { status } } } }
          llmCalls(first: $inner) { edges { node { requestJson responseText process { code } run { id } step { id } } } }
          events(first: $inner) {
            seq
            run { status process { code } }
            ... on RunStepChanged { step { status } }
            ... on RunArtifactAdded { artifact { content } }
            ... on RunLlmCalled { llmCall { model } }
            ... on RunQuestionAsked { question { prompt } }
          }
        }
      }
    }
  }
`)

const Explained = graphql(`
  query ExplainedRuns($runs: Int!) {
    runs(first: $runs) {
      edges {
        node {
          explanation {
            startedBy
            summary
            prompt
            entries(first: 5) {
              totalCount
              edges {
                node { kind reason step { stepKey } llmCall { model } artifact { artifactType } question { prompt } }
              }
            }
          }
        }
      }
    }
  }
`)

const Processes = graphql(`
  query WideProcesses($processes: Int!, $runs: Int!) {
    processes(first: $processes) {
      edges {
        node {
          performance { total lastRun { id steps { stepKey } } }
          runs(first: $runs, filter: { requestedBy: "ann", processCodes: ["a", "b", "c"] }) {
            totalCount
            edges { node { process { code } requestedBy { login } } }
          }
        }
      }
    }
  }
`)

it('a page of runs with their processes, requesters and steps takes six statements, whatever its width', async () => {
  await api.admin.run(Dashboard, { runs: 1 })
  for (const runs of [2, 30]) {
    // Who asks, the runs, and of all of them: inputs, processes, requesters, steps.
    expect(await statements(() => api.admin.run(Dashboard, { runs }))).toBe(6)
  }
})

it('everything that hangs on runs takes as many statements for one run as for thirty', async () => {
  for (const client of clients) {
    await client.run(Wide, { runs: 1, inner: 12 })
    const one = await statements(() => client.run(Wide, { runs: 1, inner: 12 }))
    const many = await statements(() => client.run(Wide, { runs: 30, inner: 12 }))
    expect(many).toBe(one)
    expect(many).toBeLessThanOrEqual(31)
  }
})

it('explanations of runs take as many statements for one run as for thirty', async () => {
  for (const client of clients) {
    await client.run(Explained, { runs: 1 })
    const one = await statements(() => client.run(Explained, { runs: 1 }))
    const many = await statements(() => client.run(Explained, { runs: 30 }))
    expect(many).toBe(one)
    // Who asks, the runs, prompts, entries, their count, and the things themselves.
    expect(many).toBeLessThanOrEqual(9)
  }
})

it('a page of processes with their performance and runs takes as many for one as for three', async () => {
  for (const client of clients) {
    await client.run(Processes, { processes: 1, runs: 1 })
    const one = await statements(() => client.run(Processes, { processes: 1, runs: 2 }))
    const many = await statements(() => client.run(Processes, { processes: 3, runs: 10 }))
    expect(many).toBe(one)
    expect(many).toBeLessThanOrEqual(13)
  }
})
