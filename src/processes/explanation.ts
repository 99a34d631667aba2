import { type Connection, childPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import type { ProcessRun } from '../generated/prisma/client.ts'

/** What a run was started by. */
export const originOf = ({ scheduledFor, rerunOfId, sourceMessageId, chatId }: ProcessRun) => {
  if (scheduledFor) return 'schedule'
  if (rerunOfId) return 'rerun'
  if (sourceMessageId) return 'message'
  return chatId ? 'chat' : 'user'
}

/** Something that happened in a run, told from what is kept of it. */
export interface ExplanationEntry {
  kind: 'started' | 'step' | 'llmCall' | 'artifact' | 'asked' | 'answered' | 'ended'
  at: Date
  /** The key of the step, call, artifact or question; the run's for its start and end. */
  id: string
  /** The key of a step, the model of a call, the type of an artifact, the status of an end, a prompt. */
  name: string
  status: string | null
  reason: string | null
}

/** So much of a reason or a prompt is told; the thing itself has the rest. */
const maxReason = 2_000

/**
 * entries: what is kept of a run under `parent.id`, each part by the index of its run. A step is told
 * when it has ended, or else begun; of what it put out, its verdict.
 */
const entries = raw(`(
  select 1 as place, 'started' as kind, r.started_at as at, r.id::text as id, coalesce(r.worker, '') as name,
      null as status, null as reason
    from process_runs r where r.id = parent.id and r.started_at is not null
  union all
  select 2, 'step', coalesce(s.finished_at, s.started_at), s.id::text, s.step_key, s.status::text,
      left(coalesce(s.error_text, s.output_payload ->> 'reason'), ${maxReason})
    from process_run_steps s
    where s.run_id = parent.id and coalesce(s.finished_at, s.started_at) is not null
  union all
  select 3, 'llmCall', lc.created_at, lc.id::text, lc.model, lc.http_status::text, left(lc.error_text, ${maxReason})
    from llm_calls lc where lc.run_id = parent.id
  union all
  select 4, 'artifact', a.created_at, a.id::text, a.artifact_type, null, null
    from process_artifacts a where a.run_id = parent.id
  union all
  select 5, 'asked', q.asked_at, q.id::text, left(q.prompt, ${maxReason}), null, null
    from process_run_questions q where q.run_id = parent.id
  union all
  select 6, 'answered', q.answered_at, q.id::text, left(q.prompt, ${maxReason}), null, null
    from process_run_questions q where q.run_id = parent.id and q.answered_at is not null
  union all
  select 7, 'ended', r.finished_at, r.id::text, r.status::text, r.status::text, left(r.error_text, ${maxReason})
    from process_runs r where r.id = parent.id and r.finished_at is not null
) e`)

const inTime: Order = {
  name: 'explanation',
  columns: [
    { expression: raw('e.at'), type: 'timestamptz' },
    { expression: raw('e.place'), type: 'bigint' },
    { expression: raw('e.id'), type: 'text' },
  ],
}

/** What happened in a run that the viewer sees, in its order. */
export const explanationEntries = (
  caller: Caller,
  runId: string,
  args: PageArgs,
): Promise<Connection<ExplanationEntry>> =>
  childPage(
    caller,
    runId,
    {
      name: 'explanation of a run',
      parentType: 'uuid',
      columns: raw('e.kind, e.at, e.id, e.name, e.status, e.reason'),
      from: entries,
      where: raw('true'),
    },
    inTime,
    args,
  )

/** The prompt as it was rendered last, by what the step `render_prompt` put out. */
export function promptOf({ db, loaders }: Caller, runId: string): Promise<string | null> {
  const ofRuns = loaders.use('rendered prompt', async (ids: readonly string[]) => {
    const rows = await query<{ runId: string; prompt: string | null }>(
      db.pool,
      sql`select distinct on (s.run_id) s.run_id as "runId", s.output_payload ->> 'prompt' as prompt
        from process_run_steps s
        where s.run_id = any(${ids}::uuid[]) and s.step_key = 'render_prompt'
        order by s.run_id, s.attempt desc`,
    )
    const found = new Map(rows.map(({ runId, prompt }) => [runId, prompt]))
    return ids.map(id => found.get(id) ?? null)
  })
  return ofRuns.load(runId)
}

const origins: Record<ReturnType<typeof originOf>, string> = {
  user: 'It was asked for by a user.',
  chat: 'It was asked for in a chat.',
  message: 'It was started from a message.',
  rerun: 'It repeats an earlier run.',
  schedule: 'The schedule of its process started it.',
}

const ends: Partial<Record<ProcessRun['status'], string>> = {
  queued: 'It waits for a worker',
  running: 'It is being carried out',
  waiting_user: 'It waits for an answer',
  succeeded: 'It succeeded',
  degraded: 'It ended with less than was asked',
  failed: 'It failed',
  cancelled: 'It was cancelled',
}

/** A run in a few sentences. */
export function summaryOf(run: ProcessRun): string {
  const { status, startedAt, finishedAt, errorText, worker, attempt } = run
  const sentences = [origins[originOf(run)]]
  if (worker) {
    const times = attempt > 1 ? `, the last of ${attempt} that claimed it` : ''
    sentences.push(`The worker is ${worker}${times}.`)
  }
  const seconds =
    startedAt && finishedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1_000 : undefined
  const after = seconds === undefined ? '' : ` after ${seconds} seconds`
  sentences.push(`${ends[status]}${after}${errorText ? `: ${errorText}` : '.'}`)
  return sentences.join(' ')
}
