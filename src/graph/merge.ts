import type { Caller } from '../core/context.ts'
import { badInput, limitExceeded, notFound } from '../core/errors.ts'
import { bigintKey } from '../core/ids.ts'
import { query } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { Concept } from '../generated/prisma/client.ts'
import { changeConcept } from './concept-rows.sql.ts'
import { maxDescriptionLength } from './concepts.ts'
import { appendToGraph, conceptDeleted, conceptUpdated } from './graph.events.ts'
import { conceptColumns } from './graph.sql.ts'
import { requireGraphWriter } from './guards.ts'
import { lastNeighbors, moveLinks, removeDuplicates } from './link-changes.sql.ts'
import { holdLinksOf } from './link-rows.sql.ts'

const maxMerged = 100

/**
 * Makes one concept of several: the links of `from` move to `into`, of links that become the same
 * the oldest stays, descriptions are put together line by line, and `from` is deleted.
 * @throws FORBIDDEN, BAD_USER_INPUT, LIMIT_EXCEEDED, and NOT_FOUND with the item as `from.1`
 */
export async function mergeConcepts(
  caller: Caller,
  input: { into: string; from: readonly string[] },
): Promise<Concept> {
  requireGraphWriter(caller)
  if (input.from.length > maxMerged) {
    throw limitExceeded(`At most ${maxMerged} concepts can be merged in one call.`, 'from')
  }
  const into = bigintKey(input.into)
  const from = input.from.map(bigintKey)
  if (from.includes(into)) throw badInput('A concept cannot be merged into itself.', 'from')
  const keys = from.filter(key => key !== undefined)
  return transaction(caller, async tx => {
    // One at a time: two that move the two ends of a link would each take it for no duplicate.
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtext('engraph:merge'))`
    // Locked in one order, and against new links too, which need a share of this lock.
    const found = await query<Concept>(
      tx,
      sql`select ${conceptColumns} from concepts c where c.id = any(${[into, ...keys]}::bigint[])
        order by c.id for update`,
    )
    const byKey = new Map<bigint | undefined, Concept>(found.map(concept => [concept.id, concept]))
    const target = byKey.get(into)
    if (!target) throw notFound('concept', 'into')
    const missing = from.findIndex(key => !byKey.has(key))
    if (missing !== -1) throw notFound('concept', `from.${missing}`)
    const gone = found.filter(concept => concept !== target)
    const leaving = { ids: gone.map(({ id }) => id), into: target.id }
    await holdLinksOf(tx, leaving.ids)
    const neighbors = await lastNeighbors(tx, leaving)
    await removeDuplicates(tx, leaving)
    await moveLinks(tx, leaving)
    await tx.concept.deleteMany({ where: { id: { in: leaving.ids } } })
    const merged = [target, ...from.map(key => byKey.get(key))]
    const description = mergeDescriptions(merged.map(concept => concept?.description ?? null))
    const changed = await changeConcept(tx, target.id, { description })
    await appendToGraph(tx, [
      ...gone.map(concept => conceptDeleted(concept, neighbors.get(concept.id) ?? [])),
      ...(changed ? [conceptUpdated(changed)] : []),
    ])
    return changed ?? target
  })
}

/** The lines of all, each once, so that nothing that was written is lost. */
export function mergeDescriptions(descriptions: readonly (string | null)[]): string | null {
  const [first, ...others] = descriptions.filter(text => text !== null)
  if (first === undefined) return null
  const lines = new Set(first.split('\n'))
  const added = others
    .flatMap(text => text.split('\n'))
    .filter(line => !lines.has(line) && lines.add(line))
  const merged = [first, ...added].join('\n')
  if (merged.length > maxDescriptionLength) {
    throw limitExceeded('The descriptions together are too long. Shorten them first.', 'from')
  }
  return merged
}
