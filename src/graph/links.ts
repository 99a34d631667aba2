import { byId } from '../core/by-id.ts'
import { childPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { limitExceeded, notFound } from '../core/errors.ts'
import { bigintKey } from '../core/ids.ts'
import { normalizeName } from '../core/names.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import { query, type Tx } from '../core/query.ts'
import { raw, type Sql, sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { Link } from '../generated/prisma/client.ts'
import { linkColumns, requireGraphWriter, visibleGraph } from './graph.sql.ts'

const maxLinksPerCall = 1_000

/** The link with this id, or null where the viewer may not see one. */
export async function linkById(caller: Caller, id: string): Promise<Link | null> {
  const key = bigintKey(id)
  return key === undefined ? null : links(caller).load(key)
}

const links = (caller: Caller) =>
  byId<bigint, Link>(caller, {
    name: 'link',
    columns: linkColumns,
    from: raw('links l'),
    key: raw('l.id'),
    keyType: 'bigint',
    visible: visibleGraph(caller.viewer),
  })

export type LinkSide = 'outgoing' | 'incoming'

/** The end that stands still: links of a concept are read through its adjacency index. */
const ownEnd = { outgoing: raw('l.from_concept_id'), incoming: raw('l.to_concept_id') }
const otherEnd = { outgoing: raw('l.to_concept_id'), incoming: raw('l.from_concept_id') }

/** The links of a concept by the id of the concept at their other end. */
export function linksOf(
  caller: Caller,
  conceptId: bigint,
  side: LinkSide,
  args: PageArgs & { relationTypes?: readonly string[] | null | undefined },
) {
  const types = readRelationTypes(args.relationTypes)
  const order: Order = {
    name: `links ${side}`,
    columns: [
      { expression: otherEnd[side], type: 'bigint' },
      { expression: raw('l.id'), type: 'bigint' },
    ],
  }
  return childPage<Link>(
    caller,
    conceptId,
    {
      name: `links ${side} ${JSON.stringify(types)}`,
      parentType: 'bigint',
      columns: linkColumns,
      from: raw('links l'),
      where: sql`${ownEnd[side]} = parent.id and ${ofTypes(types)} and ${visibleGraph(caller.viewer)}`,
    },
    order,
    args,
  )
}

/** Relation types as they are stored; null asks for every type. */
export function readRelationTypes(types: readonly string[] | null | undefined): string[] | null {
  return types?.map((type, index) => normalizeName(type, `relationTypes.${index}`)) ?? null
}

const ofTypes = (types: string[] | null): Sql =>
  types ? sql`l.relation_type = any(${types}::text[])` : raw('true')

export interface NewLink {
  from: string
  to: string
  relationType: string
}

/**
 * Links concepts, all or none; a link that exists already is answered as it is.
 * @throws FORBIDDEN, LIMIT_EXCEEDED, BAD_USER_INPUT, and NOT_FOUND with the item as `links.1.from`
 */
export async function linkConcepts(caller: Caller, input: readonly NewLink[]): Promise<Link[]> {
  requireGraphWriter(caller)
  if (input.length > maxLinksPerCall) {
    throw limitExceeded(`At most ${maxLinksPerCall} links can be made in one call.`, 'links')
  }
  const wanted = input.map(({ from, to, relationType }, index) => ({
    from: bigintKey(from),
    to: bigintKey(to),
    relationType: normalizeName(relationType, `links.${index}.relationType`),
  }))
  return transaction(caller, async tx => {
    const ids = wanted.flatMap(({ from, to }) => [from, to]).filter(id => id !== undefined)
    // The lock that a foreign key takes, in the order of the ids: no concept goes away under us.
    const found = await query<{ id: bigint }>(
      tx,
      sql`select id from concepts where id = any(${ids}::bigint[]) order by id for key share`,
    )
    const known = new Set<bigint | undefined>(found.map(({ id }) => id))
    const checked = wanted.map(({ from, to, relationType }, index) => {
      if (from === undefined || !known.has(from)) throw notFound('concept', `links.${index}.from`)
      if (to === undefined || !known.has(to)) throw notFound('concept', `links.${index}.to`)
      return { from, to, relationType }
    })
    return (await saveLinks(tx, checked, caller.viewer.llmId)).links
  })
}

export interface LinkKey {
  from: bigint
  to: bigint
  relationType: string
}

/** Inserts what is not there yet and answers all, in the order given, with how many are new. */
export async function saveLinks(
  tx: Tx,
  wanted: readonly LinkKey[],
  llmId: string | null,
): Promise<{ links: Link[]; created: number }> {
  const keys = sql`unnest(${wanted.map(link => link.from)}::bigint[],
    ${wanted.map(link => link.relationType)}::text[], ${wanted.map(link => link.to)}::bigint[])
    with ordinality as w(from_id, type, to_id, place)`
  // One order for everybody, so that two who make the same links do not wait for each other.
  const made = await query<{ id: bigint }>(
    tx,
    sql`insert into links (from_concept_id, relation_type, to_concept_id, llm_id)
      select distinct w.from_id, w.type, w.to_id, ${llmId}::text from ${keys} order by 1, 2, 3
      on conflict (from_concept_id, relation_type, to_concept_id) do nothing returning id`,
  )
  const rows = await query<Link>(
    tx,
    sql`select ${linkColumns} from ${keys} join links l on l.from_concept_id = w.from_id
      and l.relation_type = w.type and l.to_concept_id = w.to_id order by w.place`,
  )
  return { links: rows, created: made.length }
}

/** Removes links, all or none. @throws FORBIDDEN, LIMIT_EXCEEDED, NOT_FOUND with the item */
export async function unlinkConcepts(caller: Caller, ids: readonly string[]): Promise<void> {
  requireGraphWriter(caller)
  if (ids.length > maxLinksPerCall) {
    throw limitExceeded(`At most ${maxLinksPerCall} links can be removed in one call.`, 'ids')
  }
  const keys = ids.map(bigintKey)
  await transaction(caller, async tx => {
    const removed = await query<{ id: bigint }>(
      tx,
      sql`delete from links where id = any(${keys.filter(key => key !== undefined)}::bigint[]) returning id`,
    )
    const gone = new Set<bigint | undefined>(removed.map(({ id }) => id))
    const missing = keys.findIndex(key => !gone.has(key))
    if (missing !== -1) throw notFound('link', `ids.${missing}`)
  })
}
