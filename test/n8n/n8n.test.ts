import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { serviceWorker } from '../../src/identity/service-user.ts'
import { Dispatcher } from '../../src/n8n/dispatcher.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { answered, type FakeN8n, type Started, startFakeN8n } from '../support/fake-n8n.ts'
import { Answer, Cancel, RunCommands } from '../support/run-commands.ts'

let n8n: FakeN8n
let api: Api
let runs: RunCommands
const dispatchers: Dispatcher[] = []

async function openDispatcher(url = n8n.url): Promise<Dispatcher> {
  const dispatcher = new Dispatcher({
    db: api.db,
    viewer: await serviceWorker(api.db),
    n8n: { url, apiKey: 'n8n-key' },
    callbackUrl: `${new URL(api.url).origin}/n8n/callback`,
    log: pino({ level: 'silent' }),
    pollMs: 20,
    retryPauseMs: 5,
    watchMs: 50,
  })
  dispatchers.push(dispatcher)
  return dispatcher
}

beforeAll(async () => {
  n8n = await startFakeN8n()
  api = await startApi()
  runs = await RunCommands.open(api)
  await openDispatcher()
  await openDispatcher()
})
afterAll(async () => {
  await Promise.all(dispatchers.map(dispatcher => dispatcher.close()))
  await api.close()
  await n8n.close()
})
beforeEach(() => {
  n8n.started.length = 0
  n8n.stopped.length = 0
  n8n.webhook = res => answered(res, { message: 'Workflow was started' })
})

const Run = graphql(`
  query N8nRun($id: ID!) {
    run(id: $id) {
      status
      errorText
      resultPayload
      partialResult
      n8nExecutionId
      question { id prompt }
      steps { stepKey status errorText outputPayload }
      artifacts(first: 10) { edges { node { artifactType content } } }
      llmCalls(first: 10) { edges { node { model } } }
    }
  }
`)

async function read(id: string) {
  const { run } = await api.admin.run(Run, { id })
  if (!run) throw new Error('no run')
  return run
}

const patience = { timeout: 10_000 }

/** A run that n8n has taken, and what it was sent. */
async function handedOver(more: { outputSchema?: Json } = {}) {
  const { code } = await runs.process({ n8nWebhookPath: 'flows/search it', ...more })
  const { id } = await runs.start(code, { inputText: 'Ann', inputPayload: { a: 1 } })
  return { code, id, ...(await sent(id)) }
}

async function sent(id: string, attempt = 1): Promise<Started> {
  const find = () => n8n.started.find(({ run }) => run.id === id && run.attempt === attempt)
  await expect.poll(find, patience).toBeDefined()
  await expect
    .poll(async () => (await read(id)).steps.map(({ status }) => status), patience)
    .toContain('SUCCEEDED')
  return find() as Started
}

async function report(
  { callback }: Pick<Started, 'callback'>,
  body: unknown,
  token = callback.token,
) {
  const response = await fetch(callback.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('a run of a process with a webhook', () => {
  it('is handed to n8n with its input and a token of its own, and reports its way to the end', async () => {
    n8n.webhook = res => answered(res, { executionId: 77 })
    const run = await handedOver()
    expect(run.path).toBe('/webhook/flows/search%20it')
    expect(run.run).toEqual({
      id: run.id,
      processCode: run.code,
      attempt: 1,
      inputText: 'Ann',
      inputPayload: { a: 1 },
      requestedBy: 'user',
      answer: null,
    })
    expect(await read(run.id)).toMatchObject({ status: 'RUNNING', n8nExecutionId: '77' })
    const events = [
      { type: 'step', stepKey: 'search', status: 'RUNNING' },
      { type: 'step', stepKey: 'search', status: 'SUCCEEDED', output: { hits: 3 } },
      {
        type: 'llmCall',
        model: 'qwen3',
        endpoint: 'http://ollama',
        requestJson: {},
        httpStatus: 200,
      },
      { type: 'artifact', artifactType: 'page', content: 'text' },
      { type: 'partialResult', result: 'half' },
      { type: 'heartbeat', executionId: '78' },
    ]
    expect(await report(run, events)).toEqual({ status: 200, body: { ok: true, done: 6 } })
    expect(await read(run.id)).toMatchObject({ partialResult: 'half', n8nExecutionId: '78' })
    const end = { type: 'end', status: 'SUCCEEDED', result: { found: true } }
    expect(await report(run, end)).toEqual({ status: 200, body: { ok: true } })
    expect(await read(run.id)).toMatchObject({
      status: 'SUCCEEDED',
      resultPayload: { found: true },
      steps: [
        {
          stepKey: 'dispatch',
          status: 'SUCCEEDED',
          outputPayload: { attempts: 1, executionId: '77' },
        },
        { stepKey: 'search', status: 'SUCCEEDED', outputPayload: { hits: 3 } },
      ],
      artifacts: { edges: [{ node: { artifactType: 'page', content: 'text' } }] },
      llmCalls: { edges: [{ node: { model: 'qwen3' } }] },
    })
  })

  it('goes out once, however many instances there are', async () => {
    const { code } = await runs.process({ n8nWebhookPath: 'many' })
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await runs.start(code)).id),
    )
    await expect.poll(() => n8n.started.length, { timeout: 15_000 }).toBe(50)
    expect(new Set(n8n.started.map(({ run }) => run.id))).toEqual(new Set(ids))
  })

  it('asks its question, and goes out again with the answer', async () => {
    const run = await handedOver()
    const question = { type: 'question', prompt: 'Which?', schema: { type: 'string' } }
    expect((await report(run, question)).status).toBe(200)
    const asked = await read(run.id)
    expect(asked).toMatchObject({ status: 'WAITING_USER', question: { prompt: 'Which?' } })
    expect((await report(run, { type: 'heartbeat' })).status).toBe(401)
    await runs.user.run(Answer, {
      id: run.id,
      questionId: asked.question?.id ?? '',
      answer: 'this',
    })
    const again = await sent(run.id, 2)
    expect(again.run).toMatchObject({ attempt: 2, answer: 'this' })
    expect((await report(again, { type: 'end', status: 'SUCCEEDED' })).status).toBe(200)
  })

  it('is cancelled from n8n, and from here, which stops the execution', async () => {
    n8n.webhook = res => answered(res, { executionId: 'e1' })
    const one = await handedOver()
    expect((await report(one, { type: 'end', status: 'CANCELLED' })).status).toBe(200)
    expect(await read(one.id)).toMatchObject({
      status: 'CANCELLED',
      errorText: 'The execution was cancelled in n8n.',
    })
    n8n.webhook = res => answered(res, { executionId: 'e2' })
    const other = await handedOver()
    await runs.user.run(Cancel, { id: other.id })
    await expect.poll(() => n8n.stopped, patience).toContain('e2')
    expect((await report(other, { type: 'heartbeat' })).status).toBe(401)
    expect((await report(other, { type: 'end', status: 'SUCCEEDED' })).status).toBe(409)
    expect(n8n.keys).toEqual(new Set(['n8n-key']))
  })
})

describe('a webhook that does not answer well', () => {
  it.each([500, 503, 429, 404])('with %s is tried again', async status => {
    let tried = 0
    n8n.webhook = res => answered(res, {}, ++tried < 3 ? status : 200)
    const run = await handedOver()
    expect((await read(run.id)).steps[0]?.outputPayload).toMatchObject({ attempts: 3 })
  })

  it.each([
    [400, 1],
    [500, 5],
  ])('with %s at every try makes the run fail after %s', async (status, tries) => {
    n8n.webhook = res => answered(res, { message: 'not today' }, status)
    const { code } = await runs.process({ n8nWebhookPath: 'failing' })
    const { id } = await runs.start(code)
    await expect.poll(async () => (await read(id)).status, patience).toBe('FAILED')
    const run = await read(id)
    expect(run.errorText).toContain(`n8n answered ${status}: {"message":"not today"}`)
    expect(run.steps).toMatchObject([{ stepKey: 'dispatch', status: 'FAILED' }])
    expect(n8n.started).toHaveLength(tries)
  })

  it('of a path that leads elsewhere is never called', async () => {
    const { code } = await runs.process({ n8nWebhookPath: '../api/v1/executions' })
    const { id } = await runs.start(code)
    await expect.poll(async () => (await read(id)).status, patience).toBe('FAILED')
    expect((await read(id)).errorText).toContain('no path of a webhook')
    expect(n8n.started).toEqual([])
  })
})

describe('an execution that ends without a word', () => {
  const runData = {
    Webhook: [{ startTime: 1_000, executionTime: 1, executionStatus: 'success' }],
    Answer: [
      {
        startTime: 2_000,
        executionTime: 1,
        executionStatus: 'success',
        data: { main: [[{ json: { n: 1 } }]] },
      },
    ],
  }

  it('ends its run with its last output, and its nodes are steps', async () => {
    n8n.executions.set('quiet', {
      status: 'success',
      data: { resultData: { runData, lastNodeExecuted: 'Answer' } },
    })
    n8n.webhook = res => answered(res, { executionId: 'quiet' })
    const { id } = await handedOver()
    await expect.poll(async () => (await read(id)).status, patience).toBe('SUCCEEDED')
    const run = await read(id)
    expect(run.resultPayload).toEqual({ n: 1 })
    expect(run.steps.map(({ stepKey }) => stepKey)).toEqual(['dispatch', 'Webhook', 'Answer'])
  })

  it.each<[string, Json, string, string]>([
    ['crashed', { status: 'crashed' }, 'FAILED', 'The execution failed in n8n.'],
    [
      'failed',
      { status: 'error', data: { resultData: { error: { message: 'no route' } } } },
      'FAILED',
      'no route',
    ],
    ['was-cancelled', { status: 'canceled' }, 'CANCELLED', 'The execution was cancelled in n8n.'],
  ])('because it %s ends its run with the reason', async (what, execution, status, errorText) => {
    n8n.executions.set(what, execution)
    n8n.webhook = res => answered(res, { executionId: what })
    const { id } = await handedOver()
    await expect.poll(async () => (await read(id)).status, patience).toBe(status)
    expect((await read(id)).errorText).toBe(errorText)
  })

  it('makes its run degraded where its output does not meet the schema', async () => {
    n8n.executions.set('odd', {
      status: 'success',
      data: { resultData: { runData, lastNodeExecuted: 'Answer' } },
    })
    n8n.webhook = res => answered(res, { executionId: 'odd' })
    const { id } = await handedOver({ outputSchema: { required: ['m'] } })
    await expect.poll(async () => (await read(id)).status, patience).toBe('DEGRADED')
  })
})

describe('a report', () => {
  it('needs the token of its run', async () => {
    const run = await handedOver()
    for (const token of ['', 'lease_x', api.admin.token, runs.worker.token]) {
      const { status, body } = await report(run, { type: 'heartbeat' }, token)
      expect([status, body.code]).toEqual([401, 'LEASE_LOST'])
    }
    const other = await handedOver()
    await report(other, { type: 'end', status: 'FAILED', error: 'for itself' })
    expect((await read(run.id)).status).toBe('RUNNING')
    expect(await read(other.id)).toMatchObject({ status: 'FAILED', errorText: 'for itself' })
  })

  it.each<[unknown, string | undefined]>([
    ['{', undefined],
    ['{"type":"partialResult","result":9007199254740993}', undefined],
    [5, undefined],
    [{ type: 'dance' }, 'type'],
    [{ type: 'step', stepKey: 'a' }, 'status'],
    [{ type: 'step', stepKey: 'a', status: 'DONE' }, 'status'],
    [{ type: 'end', status: 'RUNNING' }, 'status'],
    [[{ type: 'heartbeat' }, { type: 'artifact', artifactType: 'x' }], '1.content'],
  ])('of %j is refused as a whole', async (body, field) => {
    const run = await handedOver()
    const refused = await report(run, body)
    expect(refused).toMatchObject({ status: 400, body: { code: 'BAD_USER_INPUT', done: 0 } })
    if (field) expect(refused.body.field).toBe(field)
  })

  it('in a list stops where one is refused, and says how far it came', async () => {
    const run = await handedOver()
    const events = [
      { type: 'step', stepKey: 'a', status: 'RUNNING' },
      { type: 'step', stepKey: 'b', status: 'SUCCEEDED' },
      { type: 'step', stepKey: 'c', status: 'RUNNING' },
    ]
    expect(await report(run, events)).toMatchObject({
      status: 409,
      body: { code: 'ILLEGAL_TRANSITION', done: 1 },
    })
    expect((await read(run.id)).steps.map(({ stepKey }) => stepKey)).toEqual(['dispatch', 'a'])
  })

  it('that is too large is refused', async () => {
    const run = await handedOver()
    const content = 'x'.repeat(5_000_000)
    expect((await report(run, { type: 'artifact', artifactType: 'x', content })).status).toBe(413)
  })

  it('once more is harmless', async () => {
    const run = await handedOver()
    const step = { type: 'step', stepKey: 'a', status: 'RUNNING' }
    await report(run, [step, step])
    const end = { type: 'end', status: 'SUCCEEDED', result: 1 }
    await report(run, end)
    expect((await report(run, end)).status).toBe(409)
    expect(await read(run.id)).toMatchObject({ status: 'SUCCEEDED', resultPayload: 1 })
  })
})

it('the workflow to import is one whose nodes are connected', () => {
  const workflow = JSON.parse(readFileSync('examples/n8n-workflow.json', 'utf8'))
  const names = workflow.nodes.map(({ name }: { name: string }) => name)
  for (const [from, { main }] of Object.entries<{ main: { node: string }[][] }>(
    workflow.connections,
  )) {
    expect(names).toContain(from)
    for (const { node } of main.flat()) expect(names).toContain(node)
  }
  const [webhook] = workflow.nodes
  expect(webhook).toMatchObject({
    type: 'n8n-nodes-base.webhook',
    parameters: { httpMethod: 'POST', responseMode: 'onReceived' },
  })
})
