import { byId } from '../core/by-id.ts'
import { type Connection, listPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { violatedConstraint } from '../core/database-errors.ts'
import { badInput, conflict, DomainError, notFound } from '../core/errors.ts'
import { bigintKey } from '../core/ids.ts'
import { normalizeName } from '../core/names.ts'
import type { Order, PageArgs, SortColumn } from '../core/paging.ts'
import { query } from '../core/query.ts'
import { searchPage } from '../core/search-page.ts'
import { readSearch } from '../core/search-query.ts'
import { raw, sql } from '../core/sql.ts'
import { checkText } from '../core/text.ts'
import { transaction } from '../core/transaction.ts'
import type { Concept } from '../generated/prisma/client.ts'
import { changeConcept } from './concept-rows.sql.ts'
import { appendToGraph, conceptCreated, conceptDeleted, conceptUpdated } from './graph.events.ts'
import { conceptColumns, visibleGraph } from './graph.sql.ts'
import { requireGraphWriter } from './guards.ts'
import { lastNeighbors, removeLinksOf } from './link-changes.sql.ts'
import { holdLinksOf } from './link-rows.sql.ts'

/** In characters. A longer text is a document, which a description can name. */
export const maxDescriptionLength = 2_500_000

/** The concept with this id, or null where the viewer may not see one. */
export async function conceptById(caller: Caller, id: string): Promise<Concept | null> {
  const key = bigintKey(id)
  return key === undefined ? null : concepts(caller).load(key)
}

/** The same for a key that came from the database. */
export const concepts = (caller: Caller) =>
  byId<bigint, Concept>(caller, {
    name: 'concept',
    columns: conceptColumns,
    from: raw('concepts c'),
    key: raw('c.id'),
    keyType: 'bigint',
    visible: visibleGraph(caller.viewer),
  })

/** Gives rows that were read already to whoever asks for them by id in the rest of the operation. */
export function keepConcepts(caller: Caller, rows: readonly Concept[]): void {
  const loader = concepts(caller)
  for (const row of rows) loader.clear(row.id).prime(row.id, row)
}

/** The concept of this name in any of the spellings that stand for it. */
export async function conceptByName(caller: Caller, name: string): Promise<Concept | null> {
  let spelled: string
  try {
    spelled = normalizeName(name, 'name')
  } catch (error) {
    // A name that no concept can have is a name that none has.
    if (error instanceof DomainError) return null
    throw error
  }
  return byId<string, Concept>(caller, {
    name: 'concept by name',
    columns: conceptColumns,
    from: raw('concepts c'),
    key: raw('c.name'),
    keyType: 'text',
    visible: visibleGraph(caller.viewer),
  }).load(spelled)
}

type ConceptSort = 'name' | 'timestamp'

const sortColumns: Record<ConceptSort, Omit<SortColumn, 'descending'>> = {
  name: { expression: raw('c.name'), type: 'text' },
  timestamp: { expression: raw('c.timestamp'), type: 'timestamptz' },
}

export interface ListConcepts extends PageArgs {
  search?: string | null | undefined
  orderBy?: { field: ConceptSort; descending: boolean } | null | undefined
}

/** Concepts in the order asked for; else what a search finds best first, and all newest first. */
export function listConcepts(caller: Caller, args: ListConcepts): Promise<Connection<Concept>> {
  const search = readSearch(args.search ?? '')
  const order = args.orderBy ? conceptOrder(args.orderBy) : undefined
  const visible = visibleGraph(caller.viewer)
  if (search) return searchPage(caller, { ...searchedConcepts, visible }, search, order, args)
  const source = { columns: conceptColumns, from: raw('concepts c'), where: visible }
  return listPage(caller, source, order ?? conceptOrder(newestFirst), args)
}

const newestFirst = { field: 'timestamp', descending: true } as const

const searchedConcepts = {
  name: 'concept',
  columns: conceptColumns,
  table: raw('concepts c'),
  alias: raw('c'),
  id: raw('c.id'),
  foldedName: raw('c.folded_name'),
  nameVector: raw('c.name_search'),
  vector: raw('c.search'),
}

/** Ends with the id, which tells apart what is otherwise alike. */
function conceptOrder({ field, descending }: { field: ConceptSort; descending: boolean }): Order {
  return {
    name: `concept ${field} ${descending}`,
    columns: [
      { ...sortColumns[field], descending },
      { expression: raw('c.id'), type: 'bigint', descending },
    ],
  }
}

export interface WriteConcept {
  name?: string | null | undefined
  description?: string | null | undefined
}

/** @throws FORBIDDEN, BAD_USER_INPUT, CONFLICT where the name is taken */
export async function createConcept(
  caller: Caller,
  input: WriteConcept & { name: string },
): Promise<Concept> {
  requireGraphWriter(caller)
  const data = {
    name: normalizeName(input.name, 'input.name'),
    description: readDescription(input.description, 'input.description'),
    llmId: caller.viewer.llmId,
  }
  return transaction(caller, async tx => {
    const concept = await tx.concept.create({ data })
    await appendToGraph(tx, [conceptCreated(concept)])
    return concept
  }).catch(nameTaken)
}

/**
 * What is left out stays as it is; a description of null is removed.
 * @throws FORBIDDEN, NOT_FOUND, BAD_USER_INPUT, CONFLICT where the name is taken
 */
export async function updateConcept(
  caller: Caller,
  id: string,
  input: WriteConcept,
): Promise<Concept> {
  requireGraphWriter(caller)
  const { name, description } = input
  if (name === null) throw badInput('A concept cannot be without a name.', 'input.name')
  const data = {
    ...(name !== undefined && { name: normalizeName(name, 'input.name') }),
    ...(description !== undefined && {
      description: readDescription(description, 'input.description'),
    }),
  }
  const key = bigintKey(id)
  return transaction(caller, async tx => {
    if (key === undefined) throw notFound('concept', 'id')
    const changed = await changeConcept(tx, key, data)
    if (changed) await appendToGraph(tx, [conceptUpdated(changed)])
    const concept = changed ?? (await tx.concept.findUnique({ where: { id: key } }))
    if (!concept) throw notFound('concept', 'id')
    return concept
  }).catch(nameTaken)
}

/** Deletes a concept with its links. @throws FORBIDDEN, NOT_FOUND */
export async function deleteConcept(caller: Caller, id: string): Promise<void> {
  requireGraphWriter(caller)
  const key = bigintKey(id)
  if (key === undefined) throw notFound('concept', 'id')
  await transaction(caller, async tx => {
    const found = await query(tx, sql`select from concepts where id = ${key} for update`)
    if (found.length === 0) throw notFound('concept', 'id')
    await holdLinksOf(tx, [key])
    const neighbors = await lastNeighbors(tx, { ids: [key], into: null })
    await removeLinksOf(tx, [key])
    const concept = await tx.concept.delete({
      where: { id: key },
      select: { id: true, name: true },
    })
    await appendToGraph(tx, [conceptDeleted(concept, neighbors.get(key) ?? [])])
  })
}

/** An empty description is none. */
export function readDescription(text: string | null | undefined, field: string): string | null {
  return text == null || text === '' ? null : checkText(text, field, maxDescriptionLength)
}

function nameTaken(error: unknown): never {
  if (violatedConstraint(error) === 'concepts_name_key') {
    throw conflict('There is a concept with this name.', 'input.name')
  }
  throw error
}
