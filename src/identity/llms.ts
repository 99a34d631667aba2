import { byId } from '../core/by-id.ts'
import { listPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { forbidden } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import type { Tx } from '../core/query.ts'
import { raw } from '../core/sql.ts'
import { checkText } from '../core/text.ts'
import { transaction } from '../core/transaction.ts'
import type { Llm } from '../generated/prisma/client.ts'
import { llmColumns } from './identity.sql.ts'
import { canRegisterLlm } from './permissions.ts'
import { playerHash } from './players.ts'

const byKey: Order = { name: 'llm', columns: [{ expression: raw('l.id'), type: 'text' }] }

/** An LLM of the registry, which everybody who has signed in can read. */
export const llmById = (caller: Caller, llmId: string) =>
  byId<string, Llm>(caller, {
    name: 'llm',
    columns: llmColumns,
    from: raw('llm_registry l'),
    key: raw('l.id'),
    keyType: 'text',
    visible: raw('true'),
  }).load(llmId)

export const listLlms = (caller: Caller, args: PageArgs) =>
  listPage<Llm>(
    caller,
    { columns: llmColumns, from: raw('llm_registry l'), where: raw('true') },
    byKey,
    args,
  )

/**
 * Makes the entry of the registry, or brings its name and description up to date.
 * @throws FORBIDDEN for everybody but administrators and the agent that is this LLM
 */
export async function registerLlm(
  caller: Caller,
  input: { llmId: string; name: string; description?: string | null | undefined },
): Promise<Llm> {
  const llmId = normalizeName(input.llmId, 'llmId')
  if (!canRegisterLlm(caller.viewer, llmId)) {
    throw forbidden('Only an administrator, or the agent that is this LLM, registers it.')
  }
  const name = normalizeName(input.name, 'name')
  const { description } = input
  if (description != null) checkText(description, 'description', 10_000)
  return transaction(caller, tx => upsertLlm(tx, { id: llmId, name, description }))
}

/** The entry of the registry with the player that stands for it in messages. */
export async function upsertLlm(
  tx: Tx,
  data: { id: string; name: string; description?: string | null | undefined },
): Promise<Llm> {
  const { id, name, description } = data
  const llm = await tx.llm.upsert({ where: { id }, create: data, update: { name, description } })
  const player = { hash: playerHash('llm', id), kind: 'llm' as const, llmId: id }
  await tx.player.createMany({ data: [player], skipDuplicates: true })
  return llm
}
