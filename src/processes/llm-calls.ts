import { byId } from '../core/by-id.ts'
import { type Connection, childPage, type ListSource, listPage } from '../core/connection.ts'
import type { Caller, Viewer } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { bigintKey } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { heldJson } from '../core/json-text.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import { sparseList } from '../core/sparse-list.ts'
import { and, raw, type Sql, sql } from '../core/sql.ts'
import { isStorable } from '../core/text.ts'
import type { LlmCall } from '../generated/prisma/client.ts'
import { largeColumn } from './large-columns.ts'
import { seenCalls } from './llm-calls.sql.ts'
import { visibleRunsOf } from './permissions.ts'
import { processByCode } from './process-list.ts'
import { llmCallColumns, visibleLlmCalls } from './processes.sql.ts'
import { runById } from './runs.ts'

/** The LLM call with this id, or null where the viewer may not see one. */
export async function llmCallById(caller: Caller, id: string): Promise<LlmCall | null> {
  const key = bigintKey(id)
  return key === undefined
    ? null
    : calls(caller, 'llm call', visibleLlmCalls(caller.viewer)).load(key)
}

/** The LLM call of an event that the viewer sees. */
export async function llmCallOf(caller: Caller, id: string): Promise<LlmCall> {
  const found = await calls(caller, 'llm call of an event', raw('true')).load(BigInt(id))
  if (!found) throw notFound('LLM call')
  return found
}

const calls = (caller: Caller, name: string, visible: Sql) =>
  byId<bigint, LlmCall>(caller, {
    name,
    columns: llmCallColumns,
    from: raw('llm_calls lc'),
    key: raw('lc.id'),
    keyType: 'bigint',
    visible,
  })

const orderOf = (descending: boolean): Order => ({
  name: `llm call ${descending}`,
  columns: [
    { expression: raw('lc.created_at'), type: 'timestamptz', descending },
    { expression: raw('lc.id'), type: 'bigint', descending },
  ],
})

/** The calls that a run which the viewer sees has made, in their order. */
export const llmCallsOf = (
  caller: Caller,
  runId: string,
  args: PageArgs,
): Promise<Connection<LlmCall>> =>
  childPage(
    caller,
    runId,
    {
      name: 'llm calls of a run',
      parentType: 'uuid',
      columns: llmCallColumns,
      from: raw('llm_calls lc'),
      where: sql`lc.run_id = parent.id`,
    },
    orderOf(false),
    args,
  )

/** Which calls: those that meet all that is given. What the viewer may not see nothing meets. */
export interface LlmCallFilter {
  scope?: string | null | undefined
  model?: string | null | undefined
  runId?: string | null | undefined
  processCode?: string | null | undefined
  hasError?: boolean | null | undefined
  createdAfter?: Date | null | undefined
  createdBefore?: Date | null | undefined
}

/** The calls that the viewer may see, the newest first. */
export async function listLlmCalls(
  caller: Caller,
  filter: LlmCallFilter,
  args: PageArgs,
): Promise<Connection<LlmCall>> {
  const source = visibleCalls(caller.viewer, await callsThatMeet(caller, filter))
  return listPage(caller, source, orderOf(true), args)
}

/** Of those who see some alone nobody can tell beforehand whether these are most calls or hardly any. */
function visibleCalls(viewer: Viewer, calls: Sql): ListSource {
  const where = sql`${visibleLlmCalls(viewer)} and ${calls}`
  const table = raw('llm_calls lc')
  if (visibleRunsOf(viewer) === 'all') return { columns: llmCallColumns, from: table, where }
  const found = seenCalls(viewer, { calls, runs: raw('true') })
  const rows = { columns: llmCallColumns, table, alias: raw('lc'), where, found }
  return sparseList(rows, orderOf(true)).source
}

async function callsThatMeet(caller: Caller, filter: LlmCallFilter): Promise<Sql> {
  const { scope, model, hasError, createdAfter, createdBefore } = filter
  const [run, process] = await Promise.all([
    filter.runId == null ? undefined : runById(caller, filter.runId),
    filter.processCode == null ? undefined : processByCode(caller, filter.processCode),
  ])
  if (run === null || process === null) return raw('false')
  if (![scope, model].every(text => text == null || isStorable(text))) return raw('false')
  const where: Sql[] = []
  if (scope != null) where.push(sql`lc.scope = ${scope}`)
  if (model != null) where.push(sql`lc.model = ${model}`)
  if (run) where.push(sql`lc.run_id = ${run.id}::uuid`)
  if (process) where.push(sql`lc.process_id = ${process.id}::uuid`)
  if (hasError != null) where.push(hasError ? failed : sql`not ${failed}`)
  if (createdAfter) where.push(sql`lc.created_at >= ${createdAfter}`)
  if (createdBefore) where.push(sql`lc.created_at < ${createdBefore}`)
  return and(where)
}

const failed = raw('(lc.error_text is not null or coalesce(lc.http_status >= 400, false))')

type Payload = 'request_json::text' | 'response_json::text'

/** The JSON as it is stored, with every digit of its numbers. */
export const llmPayloadText = (caller: Caller, call: LlmCall, column: Payload) =>
  largeColumn<'llm_calls', string>(caller, 'llm_calls', column, call.id)

/** The same as a value, in which a number that JavaScript cannot hold is a string of its digits. */
export async function llmPayload(
  caller: Caller,
  call: LlmCall,
  column: Payload,
): Promise<Json | null> {
  const text = await llmPayloadText(caller, call, column)
  return text === null ? null : heldJson(text)
}
