import type { Caller } from '../core/context.ts'
import { badInput, conflict, forbidden, notFound } from '../core/errors.ts'
import { uuidKey } from '../core/ids.ts'
import { type Json, replaceUnstorableJson } from '../core/json.ts'
import { heldJson, isJsonText, rewriteJson } from '../core/json-text.ts'
import { normalizeName } from '../core/names.ts'
import { type Queryable, query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { replaceUnstorable } from '../core/text.ts'
import { transaction } from '../core/transaction.ts'
import type { LlmCall, ProcessRun } from '../generated/prisma/client.ts'
import { checkKey } from './idempotency.ts'
import { hashLease, leaseLost } from './lease.ts'
import { cutText } from './machine-text.ts'
import { canWork } from './permissions.ts'
import { processById } from './process-list.ts'
import { appendToRun } from './processes.events.ts'
import { llmCallColumns } from './processes.sql.ts'
import { redact } from './redact.ts'
import { lockRun } from './run-row.sql.ts'
import { hideInText } from './secret-text.ts'
import { countTokens, type TokenCounts } from './token-counts.ts'

const maxEndpointLength = 10_000

export interface RecordLlmCall {
  scope: string
  processId?: string | null | undefined
  stepId?: string | null | undefined
  model: string
  endpoint: string
  requestJson?: Json | undefined
  requestText?: string | null | undefined
  responseJson?: Json | undefined
  responseText?: string | null | undefined
  latencyMs?: number | null | undefined
  httpStatus?: number | null | undefined
  errorText?: string | null | undefined
  idempotencyKey?: string | null | undefined
}

/** What is stored of a call, wherever it belongs. */
interface CheckedCall {
  scope: string
  model: string
  endpoint: string
  /** Request and response as the text of a JSON list, so that secrets of one are found in the other. */
  payloads: string
  tokens: TokenCounts
  errorText: string | null
  latencyMs: number | null
  httpStatus: number | null
  idempotencyKey: string | null
  replacedText: boolean
}

interface Place {
  processId: string | null
  runId: string | null
  stepId: string | null
}

/**
 * Records a call of a language model, without the secrets in it. With a lease it belongs to that run,
 * even when the run has ended or the lease has expired: an audit takes late calls too.
 * @throws BAD_USER_INPUT, FORBIDDEN, NOT_FOUND, LEASE_LOST for an unknown lease, CONFLICT for a key that was
 * used for another call
 */
export async function recordLlmCall(
  caller: Caller,
  lease: string | null | undefined,
  input: RecordLlmCall,
): Promise<LlmCall> {
  const call = readCall(input)
  return lease == null ? recordAlone(caller, input, call) : recordInRun(caller, lease, input, call)
}

async function recordAlone(caller: Caller, input: RecordLlmCall, call: CheckedCall) {
  if (input.stepId != null)
    throw badInput('A step is named with the lease of its run.', 'input.stepId')
  const process = input.processId == null ? null : await processById(caller, input.processId)
  if (input.processId != null && !process) throw notFound('process', 'input.processId')
  const place = { processId: process?.id ?? null, runId: null, stepId: null }
  // It is no change of a run, so that one statement is all.
  const { pool } = caller.db
  return (await insertCall(pool, caller, place, call)) ?? repeated(pool, caller, place, call)
}

function recordInRun(caller: Caller, lease: string, input: RecordLlmCall, call: CheckedCall) {
  if (!canWork(caller.viewer)) throw forbidden('Runs are carried out by workers.')
  if (input.processId != null) {
    throw badInput('With a lease, the process is that of the run.', 'input.processId')
  }
  return transaction(caller, async tx => {
    const run = await lockRun(tx, sql`r.lease_hash = ${hashLease(lease)}`)
    if (!run) throw leaseLost()
    const stepId = input.stepId == null ? null : await findStep(tx, run, input.stepId)
    const place = { processId: run.processId, runId: run.id, stepId }
    const recorded = await insertCall(tx, caller, place, call)
    if (!recorded) return repeated(tx, caller, place, call)
    await appendToRun(tx, run, [{ type: 'llmCall', llmCallId: `${recorded.id}` }])
    return recorded
  })
}

async function findStep(tx: Tx, run: ProcessRun, id: string): Promise<string> {
  const key = uuidKey(id)
  const [step] = key
    ? await query<{ id: string }>(
        tx,
        sql`select id from process_run_steps where id = ${key}::uuid and run_id = ${run.id}::uuid`,
      )
    : []
  if (!step) throw notFound('step', 'input.stepId')
  return step.id
}

function readCall(input: RecordLlmCall): CheckedCall {
  const { latencyMs = null, httpStatus = null, idempotencyKey = null } = input
  if (idempotencyKey !== null) checkKey(idempotencyKey, 'input.idempotencyKey')
  if (latencyMs !== null && latencyMs < 0) {
    throw badInput('latencyMs cannot be negative.', 'input.latencyMs')
  }
  if (httpStatus !== null && (httpStatus < 100 || httpStatus > 599)) {
    throw badInput('httpStatus must be from 100 to 599.', 'input.httpStatus')
  }
  const endpoint = replaceUnstorable(input.endpoint)
  if (endpoint.text === '' || endpoint.text.length > maxEndpointLength) {
    throw badInput(`endpoint must be of 1 to ${maxEndpointLength} characters.`, 'input.endpoint')
  }
  const error = replaceUnstorable(input.errorText ?? '')
  const request = payload(input.requestJson, input.requestText, 'request')
  const response = payload(input.responseJson, input.responseText, 'response')
  if (request === null)
    throw badInput('Give one of requestJson and requestText.', 'input.requestJson')
  const {
    endpoint: address,
    errorText,
    ...payloads
  } = withoutSecrets(`[${request},${response ?? 'null'}]`, {
    endpoint: endpoint.text,
    errorText: error.text || null,
  })
  return {
    scope: withoutShapes(normalizeName(input.scope, 'input.scope', 200)),
    model: withoutShapes(normalizeName(input.model, 'input.model')),
    latencyMs,
    httpStatus,
    idempotencyKey,
    endpoint: address,
    // Cut when the secrets are out, or the start of one would not be known for what it is.
    errorText: errorText === null ? null : cutText(errorText),
    payloads: payloads.text,
    tokens: countTokens(response === null ? undefined : heldJson(response)),
    replacedText: endpoint.replaced || error.replaced || payloads.replaced,
  }
}

const withoutShapes = (text: string) => hideInText(text, () => {})

/** Both payloads are looked through at once, numbers to the letter. */
function withoutSecrets(
  payloads: string,
  around: { endpoint: string; errorText: string | null },
): { text: string; replaced: boolean; endpoint: string; errorText: string | null } {
  let told = { ...around, replaced: false }
  const text = rewriteJson(payloads, read => {
    const { value, replaced } = replaceUnstorableJson(read)
    const [request = null, response = null] = value as readonly Json[]
    const {
      request: clean,
      response: answer = null,
      ...rest
    } = redact({ ...around, request, response })
    told = { ...rest, replaced }
    return [clean, answer]
  })
  return { text, ...told }
}

/** A payload as the text of its JSON. What is no JSON is kept as a string, as servers answer in text too. */
function payload(
  value: Json | undefined,
  text: string | null | undefined,
  name: 'request' | 'response',
): string | null {
  if (value != null && text != null) {
    throw badInput(`Give one of ${name}Json and ${name}Text.`, `input.${name}Text`)
  }
  if (text != null) return isJsonText(text) ? text : JSON.stringify(text)
  return value == null ? null : JSON.stringify(value)
}

/** Undefined where a call with this key is there. */
async function insertCall(
  on: Queryable,
  { viewer }: Caller,
  place: Place,
  call: CheckedCall,
): Promise<LlmCall | undefined> {
  const { tokens } = call
  const [recorded] = await query<LlmCall>(
    on,
    sql`insert into llm_calls as lc (scope, process_id, run_id, step_id, recorded_by, model, endpoint,
        request_json, response_json, latency_ms, http_status, error_text, prompt_tokens,
        completion_tokens, replaced_text, idempotency_key)
      values (${call.scope}, ${place.processId}::uuid, ${place.runId}::uuid, ${place.stepId}::uuid,
        ${viewer.userId}::uuid, ${call.model}, ${call.endpoint}, ${call.payloads}::jsonb -> 0,
        nullif(${call.payloads}::jsonb -> 1, 'null'), ${call.latencyMs}::int, ${call.httpStatus}::int, ${call.errorText},
        ${tokens.prompt}::int, ${tokens.completion}::int, ${call.replacedText}, ${call.idempotencyKey})
      on conflict (recorded_by, idempotency_key) do nothing
      returning ${llmCallColumns}`,
  )
  return recorded
}

/** @throws CONFLICT where the call with this key is another one */
async function repeated(
  on: Queryable,
  { viewer }: Caller,
  { processId, runId, stepId }: Place,
  call: CheckedCall,
): Promise<LlmCall> {
  const [found] = await query<LlmCall & { isSame: boolean }>(
    on,
    sql`select ${llmCallColumns},
        (lc.process_id, lc.run_id, lc.step_id, lc.scope, lc.model, lc.endpoint, lc.request_json, lc.response_json, lc.error_text)
          is not distinct from (${processId}::uuid, ${runId}::uuid, ${stepId}::uuid, ${call.scope}::text, ${call.model}::text, ${call.endpoint}::text,
            ${call.payloads}::jsonb -> 0, nullif(${call.payloads}::jsonb -> 1, 'null'), ${call.errorText}::text) as "isSame"
      from llm_calls lc
      where lc.recorded_by = ${viewer.userId}::uuid and lc.idempotency_key = ${call.idempotencyKey}`,
  )
  if (!found?.isSame) {
    throw conflict('This key was used for another call.', 'input.idempotencyKey')
  }
  return found
}
