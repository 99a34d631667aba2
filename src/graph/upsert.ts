import type { Caller } from '../core/context.ts'
import { limitExceeded, notFound } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'
import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { Concept, Link } from '../generated/prisma/client.ts'
import { readDescription } from './concepts.ts'
import { conceptColumns, requireGraphWriter } from './graph.sql.ts'
import { type LinkKey, saveLinks } from './links.ts'

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
  links: Link[]
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
  return transaction(caller, tx => writeGraph(tx, { concepts, links }, llmId), {
    timeout: 120_000,
  })
}

/** The same inside a transaction, for names and descriptions that have been checked. */
export async function writeGraph(
  tx: Tx,
  { concepts, links }: { concepts: readonly CheckedConcept[]; links: readonly LinkByName[] },
  llmId: string | null,
): Promise<GraphUpsert> {
  const counts = await saveConcepts(tx, concepts, llmId)
  const names = [
    ...concepts.map(({ name }) => name),
    ...links.flatMap(({ from, to }) => [from, to]),
  ]
  const byName = await readConcepts(tx, names)
  const keys: LinkKey[] = links.map(({ from, to, relationType }, index) => ({
    from: end(byName, from, `links.${index}.from`),
    to: end(byName, to, `links.${index}.to`),
    relationType,
  }))
  const saved = await saveLinks(tx, keys, llmId)
  return {
    concepts: concepts.map(({ name }) => byName.get(name)).filter(concept => concept !== undefined),
    links: saved.links,
    linksCreated: saved.created,
    ...counts,
  }
}

function end(byName: ReadonlyMap<string, Concept>, name: string, field: string): bigint {
  const concept = byName.get(name)
  if (!concept) throw notFound('concept', field)
  return concept.id
}

async function saveConcepts(tx: Tx, concepts: readonly CheckedConcept[], llmId: string | null) {
  const descriptions = new Map<string, string | null>()
  for (const { name, description } of concepts) {
    descriptions.set(name, description ?? descriptions.get(name) ?? null)
  }
  const wanted = sql`unnest(${[...descriptions.keys()]}::text[], ${[...descriptions.values()]}::text[])
    as w(name, description)`
  // One order for everybody, so that two who write the same names do not wait for each other.
  const created = await query<{ id: bigint }>(
    tx,
    sql`insert into concepts (name, description, llm_id)
      select w.name, w.description, ${llmId}::text from ${wanted} order by w.name
      on conflict (name) do nothing returning id`,
  )
  const updated = await query<{ id: bigint }>(
    tx,
    sql`with changed as (
        select c.id, w.description from ${wanted} join concepts c on c.name = w.name
        where w.description is distinct from c.description and w.description is not null
        order by c.id for no key update of c)
      update concepts c set description = changed.description from changed
      where c.id = changed.id returning c.id`,
  )
  return { conceptsCreated: created.length, conceptsUpdated: updated.length }
}

/** Under the lock that a foreign key takes, so that no link of ours meets a deleted concept. */
async function readConcepts(tx: Tx, names: readonly string[]): Promise<Map<string, Concept>> {
  const rows = await query<Concept>(
    tx,
    sql`select ${conceptColumns} from concepts c where c.name = any(${[...new Set(names)]}::text[])
      order by c.id for key share`,
  )
  return new Map(rows.map(row => [row.name, row]))
}
