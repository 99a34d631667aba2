import type { Caller } from '../core/context.ts'
import { illegalTransition, limitExceeded } from '../core/errors.ts'
import { type Json, replaceUnstorableJson } from '../core/json.ts'
import { normalizeName } from '../core/names.ts'
import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import type { ProcessRun, ProcessRunStep, StepStatus } from '../generated/prisma/client.ts'
import { withLease } from './lease.ts'
import { machineText } from './machine-text.ts'
import { appendToRun } from './processes.events.ts'
import { stepColumns } from './processes.sql.ts'
import { stepVerdict } from './transitions.ts'

const maxSteps = 1_000

export interface ReportStep {
  stepKey: string
  status: StepStatus
  errorText?: string | null | undefined
  outputPayload?: Json | undefined
}

interface CheckedStep {
  stepKey: string
  status: StepStatus
  errorText: string | null
  /** As the text of its JSON. */
  output: string | null
  replacedText: boolean
}

/**
 * Brings a step of the run into a status. A repeat, and a start that comes after the end, change
 * nothing.
 * @throws FORBIDDEN, LEASE_LOST, BAD_USER_INPUT, LIMIT_EXCEEDED, and ILLEGAL_TRANSITION for an end without
 * a start, another end than the first, and a run that has ended
 */
export async function reportStep(
  caller: Caller,
  lease: string,
  input: ReportStep,
): Promise<ProcessRunStep> {
  const error = machineText(input.errorText)
  const output = replaceUnstorableJson(input.outputPayload ?? null)
  const wanted: CheckedStep = {
    stepKey: normalizeName(input.stepKey, 'input.stepKey', 200),
    status: input.status,
    errorText: error.text,
    output: input.outputPayload == null ? null : JSON.stringify(output.value),
    replacedText: error.replaced || output.replaced,
  }
  return withLease(caller, lease, async (tx, run) => {
    const known = await findStep(tx, run, wanted.stepKey)
    const from = known?.status ?? null
    const verdict = stepVerdict(from, wanted.status)
    if (verdict === 'refused') {
      const was = from === null ? 'has not started' : `is ${from}`
      throw illegalTransition(`The step ${was} and cannot become ${wanted.status}.`)
    }
    if (verdict === 'kept' && known) return known
    const step = known ? await changeStep(tx, known.id, wanted) : await addStep(tx, run, wanted)
    const { id, stepKey, status, errorText } = step
    await appendToRun(tx, run, [{ type: 'step', stepId: id, stepKey, from, to: status, errorText }])
    return step
  })
}

async function findStep(
  tx: Tx,
  run: ProcessRun,
  stepKey: string,
): Promise<ProcessRunStep | undefined> {
  const [step] = await query<ProcessRunStep>(
    tx,
    sql`select ${stepColumns} from process_run_steps s
      where s.run_id = ${run.id}::uuid and s.attempt = ${run.attempt} and s.step_key = ${stepKey}`,
  )
  return step
}

async function changeStep(tx: Tx, id: string, step: CheckedStep): Promise<ProcessRunStep> {
  const [changed] = await query<ProcessRunStep>(
    tx,
    sql`update process_run_steps s set status = ${step.status}::step_status,
        started_at = case when ${step.status} = 'running' then clock_timestamp() else s.started_at end,
        finished_at = case when ${step.status} = 'running' then null else clock_timestamp() end,
        error_text = ${step.errorText}, output_payload = ${step.output}::jsonb,
        replaced_text = s.replaced_text or ${step.replacedText}
      where s.id = ${id}::uuid returning ${stepColumns}`,
  )
  if (!changed) throw new Error('a step of a locked run was not there')
  return changed
}

async function addStep(tx: Tx, run: ProcessRun, step: CheckedStep): Promise<ProcessRunStep> {
  const [added] = await query<ProcessRunStep>(
    tx,
    sql`insert into process_run_steps as s (run_id, attempt, step_key, status, started_at, finished_at,
        error_text, output_payload, replaced_text, position)
      select ${run.id}::uuid, ${run.attempt}::int, ${step.stepKey}, ${step.status}::step_status,
        case when ${step.status} = 'running' then clock_timestamp() end,
        case when ${step.status} = 'skipped' then clock_timestamp() end,
        ${step.errorText}, ${step.output}::jsonb, ${step.replacedText}, places.next
      from (select coalesce(max(position), 0) + 1 as next from process_run_steps
        where run_id = ${run.id}::uuid) places
      where places.next <= ${maxSteps}
      returning ${stepColumns}`,
  )
  if (!added) throw limitExceeded(`A run has at most ${maxSteps} steps.`, 'input.stepKey')
  return added
}
