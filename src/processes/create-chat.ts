import type { Caller } from '../core/context.ts'
import { forbidden } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'
import { transaction } from '../core/transaction.ts'
import type { Chat } from '../generated/prisma/client.ts'
import { canChat } from './permissions.ts'

/** A chat of the viewer's user. @throws FORBIDDEN, BAD_USER_INPUT */
export async function createChat(caller: Caller, title: string | null | undefined): Promise<Chat> {
  if (!canChat(caller.viewer)) throw forbidden('Workers have no chats.')
  const data = {
    ownerId: caller.viewer.userId,
    title: title == null || title === '' ? null : normalizeName(title, 'title'),
  }
  return transaction(caller, tx => tx.chat.create({ data }))
}
