import type { Change } from '../core/change.ts'
import type { Caller } from '../core/context.ts'
import { and, raw, type Sql, sql } from '../core/sql.ts'
import type { RunStatus } from '../generated/prisma/client.ts'
import { userByLogin } from '../identity/users.ts'
import { chatById } from './chats.ts'
import { visibleRunsOf } from './permissions.ts'
import { processByCode, processOf, spellingOf } from './process-list.ts'
import type { RunPayload } from './processes.events.ts'
import { runById, runOf } from './runs.ts'

/** Which runs: those that meet all that is given. What the viewer may not see nothing meets. */
export interface RunFilter {
  processCodes?: readonly string[] | null | undefined
  status?: readonly RunStatus[] | null | undefined
  /** A login. */
  requestedBy?: string | null | undefined
  chatId?: string | null | undefined
  createdAfter?: Date | null | undefined
  createdBefore?: Date | null | undefined
}

/** The filter as a condition on runs of alias `r`. Names are looked up first, so that it compares ids. */
export async function runsThatMeet(caller: Caller, filter: RunFilter): Promise<Sql> {
  const { processCodes, status, createdAfter, createdBefore } = filter
  const [processes, requestedBy, chat] = await Promise.all([
    processCodes && Promise.all(processCodes.map(code => processByCode(caller, code))),
    filter.requestedBy == null ? undefined : userByLogin(caller, filter.requestedBy),
    filter.chatId == null ? undefined : chatById(caller, filter.chatId),
  ])
  if (requestedBy === null || chat === null) return raw('false')
  const where: Sql[] = []
  if (processes) {
    const ids = processes.flatMap(process => (process ? [process.id] : []))
    where.push(sql`r.process_id = any(${ids}::uuid[])`)
  }
  if (status) where.push(sql`r.status = any(${status}::run_status[])`)
  if (requestedBy) where.push(sql`r.requested_by = ${requestedBy.id}::uuid`)
  if (chat) where.push(sql`r.chat_id = ${chat.id}::uuid`)
  if (createdAfter) where.push(sql`r.created_at >= ${createdAfter}`)
  if (createdBefore) where.push(sql`r.created_at < ${createdBefore}`)
  return and(where)
}

/** Asked of each change, so that what does not depend on it is found out once. */
export function changesThatMeet(
  filter: RunFilter,
): (change: Change<RunPayload>, caller: Caller) => Promise<boolean> {
  const codes = filter.processCodes && new Set(filter.processCodes.map(spellingOf))
  return (change, caller) => changeMeets(caller, filter, codes, change)
}

/**
 * Whether the viewer may see the change and its run meets the filter: by its status after the change,
 * or where the change took it out of one, by that.
 */
async function changeMeets(
  caller: Caller,
  filter: RunFilter,
  codes: ReadonlySet<string | undefined> | null | undefined,
  change: Change<RunPayload>,
): Promise<boolean> {
  const { payload } = change
  const { status } = filter
  if (status && !status.some(one => one === payload.status || one === statusBefore(payload))) {
    return false
  }
  if (!(await canSeeChange(caller, change))) return false
  if (filter.requestedBy != null) {
    const user = await userByLogin(caller, filter.requestedBy)
    if (!user || user.id !== payload.requestedById) return false
  }
  if (filter.chatId != null) {
    const chat = await chatById(caller, filter.chatId)
    if (!chat || chat.id !== payload.chatId) return false
  }
  if (codes && !codes.has((await processOf(caller, payload)).code)) return false
  return isOfTime(caller, filter, change.subject)
}

const statusBefore = (payload: RunPayload) => (payload.type === 'status' ? payload.from : undefined)

async function isOfTime(
  caller: Caller,
  { createdAfter, createdBefore }: RunFilter,
  runId: string,
): Promise<boolean> {
  if (!createdAfter && !createdBefore) return true
  const { createdAt } = await runOf(caller, runId)
  return (
    (!createdAfter || createdAt >= createdAfter) && (!createdBefore || createdAt < createdBefore)
  )
}

/** What a change says of its run is enough for most; which runs a worker may see changes with them. */
export async function canSeeChange(
  caller: Caller,
  { subject, payload }: Pick<Change<RunPayload>, 'subject' | 'payload'>,
): Promise<boolean> {
  switch (visibleRunsOf(caller.viewer)) {
    case 'all':
      return true
    case 'requested':
      return payload.requestedById === caller.viewer.userId
    case 'claimable':
      return (await runById(caller, subject)) !== null
  }
}
