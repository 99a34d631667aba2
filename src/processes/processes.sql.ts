import type { Viewer } from '../core/context.ts'
import { raw, type Sql, sql } from '../core/sql.ts'
import { canSeeAllProcesses, visibleRunsOf } from './permissions.ts'

// Columns under the names of the Prisma models. Those that can be large are not among them: they are
// read by a loader of their own where they are selected.

export const processColumns = raw(
  'p.id, p.code, p.name, p.description, p.prompt_template as "promptTemplate", p.default_model as "defaultModel", p.n8n_workflow_id as "n8nWorkflowId", p.n8n_webhook_path as "n8nWebhookPath", p.output_schema as "outputSchema", p.auto_run as "autoRun", p.status, p.metadata, p.created_at as "createdAt"',
)

export const runColumns = raw(
  'r.id, r.process_id as "processId", r.requested_by as "requestedById", r.chat_id as "chatId", r.source_message_id as "sourceMessageId", r.status, r.n8n_execution_id as "n8nExecutionId", r.error_text as "errorText", r.replaced_text as "replacedText", r.created_at as "createdAt", r.started_at as "startedAt", r.finished_at as "finishedAt", r.rerun_of as "rerunOfId", r.idempotency_key as "idempotencyKey", r.attempt, r.last_seq as "lastSeq", r.deadline_at as "deadlineAt", r.lease_hash as "leaseHash", r.lease_expires_at as "leaseExpiresAt", r.lease_seconds as "leaseSeconds", r.worker, r.claimed_by as "claimedById", r.scheduled_for as "scheduledFor"',
)

export const stepColumns = raw(
  's.id, s.run_id as "runId", s.attempt, s.step_key as "stepKey", s.status, s.started_at as "startedAt", s.finished_at as "finishedAt", s.error_text as "errorText", s.replaced_text as "replacedText", s.position',
)

export const artifactColumns = raw(
  'a.id, a.run_id as "runId", a.artifact_type as "artifactType", a.metadata, a.replaced_text as "replacedText", a.created_at as "createdAt"',
)

export const questionColumns = raw(
  'q.id, q.run_id as "runId", q.prompt, q.schema, q.asked_at as "askedAt", q.answered_at as "answeredAt", q.answer',
)

export const llmCallColumns = raw(
  'lc.id, lc.scope, lc.process_id as "processId", lc.run_id as "runId", lc.step_id as "stepId", lc.recorded_by as "recordedById", lc.model, lc.endpoint, lc.latency_ms as "latencyMs", lc.http_status as "httpStatus", lc.error_text as "errorText", lc.prompt_tokens as "promptTokens", lc.completion_tokens as "completionTokens", lc.replaced_text as "replacedText", lc.idempotency_key as "idempotencyKey", lc.created_at as "createdAt"',
)

export const chatColumns = raw(
  'ch.id, ch.title, ch.owner_id as "ownerId", ch.created_at as "createdAt"',
)

/** Processes of alias `p` that the viewer may see: a paused one still takes runs, so it is among them. */
export function visibleProcesses(viewer: Viewer): Sql {
  if (canSeeAllProcesses(viewer)) return raw('true')
  return sql`(p.status in ('active', 'paused') or exists (
    select from process_runs mine where mine.process_id = p.id and mine.requested_by = ${viewer.userId}::uuid))`
}

/** Runs of alias `r` that the viewer may see. */
export function visibleRuns(viewer: Viewer): Sql {
  switch (visibleRunsOf(viewer)) {
    case 'all':
      return raw('true')
    case 'requested':
      return sql`r.requested_by = ${viewer.userId}::uuid`
    case 'claimable':
      return sql`(r.claimed_by = ${viewer.userId}::uuid or r.lease_expires_at is null
        and r.status in ('queued', 'running')
        and exists (select from processes open where open.id = r.process_id and open.status = 'active'))`
  }
}

/** What hangs on a run, under the rights of the run; `runId` is a column of what hangs on it. */
export const ofVisibleRuns = (viewer: Viewer, runId: Sql): Sql =>
  visibleRunsOf(viewer) === 'all'
    ? raw('true')
    : sql`exists (select from process_runs r where r.id = ${runId} and ${visibleRuns(viewer)})`

/** LLM calls of alias `lc` that the viewer may see: of its runs, and those it recorded itself. */
export const visibleLlmCalls = (viewer: Viewer): Sql =>
  sql`(${ofVisibleRuns(viewer, raw('lc.run_id'))} or lc.recorded_by = ${viewer.userId}::uuid)`

/** Chats of alias `ch` that the viewer may see. */
export function visibleChats(viewer: Viewer): Sql {
  if (viewer.kind === 'ADMIN') return raw('true')
  if (viewer.kind === 'WORKER') return raw('false')
  return sql`ch.owner_id = ${viewer.userId}::uuid`
}
