import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { PerformanceOfQuery } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'

let api: Api
let ann: Client
let last: { ofAnn: string; ofAll: string }

const statuses = ['succeeded', 'failed', 'degraded', 'cancelled', 'waiting_user', 'queued'] as const

beforeAll(async () => {
  api = await startApi()
  const seed = new SeededRuns(api)
  ann = await api.signUp('ann')
  await api.signUp('bob')
  const process = await seed.process('search')
  const runs: string[] = []
  for (let n = 0; n < 30; n++) {
    const run = await seed.run(process, {
      by: n % 3 === 0 ? 'ann' : 'bob',
      status: statuses[n % statuses.length] ?? 'queued',
      at: `2026-01-01T00:00:${String(n).padStart(2, '0')}Z`,
      started: n,
      finished: 2 * n + (n % 7),
    })
    if (n % 2 === 0) await seed.llmCall({ run })
    runs.push(globalId.run(run))
  }
  await api.db.pool.query(`update llm_calls set created_at = r.created_at, prompt_tokens = 2000000000
    from process_runs r where r.id = run_id`)
  last = { ofAnn: runs[27] ?? '', ofAll: runs[29] ?? '' }
  await seed.process('unused')
})
afterAll(() => api.close())

const Performance = graphql(`
  query PerformanceOf($code: String!, $since: DateTime) {
    process(code: $code) {
      performance(since: $since) {
        total
        byStatus { status count }
        successRate
        queueWaitMs { p50 p95 p99 }
        durationMs { p50 p95 p99 }
        llmCalls
        promptTokens
        completionTokens
        lastRun { id }
      }
    }
  }
`)

type Figures = NonNullable<PerformanceOfQuery['process']>['performance']

const performance = async (client: Client, code: string, since?: string) => {
  const { process } = await client.run(Performance, { code, since })
  if (!process) throw new Error('there is no such process')
  return process.performance
}

/** The figures under the names of the view's columns. */
const columnsOf = ({ byStatus, queueWaitMs, durationMs, ...figures }: Figures) => ({
  total: figures.total,
  ...Object.fromEntries(byStatus.map(({ status, count }) => [status.toLowerCase(), count])),
  success_rate: figures.successRate,
  queue_wait_ms_p50: queueWaitMs.p50,
  queue_wait_ms_p95: queueWaitMs.p95,
  queue_wait_ms_p99: queueWaitMs.p99,
  duration_ms_p50: durationMs.p50,
  duration_ms_p95: durationMs.p95,
  duration_ms_p99: durationMs.p99,
  llm_calls: figures.llmCalls,
  prompt_tokens: figures.promptTokens,
  completion_tokens: figures.completionTokens,
})

async function viewOf(code: string) {
  const { rows } = await api.db.pool.query(
    `select total::int, queued::int, running::int, waiting_user::int, succeeded::int, degraded::int,
      failed::int, cancelled::int, success_rate, queue_wait_ms_p50, queue_wait_ms_p95,
      queue_wait_ms_p99, duration_ms_p50, duration_ms_p95, duration_ms_p99, llm_calls::int,
      prompt_tokens::float8, completion_tokens::float8
      from mart.vw_process_performance where code = $1`,
    [code],
  )
  return rows[0]
}

describe('the performance of a process', () => {
  it.each(['search', 'unused'])(
    'is for an administrator what the view tells of «%s»',
    async code => {
      expect(columnsOf(await performance(api.admin, code))).toEqual(await viewOf(code))
    },
  )

  it('counts tokens beyond what an Int holds, and has the last run', async () => {
    expect(await performance(api.admin, 'search')).toMatchObject({
      llmCalls: 15,
      promptTokens: 30_000_000_000,
      lastRun: { id: last.ofAll },
    })
  })

  it('is nothing where nothing has run', async () => {
    expect(await performance(api.admin, 'unused')).toMatchObject({
      total: 0,
      successRate: null,
      durationMs: { p50: null, p95: null, p99: null },
      lastRun: null,
    })
  })

  it('counts only one’s own runs for anybody else', async () => {
    const own = await performance(ann, 'search')
    expect(own).toMatchObject({
      total: 10,
      successRate: 1,
      llmCalls: 5,
      completionTokens: 25,
      lastRun: { id: last.ofAnn },
    })
    expect(own.byStatus.filter(({ count }) => count > 0)).toEqual([
      { status: 'SUCCEEDED', count: 5 },
      { status: 'CANCELLED', count: 5 },
    ])
  })

  it('counts only what was created since', async () => {
    expect(await performance(api.admin, 'search', '2026-01-01T00:00:20Z')).toMatchObject({
      total: 10,
      llmCalls: 5,
    })
    expect(await performance(api.admin, 'search', '2026-02-01T00:00:00Z')).toMatchObject({
      total: 0,
      llmCalls: 0,
      lastRun: null,
    })
  })

  it('has its moments side by side under aliases', async () => {
    const { process } = await api.admin.run(
      graphql(`
        query TwoPerformances {
          process(code: "search") {
            all: performance { total }
            late: performance(since: "2026-01-01T00:00:25Z") { total }
          }
        }
      `),
    )
    expect(process).toEqual({ all: { total: 30 }, late: { total: 5 } })
  })
})
