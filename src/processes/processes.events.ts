import { topic } from '../core/change.ts'
import type { Json } from '../core/json.ts'
import type { Tx } from '../core/query.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { append } from '../events/append.ts'
import type { RunStatus, StepStatus } from '../generated/prisma/client.ts'

/** What happened in a run. Events say what was true at that moment. */
export type RunHappening =
  | { type: 'status'; from: RunStatus | null; to: RunStatus; errorText: string | null }
  | {
      type: 'step'
      stepId: string
      stepKey: string
      from: StepStatus | null
      to: StepStatus
      errorText: string | null
    }
  | { type: 'asked'; questionId: string }
  | { type: 'answered'; questionId: string }
  | { type: 'artifact'; artifactId: string }
  | { type: 'llmCall'; llmCallId: string }
  /** `late`: of a run that had ended already; it is kept here alone. */
  | { type: 'result'; partialResult: Json; late: boolean }

/** With what filters ask of the run, so that they need not read it. */
export type RunPayload = RunHappening & {
  processId: string
  requestedById: string | null
  chatId: string | null
  /** Of the run, after this change. */
  status: RunStatus
}

/** A run's changes, by the id of the run, counted. */
export const runTopic = topic<RunPayload>('run')

/** A row of the run that is locked, as it is now. */
export interface ChangedRun {
  id: string
  processId: string
  requestedById: string | null
  chatId: string | null
  status: RunStatus
  lastSeq: number
}

/**
 * Writes what happened in a run, under its row lock, which an update of the run has taken, and
 * answers the run with its new `lastSeq`.
 */
export async function appendToRun<Run extends ChangedRun>(
  tx: Tx,
  run: Run,
  happenings: readonly RunHappening[],
): Promise<Run> {
  if (happenings.length === 0) return run
  const { id, processId, requestedById, chatId, status } = run
  const [row] = await query<{ lastSeq: number }>(
    tx,
    sql`update process_runs set last_seq = last_seq + ${happenings.length} where id = ${id}::uuid
      returning last_seq as "lastSeq"`,
  )
  const lastSeq = row?.lastSeq ?? 0
  const first = lastSeq - happenings.length + 1
  await append(
    tx,
    runTopic,
    happenings.map((happening, index) => ({
      subject: id,
      seq: first + index,
      payload: { processId, requestedById, chatId, status, ...happening },
    })),
  )
  return { ...run, lastSeq }
}
