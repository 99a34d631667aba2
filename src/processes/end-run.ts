import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import type { ProcessRun, ProcessRunStep } from '../generated/prisma/client.ts'
import { appendToRun, type RunHappening } from './processes.events.ts'
import { stepColumns } from './processes.sql.ts'
import { changeRun } from './run-row.sql.ts'
import type { RunEnd } from './transitions.ts'

export interface Ending {
  status: RunEnd
  errorText: string | null
  /** As the text of its JSON; left out, a degraded run keeps its partial result. */
  result?: string | null | undefined
  replacedText?: boolean
}

/**
 * Ends a run that is locked, with its open steps: one that ran has failed, one that was queued is
 * skipped. The caller has made sure that the run can come to this end.
 */
export async function endRun(tx: Tx, run: ProcessRun, ending: Ending): Promise<ProcessRun> {
  const { status, errorText, result, replacedText = false } = ending
  const partial = status === 'degraded' ? sql`r.partial_result` : sql`null::jsonb`
  await appendToRun(tx, run, await endSteps(tx, run.id, status))
  const ended = await changeRun(
    tx,
    run.id,
    sql`status = ${status}::run_status, finished_at = clock_timestamp(), deadline_at = null,
      lease_expires_at = null, error_text = ${errorText},
      result_payload = coalesce(${result ?? null}::jsonb, ${partial}),
      replaced_text = r.replaced_text or ${replacedText}`,
  )
  return appendToRun(tx, ended, [{ type: 'status', from: run.status, to: status, errorText }])
}

async function endSteps(tx: Tx, runId: string, end: RunEnd): Promise<RunHappening[]> {
  const ended = await query<ProcessRunStep & { from: 'queued' | 'running' }>(
    tx,
    sql`with open as (
        select id, status from process_run_steps where run_id = ${runId}::uuid and status in ('queued', 'running'))
      update process_run_steps s set
        status = case s.status when 'running' then 'failed'::step_status else 'skipped' end,
        finished_at = clock_timestamp(),
        error_text = case s.status when 'running' then ${`The run ended (${end}) before the step did.`} end
      from open where s.id = open.id returning ${stepColumns}, open.status as "from"`,
  )
  ended.sort((a, b) => a.position - b.position)
  return ended.map(({ id, stepKey, from, status, errorText }) => ({
    type: 'step',
    stepId: id,
    stepKey,
    from,
    to: status,
    errorText,
  }))
}
