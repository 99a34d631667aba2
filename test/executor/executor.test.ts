import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sendJson } from '../support/http-server.ts'
import { sendEvents, sendLines } from '../support/model-server.ts'
import { Stage, spoken } from './executed.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open()
})
afterAll(() => stage.close())
beforeEach(() => {
  stage.models.asked.length = 0
  stage.models.brokenOff = 0
  stage.models.answer = res => sendLines(res, ...spoken('Hel', 'lo'))
})

const lastAsked = () => JSON.parse(stage.models.asked.at(-1)?.body ?? '')
const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }

describe('a run of a process with a prompt', () => {
  it('is rendered, asked of the model, and has its answer, step by step', async () => {
    const run = await stage.ended()
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      errorText: null,
      resultPayload: 'Hello',
      steps: ['render_prompt SUCCEEDED', 'call_model SUCCEEDED'],
      outputs: {
        render_prompt: { prompt: 'Say hello.' },
        call_model: { model: 'qwen3', attempts: 1 },
      },
    })
    expect(stage.models.asked).toMatchObject([{ method: 'POST', url: '/api/chat' }])
    expect(lastAsked()).toEqual({
      model: 'qwen3',
      messages: [{ role: 'user', content: 'Say hello.' }],
      stream: true,
    })
    const [call] = run.calls
    expect(call).toMatchObject({
      httpStatus: 200,
      errorText: null,
      completionTokens: 7,
      step: { stepKey: 'call_model' },
    })
    expect(JSON.parse(call?.responseText ?? '')).toMatchObject({ message: { content: 'Hello' } })
    expect(call?.responseText).toContain('4944116822809979520')
  })

  it('is asked of the OpenAI API where the model says so, with the key of the server', async () => {
    stage.models.answer = res =>
      sendEvents(
        res,
        '{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"}}]}',
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
        '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}',
      )
    const run = await stage.ended({ defaultModel: 'openai:gpt', metadata: { temperature: 0.5 } })
    expect(run).toMatchObject({ status: 'SUCCEEDED', resultPayload: 'Hi' })
    expect(stage.models.asked).toMatchObject([
      { url: '/v1/chat/completions', headers: { authorization: 'Bearer sk-of-the-executor-1234' } },
    ])
    expect(lastAsked()).toMatchObject({
      model: 'gpt',
      temperature: 0.5,
      stream_options: { include_usage: true },
    })
    expect(run.calls).toMatchObject([{ completionTokens: 2 }])
  })

  it('can have its answer in one piece from a server that streams none', async () => {
    stage.models.answer = res =>
      sendJson(res, '{\n "message": {"role":"assistant","content":"whole"},\n "done": true\n}')
    expect(await stage.ended()).toMatchObject({ status: 'SUCCEEDED', resultPayload: 'whole' })
  })

  it('shows the answer as it grows', async () => {
    let goOn = () => {}
    stage.models.answer = async res => {
      const [first, ...rest] = spoken('so far', ', and on')
      res.writeHead(200, { 'content-type': 'application/x-ndjson' })
      res.write(`${first}\n`)
      await new Promise<void>(resolve => {
        goOn = resolve
      })
      res.end(`${rest.join('\n')}\n`)
    }
    const id = await stage.start()
    await expect.poll(async () => (await stage.read(id)).partialResult).toBe('so far')
    goOn()
    expect(await stage.end(id)).toMatchObject({
      status: 'SUCCEEDED',
      resultPayload: 'so far, and on',
    })
  })

  it('fails where its prompt lacks a variable, and names it', async () => {
    const run = await stage.ended({ promptTemplate: '{{input_text}} {{user.name}}' })
    expect(run).toMatchObject({
      status: 'FAILED',
      errorText: 'The prompt needs {{user.name}}, which the run does not give.',
      steps: ['render_prompt FAILED'],
    })
    expect(stage.models.asked).toEqual([])
  })

  it('fails where its process has no model', async () => {
    const run = await stage.ended({ defaultModel: null })
    expect(run).toMatchObject({ status: 'FAILED', errorText: 'The process has no default model.' })
  })

  it('is left to others where the process has n8n, or wants no executor', async () => {
    const left = [
      await stage.start({ n8nWebhookPath: 'hook' }),
      await stage.start({ metadata: { executor: false } }),
      await stage.start({ promptTemplate: null }),
    ]
    await stage.ended()
    for (const id of left) expect((await stage.read(id)).status).toBe('QUEUED')
  })
})

describe('an answer that shall meet a schema', () => {
  it('is asked for with it, and is the result as JSON, out of a fence too', async () => {
    stage.models.answer = res => sendLines(res, ...spoken('```json\n{"n": 1}\n```'))
    const run = await stage.ended({ outputSchema: schema })
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      resultPayload: { n: 1 },
      steps: ['render_prompt SUCCEEDED', 'call_model SUCCEEDED', 'validate_output SUCCEEDED'],
      outputs: { validate_output: { valid: true, reason: null } },
    })
    expect(lastAsked().format).toEqual(schema)
  })

  it('is mended once by the model, which is told what is wrong', async () => {
    stage.models.answer = (res, { body }) =>
      sendLines(res, ...spoken(body.includes('does not meet') ? '{"n": 2}' : '{"n": "two"}'))
    const run = await stage.ended({ outputSchema: schema })
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      resultPayload: { n: 2 },
      outputs: { validate_output: { valid: false, reason: '/n must be integer' } },
    })
    expect(run.steps.slice(3)).toEqual(['repair_output SUCCEEDED', 'validate_repair SUCCEEDED'])
    expect(lastAsked().messages).toHaveLength(3)
    expect(lastAsked().messages[2].content).toContain('/n must be integer')
  })

  it('makes the run degraded where it is wrong a second time, with the result and the reason', async () => {
    stage.models.answer = res => sendLines(res, ...spoken('{"n": "two"}'))
    expect(await stage.ended({ outputSchema: schema })).toMatchObject({
      status: 'DEGRADED',
      resultPayload: { n: 'two' },
      errorText: 'The answer does not meet the output schema: /n must be integer.',
    })
    expect(stage.models.asked).toHaveLength(2)
  })

  it('has numbers beyond what JavaScript holds as strings', async () => {
    stage.models.answer = res => sendLines(res, ...spoken('{"n": 9007199254740993}'))
    const run = await stage.ended({ outputSchema: { type: 'object' } })
    expect(run).toMatchObject({ status: 'SUCCEEDED', resultPayload: { n: '9007199254740993' } })
  })
})

describe('a model server that fails', () => {
  it.each([
    ['429', 429],
    ['500', 500],
    ['503', 503],
  ])('with %s is asked again', async (_what, status) => {
    let asked = 0
    stage.models.answer = res =>
      ++asked < 3 ? sendJson(res, '{"error":"busy"}', status) : sendLines(res, ...spoken('late'))
    const run = await stage.ended()
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      resultPayload: 'late',
      outputs: { call_model: { attempts: 3 } },
    })
    expect(run.calls.map(({ httpStatus }) => httpStatus)).toEqual([status, status, 200])
    expect(run.calls[0]?.errorText).toContain('busy')
  })

  it('with 400 is not asked again', async () => {
    stage.models.answer = res => sendJson(res, '{"error":"no such model"}', 400)
    const run = await stage.ended()
    expect(run).toMatchObject({
      status: 'FAILED',
      errorText: 'The model server answered 400: {"error":"no such model"}',
      steps: ['render_prompt SUCCEEDED', 'call_model FAILED'],
    })
    expect(stage.models.asked).toHaveLength(1)
  })

  it.each<[string, (typeof stage)['models']['answer'], RegExp]>([
    ['what is no JSON', res => sendLines(res, 'hello'), /no JSON/],
    ['half an answer', res => sendLines(res, spoken('half')[0] ?? ''), /broke off before the end/],
    ['an error in the stream', res => sendLines(res, '{"error":"out of memory"}'), /out of memory/],
    ['nothing, and hangs up', res => void res.destroy(), /cannot be reached/],
    [
      'half, and hangs up',
      res => {
        res.writeHead(200, { 'content-type': 'application/x-ndjson' })
        res.write('{"message":{"content":"a"}}\n', () => res.destroy())
      },
      /broke off/,
    ],
  ])(
    'by sending %s is asked three times, and then the run fails with the reason',
    async (_what, answer, reason) => {
      stage.models.answer = answer
      const run = await stage.ended()
      expect(run.status).toBe('FAILED')
      expect(run.errorText).toMatch(reason)
      expect(stage.models.asked).toHaveLength(3)
      expect(run.calls).toHaveLength(3)
    },
  )

  it('has the fallback answer in its place, and the run is degraded', async () => {
    stage.models.answer = (res, { body }) =>
      JSON.parse(body).model === 'small'
        ? sendLines(res, ...spoken('instead'))
        : sendJson(res, '{}', 500)
    const run = await stage.ended({ metadata: { fallbackModel: 'small' } })
    expect(run).toMatchObject({ status: 'DEGRADED', resultPayload: 'instead' })
    expect(run.errorText).toMatch(/^small answered instead of qwen3: The model server answered 500/)
    expect(run.steps).toEqual([
      'render_prompt SUCCEEDED',
      'call_model FAILED',
      'call_fallback SUCCEEDED',
    ])
  })

  it('by taking too long leaves what had come, and the run is degraded', async () => {
    stage.models.answer = res => {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' })
      res.write(`${spoken('so far')[0]}\n`)
    }
    const run = await stage.ended({ metadata: { callSeconds: 0.2 } })
    expect(run).toMatchObject({
      status: 'DEGRADED',
      resultPayload: 'so far',
      errorText: 'The model took longer than 0.2 seconds. The result is what had come by then.',
    })
    expect(stage.models.asked).toHaveLength(1)
  })
})

describe('while the model answers', () => {
  beforeEach(() => {
    stage.models.answer = res => {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' })
      res.write(`${spoken('begun')[0]}\n`)
    }
  })

  it('a run that is cancelled breaks the request off', async () => {
    const id = await stage.start()
    await expect.poll(async () => (await stage.read(id)).partialResult).toBe('begun')
    await stage.cancel(id)
    await expect.poll(() => stage.models.brokenOff, { timeout: 10_000 }).toBe(1)
    expect((await stage.read(id)).status).toBe('CANCELLED')
  })

  it('an executor that is closed ends its runs with what had come', async () => {
    const id = await stage.start()
    await expect.poll(async () => (await stage.read(id)).partialResult).toBe('begun')
    await stage.executor.close()
    expect(await stage.read(id)).toMatchObject({
      status: 'DEGRADED',
      resultPayload: 'begun',
      errorText: 'The executor was stopped. The result is what had come by then.',
    })
    expect(stage.models.brokenOff).toBe(1)
    stage.reopen()
  })
})
