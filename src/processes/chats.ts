import { byId } from '../core/by-id.ts'
import { type Connection, listPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { uuidKey } from '../core/ids.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import { raw } from '../core/sql.ts'
import type { Chat } from '../generated/prisma/client.ts'
import { chatColumns, visibleChats } from './processes.sql.ts'

const newestFirst: Order = {
  name: 'chat',
  columns: [
    { expression: raw('ch.created_at'), type: 'timestamptz', descending: true },
    { expression: raw('ch.id'), type: 'uuid', descending: true },
  ],
}

/** The chat with this id, or null where the viewer may not see one. */
export async function chatById(caller: Caller, id: string): Promise<Chat | null> {
  const key = uuidKey(id)
  if (key === undefined) return null
  return byId<string, Chat>(caller, {
    name: 'chat',
    columns: chatColumns,
    from: raw('core.chats ch'),
    key: raw('ch.id'),
    keyType: 'uuid',
    visible: visibleChats(caller.viewer),
  }).load(key)
}

export const listChats = (caller: Caller, args: PageArgs): Promise<Connection<Chat>> =>
  listPage(
    caller,
    { columns: chatColumns, from: raw('core.chats ch'), where: visibleChats(caller.viewer) },
    newestFirst,
    args,
  )
