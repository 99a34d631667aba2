import type { Tx } from '../core/query.ts'
import type { Link } from '../generated/prisma/client.ts'
import { insertLinks, type LinkKey, lockLinks } from './link-rows.sql.ts'
import { makeMissing, rowOf } from './make-missing.ts'

/**
 * Makes what is not there yet and answers all, in the order given, with those that are new. The
 * concepts have to be locked; the links are from here on.
 */
export async function saveLinks(
  tx: Tx,
  links: readonly LinkKey[],
  llmId: string | null,
): Promise<{ links: Link[]; created: Link[] }> {
  if (links.length === 0) return { links: [], created: [] }
  const wanted = new Map(links.map(link => [keyOf(link), link]))
  const lock = (some: readonly LinkKey[]) => lockLinks(tx, some)
  const found = new Map((await lock([...wanted.values()])).map(row => [keyOfRow(row), row]))
  const created = await makeMissing(found, wanted, {
    make: some => insertLinks(tx, some, llmId),
    lock,
    keyOf: keyOfRow,
  })
  return { links: links.map(link => rowOf(found, keyOf(link))), created }
}

const keyOf = ({ from, to, relationType }: LinkKey) => `${from} ${to} ${relationType}`

const keyOfRow = ({ fromConceptId, toConceptId, relationType }: Link) =>
  keyOf({ from: fromConceptId, to: toConceptId, relationType })
