import type { Caller } from '../core/context.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import type { RunStatus } from '../generated/prisma/client.ts'
import { seenCalls } from './llm-calls.sql.ts'
import { visibleRuns } from './processes.sql.ts'

/** The 50th, 95th and 99th of a hundred; null where there is nothing to measure. */
export type Percentiles = readonly number[] | null

/** What became of the runs of a process that the viewer may see. */
export interface Figures {
  processId: string
  since: Date | null
  total: number
  byStatus: Record<RunStatus, number>
  successRate: number | null
  queueWaitMs: Percentiles
  durationMs: Percentiles
  llmCalls: number
  promptTokens: number
  completionTokens: number
}

interface FiguresRow {
  processId: string
  statuses: Partial<Record<RunStatus, number>> | null
  queueWaitMs: Percentiles
  durationMs: Percentiles
  llmCalls: bigint
  promptTokens: bigint
  completionTokens: bigint
}

/**
 * The figures of mart.vw_process_performance, which says how they are reckoned, of what the viewer may
 * see and what was created since then.
 */
export function performanceOf(
  { viewer, db, loaders }: Caller,
  processId: string,
  since: Date | null,
): Promise<Figures> {
  const figures = loaders.use(
    `performance since ${since?.toISOString()}`,
    async (ids: readonly string[]) => {
      const rows = await query<FiguresRow>(
        db.pool,
        sql`select parent.id as "processId", r.*, c.*
          from unnest(${ids}::uuid[]) parent(id)
          cross join lateral (
            with seen as (
              select status, created_at, started_at, finished_at from process_runs r
              where r.process_id = parent.id and ${visibleRuns(viewer)} and ${isSince('r', since)})
            select (select json_object_agg(status, count) from (
                select status, count(*) from seen group by status) counted) as statuses,
              ${percentiles('started_at - created_at')} as "queueWaitMs",
              ${percentiles('finished_at - started_at')} as "durationMs"
            from seen) r
          cross join lateral (
            select count(*) as "llmCalls", coalesce(sum(prompt_tokens), 0)::int8 as "promptTokens",
              coalesce(sum(completion_tokens), 0)::int8 as "completionTokens"
            from (${seenCalls(viewer, {
              calls: sql`lc.process_id = parent.id and ${isSince('lc', since)}`,
              runs: raw('r.process_id = parent.id'),
            })}) seen) c`,
      )
      const found = new Map(rows.map(row => [row.processId, row]))
      return ids.map(id => toFigures(id, since, found.get(id)))
    },
  )
  return figures.load(processId)
}

const isSince = (alias: string, since: Date | null) =>
  since ? sql`${raw(alias)}.created_at >= ${since}` : raw('true')

const percentiles = (interval: string) =>
  raw(`percentile_cont(array[0.5, 0.95, 0.99]) within group (
    order by 1000 * extract(epoch from ${interval})::float8)`)

function toFigures(processId: string, since: Date | null, row: FiguresRow | undefined): Figures {
  const byStatus = { ...noRuns, ...row?.statuses }
  const { succeeded, degraded, failed } = byStatus
  const ended = succeeded + degraded + failed
  return {
    processId,
    since,
    total: Object.values(byStatus).reduce((sum, count) => sum + count, 0),
    byStatus,
    successRate: ended === 0 ? null : succeeded / ended,
    queueWaitMs: row?.queueWaitMs ?? null,
    durationMs: row?.durationMs ?? null,
    llmCalls: Number(row?.llmCalls ?? 0),
    promptTokens: Number(row?.promptTokens ?? 0),
    completionTokens: Number(row?.completionTokens ?? 0),
  }
}

const noRuns: Record<RunStatus, number> = {
  queued: 0,
  running: 0,
  waiting_user: 0,
  succeeded: 0,
  degraded: 0,
  failed: 0,
  cancelled: 0,
}
