import type { Caller } from '../core/context.ts'
import { limitExceeded, notFound } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'
import type { Tx } from '../core/query.ts'
import { transaction } from '../core/transaction.ts'
import type { Concept, Link } from '../generated/prisma/client.ts'
import { describeConcepts, insertConcepts, lockConcepts } from './concept-rows.sql.ts'
import { keepConcepts, readDescription } from './concepts.ts'
import { appendToGraph, conceptCreated, conceptUpdated, linkCreated } from './graph.events.ts'
import { requireGraphWriter } from './guards.ts'
import { makeMissing, rowOf } from './make-missing.ts'
import { saveLinks } from './save-links.ts'

const maxUpsertConcepts = 5_000
const maxUpsertLinks = 20_000

export interface ConceptUpsert {
  name: string
  /** Left out or null, an existing description stays. */
  description?: string | null | undefined
}

export interface CheckedConcept {
  name: string
  /** Null where an existing description stays. */
  description: string | null
}

export interface LinkByName {
  from: string
  to: string
  relationType: string
}

export interface GraphUpsert {
  /** In the order given; a name given twice stands twice. */
  concepts: Concept[]
  /** In the order given. */
  links: Link[]
  /** What the links join, and the concepts. */
  ends: Concept[]
  conceptsCreated: number
  conceptsUpdated: number
  linksCreated: number
}

/**
 * Writes concepts by their names and links between names, in one transaction; what is there already
 * stays. A link's ends are among these concepts or in the database. Where a name is given twice, the
 * last description counts.
 * @throws FORBIDDEN, LIMIT_EXCEEDED, BAD_USER_INPUT, and NOT_FOUND with the item as `links.1.from`
 */
export async function upsertGraph(
  caller: Caller,
  input: { concepts: readonly ConceptUpsert[]; links: readonly LinkByName[] },
): Promise<GraphUpsert> {
  requireGraphWriter(caller)
  if (input.concepts.length > maxUpsertConcepts) {
    throw limitExceeded(`At most ${maxUpsertConcepts} concepts fit into one call.`, 'concepts')
  }
  if (input.links.length > maxUpsertLinks) {
    throw limitExceeded(`At most ${maxUpsertLinks} links fit into one call.`, 'links')
  }
  const concepts = input.concepts.map(({ name, description }, index) => ({
    name: normalizeName(name, `concepts.${index}.name`),
    description: readDescription(description, `concepts.${index}.description`),
  }))
  const links = input.links.map(({ from, to, relationType }, index) => ({
    from: normalizeName(from, `links.${index}.from`),
    to: normalizeName(to, `links.${index}.to`),
    relationType: normalizeName(relationType, `links.${index}.relationType`),
  }))
  const { llmId } = caller.viewer
  const written = await transaction(caller, tx => writeGraph(tx, { concepts, links }, llmId), {
    timeout: 120_000,
  })
  keepConcepts(caller, written.ends)
  return written
}

/** The same inside a transaction, for names and descriptions that have been checked. */
export async function writeGraph(
  tx: Tx,
  { concepts, links }: { concepts: readonly CheckedConcept[]; links: readonly LinkByName[] },
  llmId: string | null,
): Promise<GraphUpsert> {
  const descriptions = new Map<string, string | null>()
  for (const { name, description } of concepts) {
    descriptions.set(name, description ?? descriptions.get(name) ?? null)
  }
  const names = new Set([...descriptions.keys(), ...links.flatMap(({ from, to }) => [from, to])])
  const byName = new Map((await lockConcepts(tx, [...names])).map(row => [row.name, row]))
  const savedConcepts = await saveConcepts(tx, byName, descriptions, llmId)
  const end = (name: string, field: string) => {
    const concept = byName.get(name)
    if (!concept) throw notFound('concept', field)
    return concept.id
  }
  const keys = links.map(({ from, to, relationType }, index) => ({
    from: end(from, `links.${index}.from`),
    to: end(to, `links.${index}.to`),
    relationType,
  }))
  const savedLinks = await saveLinks(tx, keys, llmId)
  await appendToGraph(tx, [
    ...savedConcepts.created.map(conceptCreated),
    ...savedConcepts.updated.map(conceptUpdated),
    ...savedLinks.created.map(linkCreated),
  ])
  return {
    concepts: concepts.map(({ name }) => rowOf(byName, name)),
    ends: [...byName.values()],
    links: savedLinks.links,
    conceptsCreated: savedConcepts.created.length,
    conceptsUpdated: savedConcepts.updated.length,
    linksCreated: savedLinks.created.length,
  }
}

/**
 * Makes the concepts that are missing among the found, and gives all the descriptions wanted. Answers
 * those that are new, and those that had another description.
 */
async function saveConcepts(
  tx: Tx,
  found: Map<string, Concept>,
  descriptions: ReadonlyMap<string, string | null>,
  llmId: string | null,
): Promise<{ created: Concept[]; updated: Concept[] }> {
  const wanted = new Map<string, CheckedConcept>()
  for (const [name, description] of descriptions) wanted.set(name, { name, description })
  const created = await makeMissing(found, wanted, {
    make: some => insertConcepts(tx, some, llmId),
    lock(some) {
      const names = some.map(({ name }) => name)
      return lockConcepts(tx, names)
    },
    keyOf: row => row.name,
  })
  const described: Concept[] = []
  for (const [name, description] of descriptions) {
    const concept = rowOf(found, name)
    if (description === null || description === concept.description) continue
    const now = { ...concept, description }
    described.push(now)
    found.set(name, now)
  }
  const changed = await describeConcepts(tx, described)
  return { created, updated: described.filter(({ id }) => changed.has(id)) }
}
