import { byId } from '../core/by-id.ts'
import { type Connection, listPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { DomainError, notFound } from '../core/errors.ts'
import { uuidKey } from '../core/ids.ts'
import { normalizeName } from '../core/names.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import { and, raw, type Sql, sql } from '../core/sql.ts'
import { containsText } from '../core/text-search.ts'
import type { Process, ProcessRun, ProcessStatus } from '../generated/prisma/client.ts'
import { processColumns, visibleProcesses } from './processes.sql.ts'

const byCode: Order = {
  name: 'process',
  columns: [
    { expression: raw('p.code'), type: 'text' },
    { expression: raw('p.id'), type: 'uuid' },
  ],
}

/** The process with this id, or null where the viewer may not see one. */
export async function processById(caller: Caller, id: string): Promise<Process | null> {
  const key = uuidKey(id)
  return key === undefined ? null : processes(caller, 'process', visible(caller)).load(key)
}

/** The process of this code in any of the spellings that stand for it. */
export async function processByCode(caller: Caller, code: string): Promise<Process | null> {
  const spelled = spellingOf(code)
  if (spelled === undefined) return null
  return byId<string, Process>(caller, {
    name: 'process by code',
    columns: processColumns,
    from: raw('processes p'),
    key: raw('p.code'),
    keyType: 'text',
    visible: visible(caller),
  }).load(spelled)
}

/** The process of a run: who sees the run sees it, whatever has become of it. */
export async function processOf(
  caller: Caller,
  run: Pick<ProcessRun, 'processId'>,
): Promise<Process> {
  const found = await processes(caller, 'process of a run', raw('true')).load(run.processId)
  if (!found) throw notFound('process')
  return found
}

export interface ListProcesses extends PageArgs {
  status?: readonly ProcessStatus[] | null | undefined
  search?: string | null | undefined
}

/** The processes that the viewer may see, by their code. */
export function listProcesses(caller: Caller, args: ListProcesses): Promise<Connection<Process>> {
  const { status, search } = args
  const where = [visible(caller)]
  if (status != null) where.push(sql`p.status = any(${status}::process_status[])`)
  if (search?.trim()) {
    where.push(containsText([raw('p.code'), raw('p.name'), raw('p.description')], search))
  }
  return listPage(
    caller,
    { columns: processColumns, from: raw('processes p'), where: and(where) },
    byCode,
    args,
  )
}

const visible = (caller: Caller) => visibleProcesses(caller.viewer)

const processes = (caller: Caller, name: string, visible: Sql) =>
  byId<string, Process>(caller, {
    name,
    columns: processColumns,
    from: raw('processes p'),
    key: raw('p.id'),
    keyType: 'uuid',
    visible,
  })

/** Undefined for a code that no process can have. */
export function spellingOf(code: string): string | undefined {
  try {
    return normalizeName(code, 'code')
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}
