import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { LlmCallPageQueryVariables } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'

let api: Api
let run: string

beforeAll(async () => {
  api = await startApi()
  const seed = new SeededRuns(api)
  await api.signUp('ann')
  run = await seed.run(await seed.process('search'), { by: 'ann' })
  for (let n = 1; n <= 5; n++) {
    const error = n === 2 ? { error: 'refused' } : {}
    await seed.llmCall({ run }, { request: `{"n": ${n}}`, ...error })
  }
  await seed.llmCall({ by: 'ann' }, { request: '{"n": 6}' })
  await api.db.pool.query(`
    update llm_calls set model = case when (request_json->>'n')::int = 3 then 'other' else 'm' end,
      http_status = case when (request_json->>'n')::int = 4 then 503 else 200 end,
      created_at = '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => (request_json->>'n')::int / 2)`)
})
afterAll(() => api.close())

const Page = graphql(`
  query LlmCallPage($first: Int, $after: String, $filter: LlmCallFilter) {
    llmCalls(first: $first, after: $after, filter: $filter) {
      totalCount
      pageInfo { endCursor hasNextPage }
      edges { node { requestJson } }
    }
  }
`)

const page = async (variables: LlmCallPageQueryVariables) => {
  const { llmCalls } = await api.admin.run(Page, variables)
  return {
    ...llmCalls,
    numbers: llmCalls.edges.map(({ node }) => (node.requestJson as { n: number }).n),
  }
}

describe('the list of LLM calls', () => {
  it.each<[string, LlmCallPageQueryVariables['filter'], number[]]>([
    ['of everything', null, [6, 5, 4, 3, 2, 1]],
    ['of a scope', { scope: 'chat' }, [6]],
    ['of a model', { model: 'other' }, [3]],
    ['of a process', { processCode: 'search' }, [5, 4, 3, 2, 1]],
    ['of a process that is not there', { processCode: 'x' }, []],
    ['with an error', { hasError: true }, [4, 2]],
    ['without an error', { hasError: false, scope: 'process' }, [5, 3, 1]],
    ['of a scope that cannot be', { scope: '\u0000' }, []],
    [
      'of a time',
      { createdAfter: '2026-01-01T00:00:01Z', createdBefore: '2026-01-01T00:00:02Z' },
      [3, 2],
    ],
  ])('can be that %s, the newest first', async (_what, filter, expected) => {
    const found = await page({ filter })
    expect([found.numbers, found.totalCount]).toEqual([expected, expected.length])
  })

  it('can be that of a run', async () => {
    expect((await page({ filter: { runId: globalId.run(run) } })).totalCount).toBe(5)
    expect(await api.admin.refused(Page, { filter: { runId: 'x' } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'filter.runId',
    })
  })

  it('goes on behind a cursor, also between two of one time', async () => {
    const found: number[] = []
    for (let after: string | null = null, more = true; more; ) {
      const { numbers, pageInfo }: Awaited<ReturnType<typeof page>> = await page({
        first: 1,
        after,
      })
      found.push(...numbers)
      after = pageInfo.endCursor ?? null
      more = pageInfo.hasNextPage
    }
    expect(found).toEqual([6, 5, 4, 3, 2, 1])
  })
})

describe('what an LLM call sent and got', () => {
  it('is answered as values, and as text with every digit', async () => {
    const { rows } = await api.db.pool.query(
      `insert into llm_calls (scope, model, endpoint, request_json, response_json)
        values ('exact', 'm', 'e', '{"n": 9007199254740993, "f": 1.10}', '[1e400, "1e400", 0.5]') returning id`,
    )
    const { node } = await api.admin.run(
      graphql(`
        query ExactCall($id: ID!) {
          node(id: $id) {
            ... on LlmCall { requestJson requestText responseJson responseText promptTokens latencyMs }
          }
        }
      `),
      { id: globalId.llmCall(rows[0].id) },
    )
    expect(node).toEqual({
      requestJson: { n: '9007199254740993', f: 1.1 },
      requestText: '{"f": 1.10, "n": 9007199254740993}',
      responseJson: [`1${'0'.repeat(400)}`, '1e400', 0.5],
      responseText: `[1${'0'.repeat(400)}, "1e400", 0.5]`,
      promptTokens: null,
      latencyMs: null,
    })
    await api.db.pool.query(`delete from llm_calls where scope = 'exact'`)
  })
})
