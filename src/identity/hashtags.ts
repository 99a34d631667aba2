import { createHash } from 'node:crypto'
import { badInput } from '../core/errors.ts'
import type { Tx } from '../core/query.ts'
import { normalizeTags } from '../core/tags.ts'
import { checkText } from '../core/text.ts'
import type { Hashtag } from '../generated/prisma/client.ts'

const maxLength = 200

/** The hash under which a message carries a tag: SHA-256 of its trimmed NFC text, without a `#`. */
export const hashtagHash = (tag: string) => createHash('sha256').update(tag).digest('hex')

/** One spelling for `#Deploy` and `Deploy`; letter case tells tags apart. */
function normalizeHashtags(tags: readonly string[], field: string): string[] {
  const spelled = normalizeTags(tags.map(tag => tag.normalize('NFC').trim().replace(/^#+/, '')))
  for (const tag of spelled) checkText(tag, field, maxLength)
  if (spelled.length > 100) throw badInput('There can be at most 100 hashtags.', field)
  return spelled
}

/** The hashtags of these texts, in their order; those not seen before are kept from now on. */
export async function saveHashtags(
  tx: Tx,
  tags: readonly string[],
  field: string,
): Promise<Hashtag[]> {
  const rows = normalizeHashtags(tags, field).map(tag => ({ hash: hashtagHash(tag), tag }))
  // In the order of the key, so that two who save the same tags do not wait for each other.
  const ordered = rows.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
  await tx.hashtag.createMany({ data: ordered, skipDuplicates: true })
  return rows
}
