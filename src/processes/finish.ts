import type { Caller } from '../core/context.ts'
import { badInput } from '../core/errors.ts'
import { type Json, replaceUnstorableJson } from '../core/json.ts'
import { sql } from '../core/sql.ts'
import type { ProcessRun, RunStatus } from '../generated/prisma/client.ts'
import { endRun } from './end-run.ts'
import { whyDegraded } from './json-schema.ts'
import { heldProcess, withLease } from './lease.ts'
import { machineText } from './machine-text.ts'
import { appendToRun } from './processes.events.ts'
import { changeRun } from './run-row.sql.ts'

export interface FinishRun {
  lease: string
  status: RunStatus
  result?: Json | undefined
  errorText?: string | null | undefined
}

/**
 * Ends the run. A success whose result does not meet the process's output schema counts as degraded.
 * @throws FORBIDDEN, LEASE_LOST, BAD_USER_INPUT for a status that is no end of work, and
 * ILLEGAL_TRANSITION where the run has ended; then the result is kept as an event
 */
export async function finishRun(caller: Caller, input: FinishRun): Promise<ProcessRun> {
  const { lease, status } = input
  if (status !== 'succeeded' && status !== 'degraded' && status !== 'failed') {
    throw badInput('A run is finished as SUCCEEDED, DEGRADED or FAILED.', 'status')
  }
  const result = replaceUnstorableJson(input.result ?? null)
  const error = machineText(input.errorText)
  const process = status === 'succeeded' ? await heldProcess(caller, lease) : undefined
  const reason = process ? await whyDegraded(process.outputSchema as Json, result.value) : null
  return withLease(
    caller,
    lease,
    (tx, run) =>
      endRun(tx, run, {
        status: reason === null ? status : 'degraded',
        errorText: reason ?? error.text,
        result: input.result == null ? null : JSON.stringify(result.value),
        replacedText: result.replaced || error.replaced,
      }),
    result.value,
  )
}

/**
 * Keeps what there is so far, in place of what was kept before.
 * @throws FORBIDDEN, LEASE_LOST, and ILLEGAL_TRANSITION where the run has ended; then the result is kept
 * as an event
 */
export async function reportPartialResult(
  caller: Caller,
  lease: string,
  result: Json,
): Promise<ProcessRun> {
  const { value, replaced } = replaceUnstorableJson(result)
  return withLease(
    caller,
    lease,
    async (tx, run) => {
      const changed = await changeRun(
        tx,
        run.id,
        sql`partial_result = ${JSON.stringify(value)}::jsonb, replaced_text = r.replaced_text or ${replaced}`,
      )
      return appendToRun(tx, changed, [{ type: 'result', partialResult: value, late: false }])
    },
    value,
  )
}
