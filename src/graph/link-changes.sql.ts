import { query, type Tx } from '../core/query.ts'
import { empty, raw, type Sql, sql } from '../core/sql.ts'
import { noteChanges } from '../core/transaction.ts'
import { adjacent } from './adjacent.sql.ts'
import { graphTopic, type LinkHappening } from './graph.events.ts'

// Links that go or move can be those of a hub. They are reported in the statement that changes them,
// by the order of their ids, so that they need not be read.

/** report: what happened to the links of the CTE `changed`. */
const report = (type: LinkHappening['type'], more: Sql = empty): Sql =>
  sql`insert into core.changes (topic, subject, payload)
    select ${graphTopic.name}::text, 'link ' || l.id, jsonb_build_object('type', ${type}::text,
      'linkId', l.id::text, 'fromId', l.from_concept_id::text, 'toId', l.to_concept_id::text,
      'relationType', l.relation_type${more})
    from changed l order by l.id`

/** remove: links by their ids; those that there were are answered. */
export async function removeLinks(tx: Tx, ids: readonly bigint[]): Promise<Set<bigint>> {
  noteChanges(tx)
  const rows = await query<{ id: bigint }>(
    tx,
    sql`with doomed as (select id from links where id = any(${ids}::bigint[]) order by id for update),
      changed as (delete from links l using doomed where l.id = doomed.id returning l.*),
      reported as (${report('linkDeleted')})
      select id from changed`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** remove: all links of concepts whose links are held. */
export async function removeLinksOf(tx: Tx, conceptIds: readonly bigint[]): Promise<void> {
  noteChanges(tx)
  await query(
    tx,
    sql`with changed as (
        delete from links l where l.from_concept_id = any(${conceptIds}::bigint[])
          or l.to_concept_id = any(${conceptIds}::bigint[])
        returning l.*)
      ${report('linkDeleted')}`,
  )
}

/** Concepts that go, and the one that takes their place, if there is one. */
export interface Leaving {
  ids: readonly bigint[]
  into: bigint | null
}

/** What an end becomes. */
const endAfter = (end: Sql, { ids, into }: Leaving): Sql =>
  sql`case when ${end} = any(${ids}::bigint[]) then ${into}::bigint else ${end} end`

/** remove duplicates: of links that become the same all but the oldest. */
export async function removeDuplicates(tx: Tx, leaving: Leaving): Promise<void> {
  noteChanges(tx)
  const all = [leaving.into, ...leaving.ids]
  await query(
    tx,
    sql`with ranked as (
        select l.id, row_number() over (
          partition by ${endAfter(raw('l.from_concept_id'), leaving)}, l.relation_type,
            ${endAfter(raw('l.to_concept_id'), leaving)} order by l.id) as place
        from links l
        where l.from_concept_id = any(${all}::bigint[]) or l.to_concept_id = any(${all}::bigint[])),
      changed as (
        delete from links l where l.id in (select id from ranked where place > 1) returning l.*)
      ${report('linkDeleted')}`,
  )
}

/** move: the links of concepts that go, which are held, to the one that takes their place. */
export async function moveLinks(tx: Tx, leaving: Leaving): Promise<void> {
  noteChanges(tx)
  await query(
    tx,
    sql`with old as materialized (
        select l.id, l.from_concept_id, l.to_concept_id from links l
        where l.from_concept_id = any(${leaving.ids}::bigint[])
          or l.to_concept_id = any(${leaving.ids}::bigint[])),
      changed as (
        update links l set from_concept_id = ${endAfter(raw('old.from_concept_id'), leaving)},
          to_concept_id = ${endAfter(raw('old.to_concept_id'), leaving)}
        from old where l.id = old.id
        returning l.*, old.from_concept_id as old_from, old.to_concept_id as old_to)
      ${report('linkMoved', raw(`, 'oldFromId', l.old_from::text, 'oldToId', l.old_to::text`))}`,
  )
}

/** So many of a hub's tell as well whether it was near. */
const maxNeighbors = 10_000

/**
 * last neighbors: those next to each of the concepts that go, of the lowest ids, without those that
 * go too: they count as the one that takes their place.
 */
export async function lastNeighbors(tx: Tx, leaving: Leaving): Promise<Map<bigint, bigint[]>> {
  const next = adjacent({
    of: raw('gone.id'),
    direction: 'BOTH',
    relationTypes: null,
    limit: sql`${maxNeighbors}::int`,
  })
  const rows = await query<{ id: bigint; neighbors: bigint[] }>(
    tx,
    sql`select gone.id, array(
        select near.id from (
          select distinct ${endAfter(raw('next.id'), leaving)} as id from (${next}) next
        ) near where near.id is not null order by near.id limit ${maxNeighbors}::int
      ) as neighbors
      from unnest(${leaving.ids}::bigint[]) as gone(id)`,
  )
  return new Map(rows.map(({ id, neighbors }) => [id, neighbors]))
}
