import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { sendJson } from '../support/http-server.ts'
import { type ModelServer, sendEvents, startModelServer } from '../support/model-server.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'

let models: ModelServer
let api: Api
let seed: SeededRuns
let ann: Client
let origin: string

beforeAll(async () => {
  models = await startModelServer()
  api = await startApi({
    OLLAMA_URL: models.url,
    OPENAI_URL: `${models.url}/v1`,
    OPENAI_API_KEY: 'sk-of-the-server-12345678',
    LLM_TIMEOUT_MS: '300',
  })
  seed = new SeededRuns(api)
  ann = await api.signUp('ann')
  origin = new URL(api.url).origin
})
afterAll(async () => {
  await api.close()
  await models.close()
})
beforeEach(() => {
  models.asked.length = 0
  models.brokenOff = 0
})

const Calls = graphql(`
  query PassedCalls {
    llmCalls(first: 1) {
      totalCount
      edges {
        node {
          scope
          model
          endpoint
          requestText
          responseText
          httpStatus
          errorText
          promptTokens
          completionTokens
          process { code }
          run { id }
          step { stepKey }
        }
      }
    }
  }
`)

const count = async () => (await api.admin.run(Calls)).llmCalls.totalCount

/** The call that `work` makes, when it is recorded. */
async function recorded(work: () => Promise<unknown>) {
  const before = await count()
  await work()
  await expect.poll(count, { timeout: 5_000 }).toBe(before + 1)
  const [edge] = (await api.admin.run(Calls)).llmCalls.edges
  if (!edge) throw new Error('no call')
  return edge.node
}

const post = (path: string, body: string, headers: Record<string, string> = {}, client = ann) =>
  fetch(`${origin}/llm${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.token}`,
      'content-type': 'application/json',
      ...headers,
    },
    body,
  })

const chat = '{"model":"qwen3","seed":9007199254740993,"messages":[]}'

describe('a call that is passed on', () => {
  it('goes to the model server as it is, and its answer comes back to the letter', async () => {
    const answer =
      '{"model":"qwen3", "seed": 4944116822809979520, "eval_count": 7, "prompt_eval_count": 3}'
    models.answer = res => sendJson(res, answer)
    const call = await recorded(async () => {
      const response = await post('/ollama/api/chat?x=1', chat)
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(answer)
    })
    expect(models.asked).toMatchObject([{ method: 'POST', url: '/api/chat?x=1', body: chat }])
    expect(call).toMatchObject({
      scope: 'pass-through',
      model: 'qwen3',
      endpoint: `${models.url}/api/chat?x=1`,
      httpStatus: 200,
      errorText: null,
      promptTokens: 3,
      completionTokens: 7,
    })
    expect(call.requestText).toContain('9007199254740993')
    expect(call.responseText).toContain('4944116822809979520')
  })

  it('has each part of its answer as soon as the model server sends it', async () => {
    let next = () => {}
    models.answer = async res => {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' })
      for (const word of ['Hel', 'lo']) {
        res.write(
          `{"model":"qwen3","message":{"role":"assistant","content":"${word}"},"done":false}\n`,
        )
        await new Promise<void>(resolve => {
          next = resolve
        })
      }
      res.end(
        '{"model":"qwen3","message":{"role":"assistant","content":""},"done":true,"eval_count":2}\n',
      )
    }
    const call = await recorded(async () => {
      const response = await post('/ollama/api/chat', chat)
      const reader = response.body?.getReader()
      for (const word of ['Hel', 'lo']) {
        // The model server goes on when this has come, and not before.
        expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toContain(`"${word}"`)
        next()
      }
      expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toContain('"done":true')
      expect((await reader?.read())?.done).toBe(true)
    })
    expect(JSON.parse(call.responseText ?? '')).toEqual({
      model: 'qwen3',
      message: { role: 'assistant', content: 'Hello' },
      done: true,
      eval_count: 2,
    })
    expect(call.completionTokens).toBe(2)
  })

  it('is recorded as one completion where the answer came as events', async () => {
    const chunk = (choice: string, more = '') =>
      `{"id":"c1","object":"chat.completion.chunk","seed":4944116822809979520,"choices":[${choice}]${more}}`
    models.answer = res =>
      sendEvents(
        res,
        chunk(
          '{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}',
          ',"usage":null',
        ),
        chunk('{"index":0,"delta":{"content":" Ann"},"finish_reason":null}'),
        chunk(
          '{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"f","arguments":"{\\"a\\""}}]}}',
        ),
        chunk(
          '{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"}',
        ),
        chunk('', ',"usage":{"prompt_tokens":5,"completion_tokens":6}'),
      )
    const call = await recorded(async () =>
      (await post('/openai/v1/chat/completions', chat)).text(),
    )
    expect(call).toMatchObject({
      promptTokens: 5,
      completionTokens: 6,
      endpoint: `${models.url}/v1/chat/completions`,
    })
    expect(call.responseText).toContain('4944116822809979520')
    expect(JSON.parse(call.responseText ?? '')).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'Hi Ann',
            tool_calls: [{ id: 't', function: { name: 'f', arguments: '{"a":1}' } }],
          },
        },
      ],
    })
  })

  it('that is compressed stays so, and is recorded as what it says', async () => {
    models.answer = res => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      res.end(gzipSync('{"response":"small"}'))
    }
    const call = await recorded(async () => {
      const response = await post('/ollama/api/generate', chat)
      expect(response.headers.get('content-encoding')).toBe('gzip')
      expect(await response.json()).toEqual({ response: 'small' })
    })
    expect(JSON.parse(call.responseText ?? '')).toEqual({ response: 'small' })
  })

  it('that only looks, such as a list of models, is not recorded', async () => {
    models.answer = res => sendJson(res, '{"models":[]}')
    const before = await count()
    const response = await fetch(`${origin}/llm/ollama/api/tags`, {
      headers: { 'x-engraph-token': ann.token },
    })
    expect(await response.json()).toEqual({ models: [] })
    expect(await count()).toBe(before)
  })
})

describe('the token of Engraph', () => {
  it('is replaced by the key of the server, and is not seen by the model server', async () => {
    models.answer = res => sendJson(res, '{}')
    await recorded(() => post('/openai/chat/completions', chat))
    await recorded(() => post('/ollama/api/chat', chat))
    await recorded(() =>
      post('/openai/chat/completions', chat, {
        'x-engraph-token': ann.token,
        authorization: 'Bearer sk-own-key-1234567890',
      }),
    )
    expect(models.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-of-the-server-12345678',
      undefined,
      'Bearer sk-own-key-1234567890',
    ])
    expect(JSON.stringify(models.asked)).not.toContain(ann.token)
    expect(JSON.stringify(models.asked)).not.toContain('x-engraph')
    const { rows } = await api.db.pool.query('select to_jsonb(c) as call from llm_calls c')
    expect(JSON.stringify(rows)).not.toMatch(/sk-o|engraph_/)
  })

  it.each([
    ['none', {}],
    ['another', { 'x-engraph-token': 'engraph_x' }],
  ])('is needed: with %s nothing is passed on', async (_what, headers) => {
    const response = await fetch(`${origin}/llm/ollama/api/chat`, {
      method: 'POST',
      headers,
      body: chat,
    })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(models.asked).toEqual([])
  })
})

describe('what the headers say of a call', () => {
  beforeEach(() => {
    models.answer = res => sendJson(res, '{}')
  })

  it('is its scope and its process', async () => {
    await seed.process('passing')
    const headers = { 'x-engraph-scope': 'chat', 'x-engraph-process': 'passing' }
    const call = await recorded(() => post('/ollama/api/chat', chat, headers))
    expect(call).toMatchObject({ scope: 'chat', process: { code: 'passing' } })
  })

  it('is its run and step, by the lease of the run', async () => {
    const worker = await api.signUp('robot', { kind: 'WORKER' })
    const run = await seed.run(await seed.process('held'), { by: 'ann', status: 'running' })
    const step = await seed.step(run, 'think')
    const lease = `lease_${'x'.repeat(43)}`
    await api.db.pool.query(
      `update process_runs set lease_hash = encode(sha256($2::bytea), 'hex') where id = $1`,
      [run, lease],
    )
    const headers = { 'x-engraph-lease': lease, 'x-engraph-step': globalId.step(step) }
    const call = await recorded(() => post('/ollama/api/chat', chat, headers, worker))
    expect(call).toMatchObject({ run: { id: globalId.run(run) }, step: { stepKey: 'think' } })
    const wrong: Record<string, string>[] = [
      { 'x-engraph-lease': 'lease_other' },
      { ...headers, 'x-engraph-step': globalId.step('x') },
      { 'x-engraph-step': globalId.step(step) },
      { ...headers, 'x-engraph-process': 'held' },
      { 'x-engraph-process': 'nothing' },
    ]
    models.asked.length = 0
    const statuses: number[] = []
    for (const each of wrong)
      statuses.push((await post('/ollama/api/chat', chat, each, worker)).status)
    expect(statuses).toEqual([409, 404, 400, 400, 404])
    expect((await post('/ollama/api/chat', chat, headers, ann)).status).toBe(409)
    expect(models.asked).toEqual([])
  })
})

describe('a call that fails', () => {
  it('has the answer of the model server, and is recorded with it', async () => {
    models.answer = res => sendJson(res, '{"error":"no such model"}', 404)
    const call = await recorded(async () => {
      const response = await post('/ollama/api/chat', chat)
      expect(response.status).toBe(404)
      expect(await response.text()).toBe('{"error":"no such model"}')
    })
    expect(call).toMatchObject({ httpStatus: 404, errorText: 'The model server answered 404.' })
  })

  it('is recorded with what had come when the client hung up, and is broken off', async () => {
    models.answer = res => {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' })
      res.write('{"model":"qwen3","response":"Hel"}\n')
    }
    const call = await recorded(async () => {
      const abort = new AbortController()
      const response = await fetch(`${origin}/llm/ollama/api/generate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ann.token}` },
        body: chat,
        signal: abort.signal,
      })
      await response.body?.getReader().read()
      abort.abort()
    })
    expect(call.errorText).toBe('The client hung up.')
    expect(JSON.parse(call.responseText ?? '')).toEqual({ model: 'qwen3', response: 'Hel' })
    await expect.poll(() => models.brokenOff).toBe(1)
  })

  it('is cut off where the model server breaks off in the middle', async () => {
    models.answer = res => {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' })
      res.write('{"response":"Hel"}\n{"respo', () => res.destroy())
    }
    const call = await recorded(async () => {
      const response = await post('/ollama/api/generate', chat)
      await expect(response.text()).rejects.toThrow()
    })
    expect(call.errorText).toBe('The model server broke off.')
    expect(call.responseText).toContain('{\\"respo')
  })

  it('is 504 where the model server is silent for too long', async () => {
    models.answer = () => {}
    const call = await recorded(async () => {
      expect((await post('/ollama/api/chat', chat)).status).toBe(504)
    })
    expect(call).toMatchObject({
      httpStatus: null,
      responseText: null,
      errorText: 'The model server was silent for too long.',
    })
  })
})

describe('a path', () => {
  it.each([
    '/ollama/../../secret',
    '/ollama/%2e%2e/secret',
    '/ollama/a%2fb',
    '/ollama/%2e%2e%2fsecret',
    '/ollama/%ff',
    '/openai/../admin',
    '/openai/..%2fadmin',
    '/other/api',
    '/ollama',
  ])('such as %s leads nowhere but below the model server', async path => {
    models.answer = res => sendJson(res, '{}')
    const response = await rawPost(path)
    if (response === 200) {
      const urls = models.asked.map(({ url }) => url)
      expect(urls).toHaveLength(1)
      expect(path.startsWith('/ollama') || urls[0]?.startsWith('/v1/')).toBe(true)
    } else {
      expect(response).toBe(404)
      expect(models.asked).toEqual([])
    }
  })

  it('of another host is no way out', async () => {
    models.answer = res => sendJson(res, '{}')
    await rawPost('/ollama//127.0.0.1:1/x')
    expect(models.asked.map(({ url }) => url)).toEqual(['/127.0.0.1:1/x'])
  })
})

/** Without the tidying that fetch does to paths. */
function rawPost(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const req = request(
      {
        hostname,
        port,
        path: `/llm${path}`,
        method: 'POST',
        headers: { authorization: `Bearer ${ann.token}` },
      },
      res => {
        res.resume()
        res.on('end', () => resolve(res.statusCode ?? 0))
      },
    )
    req.on('error', reject)
    req.end(chat)
  })
}

it('is not passed on where no model server is configured', async () => {
  const bare = await startApi()
  try {
    const { origin: other } = new URL(bare.url)
    const response = await fetch(`${other}/llm/openai/v1/models`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { message: 'OPENAI_URL is not set.' } })
  } finally {
    await bare.close()
  }
})
