import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { sweepRuns } from '../../src/processes/sweep.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { sendLines, startModelServer } from '../support/model-server.ts'
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
async function startWorker(env: Record<string, string>): Promise<ChildProcess> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['scripts/run.mjs', 'executor/worker.main'], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  await once(child.stdout, 'data')
  return child
}

it('two workers carry out 200 runs, each once, and what one has in hand when it is killed ends by its lease', async () => {
  const models = await startModelServer()
  onTestFinished(() => models.close())
  const api = await startApi()
  onTestFinished(() => api.close())
  const token = (await api.signUp('robot', { kind: 'WORKER' })).token
  await api.admin.run(CreateProcess, {
    input: {
      code: 'many',
      name: 'Many',
      status: 'ACTIVE',
      promptTemplate: '{{n}}',
      defaultModel: 'qwen3',
    },
  })
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
  const env = {
    ENGRAPH_URL: api.url,
    ENGRAPH_TOKEN: token,
    OLLAMA_URL: models.url,
    EXECUTOR_CONCURRENCY: String(inHand),
    EXECUTOR_LEASE_SECONDS: '5',
  }
  const [victim] = await Promise.all([startWorker(env), startWorker(env)])
  await expect.poll(() => asked.size, { timeout: 60_000 }).toBe(100 + 2 * inHand)
  victim.kill('SIGKILL')
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
  const models = await startModelServer()
  onTestFinished(() => models.close())
  const api = await startApi()
  onTestFinished(() => api.close())
  const token = (await api.signUp('robot', { kind: 'WORKER' })).token
  await api.admin.run(CreateProcess, {
    input: {
      code: 'slow',
      name: 'Slow',
      status: 'ACTIVE',
      promptTemplate: 'x',
      defaultModel: 'qwen3',
    },
  })
  await api.admin.run(Start, { input: { processCode: 'slow' } })
  models.answer = () => {}
  const worker = await startWorker({
    ENGRAPH_URL: api.url,
    ENGRAPH_TOKEN: token,
    OLLAMA_URL: models.url,
  })
  await expect.poll(() => models.asked.length, { timeout: 10_000 }).toBe(1)
  worker.kill('SIGTERM')
  const [code] = await once(worker, 'exit')
  expect(code).toBe(0)
  expect(await statuses(api)).toEqual({ FAILED: 1 })
})

it.each([
  [{}, 'Set ENGRAPH_URL'],
  [{ ENGRAPH_URL: 'http://127.0.0.1:1' }, 'Set ENGRAPH_TOKEN'],
  [{ ENGRAPH_URL: 'http://127.0.0.1:1', ENGRAPH_TOKEN: 'x' }, 'Set OLLAMA_URL or OPENAI_URL'],
])('a worker with %j alone says what it lacks', async (env, message) => {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, ['scripts/run.mjs', 'executor/worker.main'], {
    env: { PATH, ...env },
  })
  let said = ''
  child.stderr.on('data', data => {
    said += data
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  expect(said).toContain(message)
})

it("a worker with a user's token is refused", async () => {
  const api = await startApi()
  onTestFinished(() => api.close())
  const { token } = await api.signUp('ann')
  const { PATH = '' } = process.env
  const env = { PATH, ENGRAPH_URL: api.url, ENGRAPH_TOKEN: token, OLLAMA_URL: 'http://127.0.0.1:1' }
  const child = spawn(process.execPath, ['scripts/run.mjs', 'executor/worker.main'], { env })
  let said = ''
  child.stderr.on('data', data => {
    said += data
  })
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  expect(said).toBe('ENGRAPH_TOKEN is of kind USER: a worker needs WORKER.\n')
})
