import { expect, it, onTestFinished } from 'vitest'
import { sweepRuns } from '../../src/processes/sweep.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { sendLines, startModelServer } from '../support/model-server.ts'
import { ServerProcess } from '../support/raw-process.ts'
import { CreateProcess, Start } from '../support/run-commands.ts'
import { spoken } from './executed.ts'

const runs = 200
/** By each worker. */
const inHand = 8

const Statuses = graphql(`
  query ExecutedStatuses {
    processes(first: 1) {
      edges { node { performance { byStatus { status count } } } }
    }
  }
`)

async function statuses(api: Api): Promise<Record<string, number>> {
  await sweepRuns(api.db)
  const [edge] = (await api.admin.run(Statuses)).processes.edges
  const counts = edge?.node.performance.byStatus ?? []
  return Object.fromEntries(
    counts.filter(({ count }) => count > 0).map(({ status, count }) => [status, count]),
  )
}

/** `npm run worker`, without npm. */
const runWorker = (env: Record<string, string>) => new ServerProcess(env, 'executor/worker.main')

/** A server with models, an API, and what a worker has to know of both. */
async function open() {
  const models = await startModelServer()
  onTestFinished(() => models.close())
  const api = await startApi()
  onTestFinished(() => api.close())
  const { token } = await api.signUp('robot', { kind: 'WORKER' })
  const env = { ENGRAPH_URL: api.url, ENGRAPH_TOKEN: token, OLLAMA_URL: models.url }
  const define = (code: string, promptTemplate: string) =>
    api.admin.run(CreateProcess, {
      input: { code, name: code, status: 'ACTIVE', promptTemplate, defaultModel: 'qwen3' },
    })
  return { models, api, env, define }
}

it('two workers carry out 200 runs, each once, and what one has in hand when it is killed ends by its lease', async () => {
  const { models, api, env, define } = await open()
  await define('many', '{{n}}')
  const asked = new Map<string, number>()
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  models.answer = async (res, { body }) => {
    const { content } = JSON.parse(body).messages[0]
    asked.set(content, (asked.get(content) ?? 0) + 1)
    // The later ones wait, so that each worker has as many in hand as it can when one is killed.
    if (asked.size > 100) await released
    sendLines(res, ...spoken(`answer ${content}`))
  }
  for (let first = 0; first < runs; first += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api.admin.run(Start, { input: { processCode: 'many', inputPayload: { n: first + n } } }),
      ),
    )
  }
  const settings = {
    ...env,
    EXECUTOR_CONCURRENCY: String(inHand),
    EXECUTOR_LEASE_SECONDS: '5',
  }
  const [victim] = [runWorker(settings), runWorker(settings)]
  await expect.poll(() => asked.size, { timeout: 60_000 }).toBe(100 + 2 * inHand)
  victim.child.kill('SIGKILL')
  release()
  const lost = (counts: Record<string, number>) => counts.FAILED ?? 0
  const ended = async () => {
    const counts = await statuses(api)
    return (counts.SUCCEEDED ?? 0) + lost(counts)
  }
  await expect.poll(ended, { timeout: 60_000, interval: 200 }).toBe(runs)
  const counts = await statuses(api)
  expect(lost(counts)).toBe(inHand)
  expect(Math.max(...asked.values())).toBe(1)
}, 120_000)

it('a worker that is told to stop ends its runs, and then itself', async () => {
  const { models, api, env, define } = await open()
  await define('slow', 'x')
  await api.admin.run(Start, { input: { processCode: 'slow' } })
  models.answer = () => {}
  const worker = runWorker(env)
  await expect.poll(() => models.asked.length, { timeout: 10_000 }).toBe(1)
  worker.child.kill('SIGTERM')
  expect((await worker.exited).code).toBe(0)
  expect(await statuses(api)).toEqual({ FAILED: 1 })
})

it('a worker that is told to stop while it waits for the server ends', async () => {
  const worker = runWorker({
    ENGRAPH_URL: 'http://127.0.0.1:1',
    ENGRAPH_TOKEN: 'x',
    OLLAMA_URL: 'http://127.0.0.1:1',
  })
  await expect.poll(() => worker.stderr, { timeout: 10_000 }).toContain('Waiting for the server')
  worker.child.kill('SIGTERM')
  expect((await worker.exited).code).toBe(0)
})

it.each([
  [{}, 'Set ENGRAPH_URL'],
  [{ ENGRAPH_URL: 'http://127.0.0.1:1' }, 'Set ENGRAPH_TOKEN'],
  [{ ENGRAPH_URL: 'http://127.0.0.1:1', ENGRAPH_TOKEN: 'x' }, 'Set OLLAMA_URL or OPENAI_URL'],
])('a worker with %j alone says what it lacks', async (env, message) => {
  const worker = runWorker(env)
  expect((await worker.exited).code).toBe(1)
  expect(worker.stderr).toContain(message)
})

it("a worker with a user's token is refused", async () => {
  const { api, env } = await open()
  const { token } = await api.signUp('ann')
  const worker = runWorker({ ...env, ENGRAPH_TOKEN: token })
  expect((await worker.exited).code).toBe(1)
  expect(worker.stderr).toBe('ENGRAPH_TOKEN is of kind USER: a worker needs WORKER.\n')
})
