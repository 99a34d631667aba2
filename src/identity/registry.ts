import type { Caller } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'
import { checkRange } from '../core/range.ts'
import { checkText } from '../core/text.ts'
import { transaction } from '../core/transaction.ts'
import type { RegistryEntry } from '../generated/prisma/client.ts'
import { requireAdmin } from './guards.ts'

const maxPosition = 1_000_000

// Code and key stand together in an index, whose rows have an end.
const readKey = (text: string, field: string) => normalizeName(text, field, 100)

/** The entries of one registry in their order; a registry that nobody wrote to is empty. */
export async function listRegistry(caller: Caller, code: string): Promise<RegistryEntry[]> {
  requireAdmin(caller, 'Only an administrator reads registries.')
  return caller.db.prisma.registryEntry.findMany({
    where: { code: readKey(code, 'code') },
    orderBy: [{ position: 'asc' }, { key: 'asc' }],
  })
}

/** Writes one entry; a new one without a position stands last. */
export async function saveRegistryEntry(
  caller: Caller,
  input: { code: string; key: string; value: string; position?: number | null | undefined },
): Promise<RegistryEntry> {
  requireAdmin(caller, 'Only an administrator writes registries.')
  const code = readKey(input.code, 'code')
  const key = readKey(input.key, 'key')
  const value = checkText(input.value, 'value', 100_000)
  if (input.position != null) checkRange(input.position, 'position', 0, maxPosition)
  return transaction(caller, async tx => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtext('engraph:registry:' || ${code}))`
    const last = await tx.registryEntry.aggregate({ where: { code }, _max: { position: true } })
    const position = input.position ?? (last._max.position ?? 0) + 1
    return tx.registryEntry.upsert({
      where: { code_key: { code, key } },
      create: { code, key, value, position },
      update: { value, ...(input.position != null && { position }) },
    })
  })
}

/** @throws NOT_FOUND */
export async function removeRegistryEntry(
  caller: Caller,
  code: string,
  key: string,
): Promise<RegistryEntry> {
  requireAdmin(caller, 'Only an administrator writes registries.')
  const where = { code: readKey(code, 'code'), key: readKey(key, 'key') }
  return transaction(caller, async tx => {
    const entry = await tx.registryEntry.findUnique({ where: { code_key: where } })
    if (!entry) throw notFound('entry of the registry', 'key')
    await tx.registryEntry.deleteMany({ where })
    return entry
  })
}
