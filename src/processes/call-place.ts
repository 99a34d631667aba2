import type { Caller } from '../core/context.ts'
import { badInput, notFound } from '../core/errors.ts'
import { readIdOf, uuidKey } from '../core/ids.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { hashLease, leaseLost } from './lease.ts'
import { canWork } from './permissions.ts'
import { processByCode } from './process-list.ts'

/** Where a call of a language model belongs, as whoever makes it says. */
export interface NamedPlace {
  processCode?: string | undefined
  lease?: string | undefined
  /** A global id. */
  step?: string | undefined
}

/** The same by ids. The process is that of the run, where there is one. */
export interface CallPlace {
  processId?: string
  stepId?: string
}

/**
 * Makes sure of a place before the call is made.
 * @throws BAD_USER_INPUT, NOT_FOUND, LEASE_LOST, with `fieldOf` the name of what is wrong
 */
export async function findCallPlace(
  caller: Caller,
  { processCode, lease, step }: NamedPlace,
  fieldOf: Record<keyof NamedPlace, string>,
): Promise<CallPlace> {
  if (lease === undefined) {
    if (step !== undefined)
      throw badInput('A step is named with the lease of its run.', fieldOf.step)
    if (processCode === undefined) return {}
    const process = await processByCode(caller, processCode)
    if (!process) throw notFound('process', fieldOf.processCode)
    return { processId: process.id }
  }
  if (processCode !== undefined) {
    throw badInput('With a lease, the process is that of the run.', fieldOf.processCode)
  }
  const stepId = step === undefined ? null : uuidKey(readIdOf('ProcessRunStep', step, fieldOf.step))
  if (stepId === undefined) throw notFound('step', fieldOf.step)
  const [found] = canWork(caller.viewer)
    ? await query<{ processId: string; hasStep: boolean }>(
        caller.db.pool,
        sql`select r.process_id as "processId", exists (select from process_run_steps s where s.run_id = r.id and s.id = ${stepId}::uuid) as "hasStep"
          from process_runs r where r.lease_hash = ${hashLease(lease)}`,
      )
    : []
  if (!found) throw leaseLost()
  const { processId, hasStep } = found
  if (stepId === null) return { processId }
  if (!hasStep) throw notFound('step', fieldOf.step)
  return { processId, stepId }
}
