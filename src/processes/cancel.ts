import type { Caller } from '../core/context.ts'
import { forbidden, illegalTransition, notFound } from '../core/errors.ts'
import { sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { ProcessRun } from '../generated/prisma/client.ts'
import { endRun } from './end-run.ts'
import { machineText } from './machine-text.ts'
import { canRequestRuns } from './permissions.ts'
import { lockRun } from './run-row.sql.ts'
import { runById } from './runs.ts'
import { canBecome } from './transitions.ts'

/** @throws FORBIDDEN, NOT_FOUND, and ILLEGAL_TRANSITION where the run has ended */
export async function cancelRun(
  caller: Caller,
  id: string,
  reason: string | null | undefined,
): Promise<ProcessRun> {
  if (!canRequestRuns(caller.viewer)) throw forbidden('A worker ends its runs by finishRun.')
  const found = await runById(caller, id)
  if (!found) throw notFound('run', 'id')
  const { text, replaced } = machineText(reason)
  return transaction(caller, async tx => {
    const run = await lockRun(tx, sql`r.id = ${found.id}::uuid`)
    if (!run) throw notFound('run', 'id')
    if (!canBecome(run.status, 'cancelled')) {
      throw illegalTransition(`The run has ended: it is ${run.status}.`)
    }
    return endRun(tx, run, { status: 'cancelled', errorText: text, replacedText: replaced })
  })
}
