import { query, type Tx } from '../core/query.ts'
import { type Sql, sql } from '../core/sql.ts'
import type { Link } from '../generated/prisma/client.ts'
import { linkColumns } from './graph.sql.ts'

export interface LinkKey {
  from: bigint
  to: bigint
  relationType: string
}

const unnested = (links: readonly LinkKey[]): Sql =>
  sql`unnest(${links.map(link => link.from)}::bigint[],
    ${links.map(link => link.relationType)}::text[],
    ${links.map(link => link.to)}::bigint[]) as w(from_id, type, to_id)`

/** lock: those of the links that there are. Until the end of the transaction nobody removes them. */
export const lockLinks = (tx: Tx, links: readonly LinkKey[]) =>
  query<Link>(
    tx,
    sql`select ${linkColumns} from ${unnested(links)} join links l on l.from_concept_id = w.from_id
        and l.relation_type = w.type and l.to_concept_id = w.to_id
      order by l.id for key share of l`,
  )

/**
 * insert: the links that there are not; they are answered. In one order for everybody, so that two
 * who make the same links do not wait for each other.
 */
export const insertLinks = (tx: Tx, links: readonly LinkKey[], llmId: string | null) =>
  query<Link>(
    tx,
    sql`insert into links as l (from_concept_id, relation_type, to_concept_id, llm_id)
      select w.from_id, w.type, w.to_id, ${llmId}::text from ${unnested(links)} order by 1, 2, 3
      on conflict (from_concept_id, relation_type, to_concept_id) do nothing
      returning ${linkColumns}`,
  )

/**
 * hold: all links of concepts that are locked already. Who takes away many does it in this order
 * too, or two who meet at the links between their concepts would wait for each other.
 */
export const holdLinksOf = (tx: Tx, conceptIds: readonly bigint[]) =>
  query(
    tx,
    sql`with held as (
        select from links l where l.from_concept_id = any(${conceptIds}::bigint[])
          or l.to_concept_id = any(${conceptIds}::bigint[])
        order by l.id for update)
      select count(*) from held`,
  )
