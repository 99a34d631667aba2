import type { Caller } from '../core/context.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { Process, ProcessRun } from '../generated/prisma/client.ts'
import { processColumns } from './processes.sql.ts'
import { activeSchedule } from './schedule.ts'
import { insertRun } from './start-run.ts'

/**
 * Starts the run that the schedule of a process wants at this time, if no other instance has, and the
 * schedule allows it by now.
 */
export async function startScheduled(
  caller: Pick<Caller, 'db' | 'loaders'>,
  processId: string,
  at: Date,
): Promise<ProcessRun | undefined> {
  return transaction(caller, async tx => {
    // Instances that come at once take turns.
    const [process] = await query<Process>(
      tx,
      sql`select ${processColumns} from processes p where p.id = ${processId}::uuid for no key update`,
    )
    const schedule = process && activeSchedule(process)
    if (!schedule) return undefined
    if (schedule.overlap === 'skip') {
      const [unfinished] = await query(
        tx,
        // As it was at that time, so that an instance that comes late decides the same.
        sql`select from process_runs where process_id = ${processId}::uuid and scheduled_for < ${at}::timestamptz
          and (finished_at is null or finished_at > ${at}::timestamptz) limit 1`,
      )
      if (unfinished) return undefined
    }
    const { inputText, inputPayload } = schedule
    return insertRun(tx, {
      processId,
      requestedById: null,
      chatId: null,
      sourceMessageId: null,
      inputText,
      inputPayload: inputPayload === null ? null : JSON.stringify(inputPayload),
      idempotencyKey: null,
      rerunOfId: null,
      scheduledFor: at,
    })
  })
}
