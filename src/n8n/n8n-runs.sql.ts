import type { Database } from '../core/database.ts'
import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { hashLease } from '../processes/lease.ts'
import { appendToRun } from '../processes/processes.events.ts'
import type { LockedRun } from '../processes/run-row.sql.ts'
import type { NodeStep } from './execution.ts'

/** The step that tells of the handing over. */
export const dispatchStep = 'dispatch'

/** n8n processes: the codes of those whose runs n8n carries out. */
export async function n8nCodes({ pool }: Database): Promise<string[]> {
  const rows = await query<{ code: string }>(
    pool,
    sql`select code from processes where status = 'active' and n8n_webhook_path is not null order by code`,
  )
  return rows.map(({ code }) => code)
}

/** What n8n is told of a run. */
export interface DispatchedRun {
  processCode: string
  webhookPath: string | null
  attempt: number
  inputText: string | null
  /** As the text of their JSON. */
  inputPayload: string | null
  answer: string | null
  requestedBy: string | null
}

/** dispatch: what n8n needs of a run, with the answer of its last question. */
export async function dispatchedRun(
  { pool }: Database,
  id: string,
): Promise<DispatchedRun | undefined> {
  const [run] = await query<DispatchedRun>(
    pool,
    sql`select p.code as "processCode", p.n8n_webhook_path as "webhookPath", r.attempt,
        r.input_text as "inputText", r.input_payload::text as "inputPayload", u.login as "requestedBy",
        (select q.answer::text from process_run_questions q
          where q.run_id = r.id and q.answered_at is not null
          order by q.answered_at desc limit 1) as answer
      from process_runs r join processes p on p.id = r.process_id
      left join core.users u on u.id = r.requested_by
      where r.id = ${id}::uuid`,
  )
  return run
}

/** forget: the execution of an earlier claim, whose end would end this one. */
export async function forgetExecution({ pool }: Database, lease: string): Promise<void> {
  await query(
    pool,
    sql`update process_runs set n8n_execution_id = null where lease_hash = ${hashLease(lease)}`,
  )
}

/** reported: whether n8n has the run, although its webhook has not said so. */
export async function hasReported({ pool }: Database, lease: string): Promise<boolean> {
  const [run] = await query<{ isWaiting: boolean }>(
    pool,
    sql`select r.status = 'running' and r.n8n_execution_id is null and not exists (
          select from process_run_steps s
          where s.run_id = r.id and s.attempt = r.attempt and s.step_key <> ${dispatchStep}) as "isWaiting"
      from process_runs r where r.lease_hash = ${hashLease(lease)}`,
  )
  return !run?.isWaiting
}

/** accept: n8n has the run, and its lease goes on for longer. */
export async function acceptRun(
  { pool }: Database,
  lease: string,
  executionId: string | null,
  leaseSeconds: number,
): Promise<void> {
  await query(
    pool,
    sql`update process_runs set n8n_execution_id = coalesce(${executionId}, n8n_execution_id),
        lease_seconds = ${leaseSeconds}::int,
        lease_expires_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}::int)
      where lease_hash = ${hashLease(lease)} and lease_expires_at > clock_timestamp()`,
  )
}

/** note: the execution that a callback comes from. */
export async function noteExecution({ pool }: Database, lease: string, id: string): Promise<void> {
  await query(
    pool,
    sql`update process_runs set n8n_execution_id = ${id}
      where lease_hash = ${hashLease(lease)} and n8n_execution_id is distinct from ${id}`,
  )
}

export interface ExecutedRun {
  id: string
  executionId: string
  isCancelled: boolean
}

/** executions: of runs that n8n has in hand, and of those that were cancelled lately. */
export function executions({ pool }: Database, userId: string): Promise<ExecutedRun[]> {
  return query<ExecutedRun>(
    pool,
    sql`select id, n8n_execution_id as "executionId", status = 'cancelled' as "isCancelled"
      from process_runs
      where claimed_by = ${userId}::uuid and n8n_execution_id is not null
        and (status = 'running' and lease_expires_at is not null
          or status = 'cancelled' and finished_at > now() - interval '5 minutes')
      order by id limit 1000`,
  )
}

/** import: nodes as steps of a run that is locked; what was told already stays as it is. */
export async function importSteps(
  tx: Tx,
  run: LockedRun,
  steps: readonly NodeStep[],
): Promise<void> {
  for (const { stepKey, status, startedAt, finishedAt, errorText } of steps) {
    const [step] = await query<{ id: string }>(
      tx,
      sql`insert into process_run_steps (run_id, attempt, step_key, status, started_at, finished_at, error_text, position)
        select ${run.id}::uuid, ${run.attempt}::int, ${stepKey}, ${status}::step_status, ${startedAt}::timestamptz,
          ${finishedAt}::timestamptz, ${errorText}, coalesce(max(position), 0) + 1
        from process_run_steps where run_id = ${run.id}::uuid
        on conflict (run_id, attempt, step_key) do nothing
        returning id`,
    )
    if (!step) continue
    await appendToRun(tx, run, [
      { type: 'step', stepId: step.id, stepKey, from: null, to: status, errorText },
    ])
  }
}
