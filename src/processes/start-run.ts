import type { Caller } from '../core/context.ts'
import { violatedConstraint } from '../core/database-errors.ts'
import { badInput, conflict, forbidden, notFound } from '../core/errors.ts'
import { checkJson, type Json } from '../core/json.ts'
import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { checkText } from '../core/text.ts'
import { transaction } from '../core/transaction.ts'
import type { Process, ProcessRun } from '../generated/prisma/client.ts'
import { chatById } from './chats.ts'
import { deadline } from './deadline.sql.ts'
import { checkKey } from './idempotency.ts'
import { canRequestRuns } from './permissions.ts'
import { processByCode, processById } from './process-list.ts'
import { appendToRun } from './processes.events.ts'
import { runColumns } from './processes.sql.ts'
import { runById } from './runs.ts'

/** In characters: as much as a request can hold. */
const maxInputLength = 4_000_000

export interface StartRun {
  processCode?: string | null | undefined
  processId?: string | null | undefined
  inputText?: string | null | undefined
  inputPayload?: Json | undefined
  chatId?: string | null | undefined
  sourceMessageHash?: string | null | undefined
  idempotencyKey?: string | null | undefined
}

export interface NewRun {
  processId: string
  /** Null where nobody asked for it but a schedule. */
  requestedById: string | null
  inputText: string | null
  /** As the text of its JSON. */
  inputPayload: string | null
  chatId: string | null
  sourceMessageId: string | null
  idempotencyKey: string | null
  rerunOfId: string | null
  scheduledFor: Date | null
}

/**
 * Queues a run. The same call again with the same key answers the run that there is.
 * @throws FORBIDDEN, BAD_USER_INPUT, NOT_FOUND, and CONFLICT for a process that takes no runs and for a
 * key that was used with another input
 */
export async function startRun(caller: Caller, input: StartRun): Promise<ProcessRun> {
  requireRequester(caller)
  const { idempotencyKey = null } = input
  if (idempotencyKey !== null) checkKey(idempotencyKey, 'input.idempotencyKey')
  const process = await findProcess(caller, input)
  const chat = input.chatId == null ? null : await chatById(caller, input.chatId)
  if (input.chatId != null && !chat) throw notFound('chat', 'input.chatId')
  const { inputText, inputPayload, sourceMessageHash } = input
  const run: NewRun = {
    processId: process.id,
    requestedById: caller.viewer.userId,
    inputText: inputText == null ? null : checkText(inputText, 'input.inputText', maxInputLength),
    inputPayload:
      inputPayload == null ? null : JSON.stringify(checkJson(inputPayload, 'input.inputPayload')),
    chatId: chat?.id ?? null,
    sourceMessageId: sourceMessageHash ?? null,
    idempotencyKey,
    rerunOfId: null,
    scheduledFor: null,
  }
  const known = idempotencyKey === null ? undefined : await findRepeated(caller, run)
  if (known) return known
  requireOpen(process, processField(input))
  try {
    return await transaction(caller, async tx => {
      // Its status stays until the run is queued.
      const [open] = await query(
        tx,
        sql`select from processes where id = ${process.id}::uuid and status in ('active', 'paused') for share`,
      )
      if (!open) throw takesNoRuns(processField(input))
      return queued(await insertRun(tx, run))
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'process_runs_requested_by_idempotency_key_key') throw error
    // The same call has been faster.
    const winner = await findRepeated(caller, run)
    if (!winner) throw error
    return winner
  }
}

/**
 * Queues a new run with the input of one that the viewer sees.
 * @throws FORBIDDEN, NOT_FOUND, and CONFLICT for a process that takes no runs
 */
export async function rerun(caller: Caller, id: string): Promise<ProcessRun> {
  requireRequester(caller)
  const old = await runById(caller, id)
  if (!old) throw notFound('run', 'id')
  return transaction(caller, async tx => {
    const [process] = await query<Pick<Process, 'status'>>(
      tx,
      sql`select status from processes where id = ${old.processId}::uuid for share`,
    )
    if (process) requireOpen(process, 'id')
    const [input] = await query<Pick<NewRun, 'inputText' | 'inputPayload'>>(
      tx,
      sql`select input_text as "inputText", input_payload::text as "inputPayload"
        from process_runs where id = ${old.id}::uuid`,
    )
    const { processId, chatId, sourceMessageId } = old
    const { inputText = null, inputPayload = null } = input ?? {}
    const run = {
      processId,
      requestedById: caller.viewer.userId,
      chatId,
      sourceMessageId,
      inputText,
      inputPayload,
      idempotencyKey: null,
      rerunOfId: old.id,
      scheduledFor: null,
    }
    return queued(await insertRun(tx, run))
  })
}

function requireRequester({ viewer }: Caller): void {
  if (!canRequestRuns(viewer)) throw forbidden('A worker carries runs out, it starts none.')
}

async function findProcess(caller: Caller, { processCode, processId }: StartRun): Promise<Process> {
  if ((processCode == null) === (processId == null)) {
    throw badInput('Give one of processCode and processId.', 'input.processCode')
  }
  const found =
    processId == null
      ? await processByCode(caller, processCode ?? '')
      : await processById(caller, processId)
  if (!found) throw notFound('process', processField({ processId }))
  return found
}

const processField = ({ processId }: StartRun) =>
  processId == null ? 'input.processCode' : 'input.processId'

const requireOpen = ({ status }: Pick<Process, 'status'>, field: string) => {
  if (status !== 'active' && status !== 'paused') throw takesNoRuns(field)
}

const takesNoRuns = (field: string) =>
  conflict('The process is a draft or archived, and takes no runs.', field)

/** @throws CONFLICT where the run with this key has another input */
async function findRepeated({ db, viewer }: Caller, run: NewRun): Promise<ProcessRun | undefined> {
  const [found] = await query<ProcessRun & { isSame: boolean }>(
    db.pool,
    sql`select ${runColumns},
        (r.process_id, r.input_text, r.input_payload, r.chat_id, r.source_message_id)
          is not distinct from (${run.processId}::uuid, ${run.inputText}::text, ${run.inputPayload}::jsonb,
            ${run.chatId}::uuid, ${run.sourceMessageId}::bpchar) as "isSame"
      from process_runs r
      where r.requested_by = ${viewer.userId}::uuid and r.idempotency_key = ${run.idempotencyKey}`,
  )
  if (found && !found.isSame) {
    throw conflict('This key was used for a run with another input.', 'input.idempotencyKey')
  }
  return found
}

function queued(run: ProcessRun | undefined): ProcessRun {
  if (!run) throw notFound('process')
  return run
}

/** Undefined where there is no such process, or its run for this time of its schedule is there. */
export async function insertRun(tx: Tx, run: NewRun): Promise<ProcessRun | undefined> {
  const [created] = await query<ProcessRun>(
    tx,
    sql`insert into process_runs as r (process_id, requested_by, chat_id, source_message_id, input_text,
        input_payload, idempotency_key, rerun_of, scheduled_for, deadline_at)
      select p.id, ${run.requestedById}::uuid, ${run.chatId}::uuid, ${run.sourceMessageId}::bpchar, ${run.inputText},
        ${run.inputPayload}::jsonb, ${run.idempotencyKey}, ${run.rerunOfId}::uuid,
        ${run.scheduledFor}::timestamptz, ${deadline('queueSeconds')}
      from processes p where p.id = ${run.processId}::uuid
      on conflict (process_id, scheduled_for) do nothing
      returning ${runColumns}`,
  )
  if (!created) return undefined
  return appendToRun(tx, created, [{ type: 'status', from: null, to: 'queued', errorText: null }])
}
