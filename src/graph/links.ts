import { byId } from '../core/by-id.ts'
import { type Connection, childPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { limitExceeded, notFound } from '../core/errors.ts'
import { bigintKey } from '../core/ids.ts'
import { normalizeName } from '../core/names.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { Concept, Link } from '../generated/prisma/client.ts'
import { ofTypes } from './adjacent.sql.ts'
import { concepts, keepConcepts } from './concepts.ts'
import { appendToGraph, linkCreated } from './graph.events.ts'
import { conceptColumns, linkColumns, visibleGraph } from './graph.sql.ts'
import { requireGraphWriter } from './guards.ts'
import { removeLinks } from './link-changes.sql.ts'
import { readRelationTypes } from './relation-types.ts'
import { saveLinks } from './save-links.ts'

const maxLinksPerCall = 1_000

/** The link with this id, or null where the viewer may not see one. */
export async function linkById(caller: Caller, id: string): Promise<Link | null> {
  const key = bigintKey(id)
  const link = key === undefined ? null : await links(caller).load(key)
  return link && withEnds(caller, link)
}

/**
 * Reads the concepts that the link joins, so that whoever asks for them gets them. One that has been
 * deleted since the link was read took the link with it, so that there is none; one that has been
 * merged has left it to another concept.
 */
async function withEnds(caller: Caller, link: Link): Promise<Link | null> {
  const { id, fromConceptId, toConceptId } = link
  const ends = await Promise.all(
    [fromConceptId, toConceptId].map(end => concepts(caller).load(end)),
  )
  if (!ends.includes(null)) return link
  const now = await links(caller).clear(id).load(id)
  const isMoved = now?.fromConceptId !== fromConceptId || now.toConceptId !== toConceptId
  return now && isMoved ? withEnds(caller, now) : null
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
export async function linksOf(
  caller: Caller,
  concept: Concept,
  side: LinkSide,
  args: PageArgs & { relationTypes?: readonly string[] | null | undefined },
): Promise<Connection<Link>> {
  const types = readRelationTypes(args.relationTypes)
  const order: Order = {
    name: `links ${side}`,
    columns: [
      { expression: otherEnd[side], type: 'bigint' },
      { expression: raw('l.id'), type: 'bigint' },
    ],
  }
  keepConcepts(caller, [concept])
  const page = await childPage<Link>(
    caller,
    concept.id,
    {
      name: `links ${side} ${JSON.stringify(types)}`,
      parentType: 'bigint',
      columns: linkColumns,
      from: raw('links l'),
      where: sql`${ownEnd[side]} = parent.id ${ofTypes(types)} and ${visibleGraph(caller.viewer)}`,
    },
    order,
    args,
  )
  const edges = async () => {
    const nodes = await Promise.all(page.edges.map(({ node }) => withEnds(caller, node)))
    return page.edges.flatMap(({ cursor }, index) => {
      const node = nodes[index]
      return node ? [{ cursor, node }] : []
    })
  }
  return {
    ...page,
    // Late, as the flags of a page are: who asks for a count alone reads no concepts.
    get edges() {
      return edges() as unknown as Connection<Link>['edges']
    },
  }
}

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
  const written = await transaction(caller, async tx => {
    const ids = wanted.flatMap(({ from, to }) => [from, to]).filter(id => id !== undefined)
    // The lock that a foreign key takes, in the order of the ids: no concept goes away under us.
    const found = await query<Concept>(
      tx,
      sql`select ${conceptColumns} from concepts c where c.id = any(${ids}::bigint[])
        order by c.id for key share`,
    )
    const known = new Set<bigint | undefined>(found.map(({ id }) => id))
    const checked = wanted.map(({ from, to, relationType }, index) => {
      if (from === undefined || !known.has(from)) throw notFound('concept', `links.${index}.from`)
      if (to === undefined || !known.has(to)) throw notFound('concept', `links.${index}.to`)
      return { from, to, relationType }
    })
    const { links, created } = await saveLinks(tx, checked, caller.viewer.llmId)
    await appendToGraph(tx, created.map(linkCreated))
    return { ends: found, links }
  })
  keepConcepts(caller, written.ends)
  return written.links
}

/** Removes links, all or none. @throws FORBIDDEN, LIMIT_EXCEEDED, NOT_FOUND with the item */
export async function unlinkConcepts(caller: Caller, ids: readonly string[]): Promise<void> {
  requireGraphWriter(caller)
  if (ids.length > maxLinksPerCall) {
    throw limitExceeded(`At most ${maxLinksPerCall} links can be removed in one call.`, 'ids')
  }
  const keys = ids.map(bigintKey)
  await transaction(caller, async tx => {
    const known = keys.filter(key => key !== undefined)
    const gone = await removeLinks(tx, known)
    const missing = keys.findIndex(key => key === undefined || !gone.has(key))
    if (missing !== -1) throw notFound('link', `ids.${missing}`)
  })
}
