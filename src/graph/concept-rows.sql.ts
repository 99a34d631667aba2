import { query, type Tx } from '../core/query.ts'
import { sql } from '../core/sql.ts'
import type { Concept } from '../generated/prisma/client.ts'
import { conceptColumns } from './graph.sql.ts'

/**
 * lock: those of these names that there are. Until the end of the transaction nobody deletes or
 * renames them: it is the lock that a foreign key takes, in the one order for everybody.
 */
export const lockConcepts = (tx: Tx, names: readonly string[]) =>
  query<Concept>(
    tx,
    sql`select ${conceptColumns} from concepts c where c.name = any(${names}::text[])
      order by c.id for key share`,
  )

/**
 * insert: the concepts whose names are free; they are answered. In one order for everybody, so that
 * two who make the same concepts do not wait for each other.
 */
export const insertConcepts = (
  tx: Tx,
  concepts: readonly Pick<Concept, 'name' | 'description'>[],
  llmId: string | null,
) =>
  query<Concept>(
    tx,
    sql`insert into concepts as c (name, description, llm_id)
      select w.name, w.description, ${llmId}::text
      from unnest(${concepts.map(each => each.name)}::text[],
        ${concepts.map(each => each.description)}::text[]) as w(name, description)
      order by w.name on conflict (name) do nothing returning ${conceptColumns}`,
  )

/** describe: other descriptions for concepts that are locked already. */
export const describeConcepts = (
  tx: Tx,
  concepts: readonly Pick<Concept, 'id' | 'description'>[],
) =>
  query(
    tx,
    sql`with changed as (
        select c.id, w.description
        from unnest(${concepts.map(each => each.id)}::bigint[],
          ${concepts.map(each => each.description)}::text[]) as w(id, description)
        join concepts c on c.id = w.id order by c.id for no key update of c)
      update concepts c set description = changed.description from changed where c.id = changed.id`,
  )
