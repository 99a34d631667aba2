import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { LlmCallInput } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'

let api: Api
let worker: Client
let user: Client
beforeAll(async () => {
  api = await startApi()
  worker = await api.signUp('worker', { kind: 'WORKER' })
  user = await api.signUp('user')
  await api.admin.run(CreateProcess)
})
afterAll(() => api.close())

const CreateProcess = graphql(`
  mutation AuditProcess {
    createProcess(input: { code: "audit", name: "audit", status: ACTIVE }) { id }
  }
`)
const Start = graphql(`mutation AuditStart { startRun(input: { processCode: "audit" }) { id } }`)
const Claim = graphql(`
  mutation AuditClaim { claimRuns(worker: "audit", max: 1) { lease run { id } } }
`)
const Finish = graphql(`
  mutation AuditFinish($lease: String!) { finishRun(lease: $lease, status: SUCCEEDED) { id } }
`)
const Record = graphql(`
  mutation AuditRecord($lease: String, $input: LlmCallInput!) {
    recordLlmCall(lease: $lease, input: $input) {
      id
      requestJson
      requestText
      responseJson
      responseText
      endpoint
      errorText
      promptTokens
      completionTokens
      replacedText
      run { id }
      process { code }
    }
  }
`)
const Run = graphql(`
  query AuditRun($id: ID!) {
    run(id: $id) {
      llmCalls { totalCount }
      events { ... on RunLlmCalled { llmCall { id } } }
    }
  }
`)

const call: LlmCallInput = {
  scope: 'process',
  model: 'phi4-mini',
  endpoint: 'http://ollama:11434/api/chat',
  requestJson: { messages: [], temperature: 0.7 },
}
const key = 'sk-abcdefghijklmnop1234'
const record = async (input: Partial<LlmCallInput> = {}, client = user, lease?: string) =>
  (await client.run(Record, { lease: lease ?? null, input: { ...call, ...input } })).recordLlmCall

async function claimed() {
  const { startRun } = await user.run(Start)
  const [first] = (await worker.run(Claim)).claimRuns
  return { id: startRun.id, lease: first?.lease ?? '' }
}

describe('an LLM call', () => {
  it('belongs to the run of its lease, and is one of its events', async () => {
    const { id, lease } = await claimed()
    const recorded = await record({}, worker, lease)
    expect(recorded).toMatchObject({ run: { id }, process: { code: 'audit' } })
    const { run } = await user.run(Run, { id })
    expect(run?.llmCalls.totalCount).toBe(1)
    expect(run?.events.at(-1)).toEqual({ llmCall: { id: recorded.id } })
  })

  it('is recorded for a run that has ended too, but not with a lease that nobody knows', async () => {
    const { id, lease } = await claimed()
    await worker.run(Finish, { lease })
    expect((await record({}, worker, lease)).run?.id).toBe(id)
    expect(await worker.verdict(Record, { lease: 'lease_x', input: call })).toBe('LEASE_LOST')
    expect(await user.verdict(Record, { lease, input: call })).toBe('FORBIDDEN')
  })

  it('has no secrets, wherever they stand', async () => {
    const { id: _id, ...shown } = await record({
      endpoint: `https://user:${key}@models.example/v1?api_key=${key}&x=1`,
      requestJson: {
        headers: { Authorization: `Bearer ${key}`, 'X-Api-Key': 'short1', accept: 'json' },
        list: [{ name: 'authorization', value: 'Basic dXNlcjpwYXNzd29yZA==' }],
        messages: [{ role: 'user', content: `my key is ${key}` }],
        max_tokens: 100,
      },
      responseJson: { error: `Incorrect API key provided: ${key}` },
      errorText: `401 for ${key} and short1`,
    })
    const text = JSON.stringify(shown)
    expect(text).not.toContain(key)
    expect(text).not.toContain('short1')
    expect(text).not.toContain('dXNlcjpwYXNzd29yZA')
    expect(shown.requestJson).toMatchObject({
      headers: { Authorization: '[redacted]', accept: 'json' },
      max_tokens: 100,
    })
    const { rows } = await api.db.pool.query('select * from llm_calls')
    expect(
      JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? `${value}` : value)),
    ).not.toContain(key)
  })

  it('keeps every digit of the numbers that are sent as text', async () => {
    const responseText = '{"seed": 4944116822809979520, "e": 1e400, "f": 1.10}'
    const recorded = await record({
      requestJson: null,
      requestText: '{"n":9007199254740993}',
      responseText,
    })
    expect(recorded.requestText.replaceAll(' ', '')).toBe('{"n":9007199254740993}')
    expect(recorded.requestJson).toEqual({ n: '9007199254740993' })
    expect(recorded.responseText).toContain('4944116822809979520')
    expect(recorded.responseText).toContain('"f": 1.1')
  })

  it.each([
    [{ usage: { prompt_tokens: 3, completion_tokens: 4 } }, 3, 4],
    [{ usage: { input_tokens: 5, output_tokens: 6 } }, 5, 6],
    [{ prompt_eval_count: 7, eval_count: 8 }, 7, 8],
    [{ usage: { prompt_tokens: -1, completion_tokens: 'many' } }, null, null],
    ['no object', null, null],
  ])('has the token counts that %j tells', async (responseJson, prompt, completion) => {
    const recorded = await record({ responseJson })
    expect(recorded.promptTokens).toBe(prompt)
    expect(recorded.completionTokens).toBe(completion)
  })

  it('is recorded with characters that cannot be stored, and with an answer that is no JSON', async () => {
    const recorded = await record({ responseText: '<html>\u0000', errorText: '\ud800' })
    expect(recorded).toMatchObject({
      responseJson: '<html>\ufffd',
      errorText: '\ufffd',
      replacedText: true,
    })
  })

  it('keeps as text what is JSON that a database cannot hold', async () => {
    const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const vast = '{"n": 1e999999}'
    for (const text of [nested, vast]) {
      const recorded = await record({ requestJson: null, requestText: text, responseText: text })
      expect(recorded).toMatchObject({ requestJson: text, responseJson: text })
    }
  })

  it('has an error text that is cut, but not through a secret', async () => {
    const recorded = await record({ errorText: `${'a '.repeat(49_995)}${key}` })
    expect(recorded.errorText).toMatch(/a \[redacted\]?…?$/)
    expect(recorded.errorText).not.toContain('sk-')
  })

  it('with the same key is recorded once, however often it is sent at once', async () => {
    const sent = Array.from({ length: 10 }, () => record({ idempotencyKey: 'once' }))
    expect(new Set((await Promise.all(sent)).map(({ id }) => id)).size).toBe(1)
    const other = { ...call, idempotencyKey: 'once', model: 'another' }
    expect(await user.verdict(Record, { lease: null, input: other })).toBe('CONFLICT')
  })

  it('of another run is not the one with the same key', async () => {
    const [first, second] = [await claimed(), await claimed()]
    const input = { ...call, idempotencyKey: 'of a run' }
    const { id } = await record(input, worker, first.lease)
    expect((await record(input, worker, first.lease)).id).toBe(id)
    for (const lease of [second.lease, null]) {
      expect(await worker.verdict(Record, { lease, input })).toBe('CONFLICT')
    }
    const { run } = await user.run(Run, { id: first.id })
    expect(run?.llmCalls.totalCount).toBe(1)
  })

  it.each([
    ['input.requestJson', { requestJson: null }],
    ['input.requestText', { requestText: '{}' }],
    ['input.latencyMs', { latencyMs: -1 }],
    ['input.httpStatus', { httpStatus: 99 }],
    ['input.endpoint', { endpoint: '' }],
    ['input.model', { model: ' ' }],
  ])('is refused for what is wrong at %s', async (field, wrong) => {
    const input = { ...call, ...wrong }
    expect(await user.refused(Record, { lease: null, input })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field,
    })
  })
})
