import { query, type Tx } from '../core/query.ts'
import { join, raw, sql } from '../core/sql.ts'
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

/**
 * describe: other descriptions for concepts that are locked already. Answers the ids of those that
 * had not got theirs from somebody else by then.
 */
export async function describeConcepts(
  tx: Tx,
  concepts: readonly Pick<Concept, 'id' | 'description'>[],
): Promise<Set<bigint>> {
  if (concepts.length === 0) return new Set()
  const rows = await query<{ id: bigint }>(
    tx,
    sql`with wanted as (
        select c.id, w.description
        from unnest(${concepts.map(each => each.id)}::bigint[],
          ${concepts.map(each => each.description)}::text[]) as w(id, description)
        join concepts c on c.id = w.id order by c.id for no key update of c)
      update concepts c set description = wanted.description from wanted
      where c.id = wanted.id and c.description is distinct from wanted.description
      returning c.id`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** change: one concept; none is answered where there is none, or nothing would change. */
export async function changeConcept(
  tx: Tx,
  id: bigint,
  { name, description }: { name?: string; description?: string | null },
): Promise<Concept | undefined> {
  const wanted = [
    ...(name === undefined ? [] : [{ column: raw('name'), value: sql`${name}::text` }]),
    ...(description === undefined
      ? []
      : [{ column: raw('description'), value: sql`${description}::text` }]),
  ]
  if (wanted.length === 0) return undefined
  const values = wanted.map(({ column, value }) => sql`${column} = ${value}`)
  const differing = wanted.map(({ column, value }) => sql`c.${column} is distinct from ${value}`)
  const [row] = await query<Concept>(
    tx,
    sql`update concepts c set ${join(values, ', ')}
      where c.id = ${id} and (${join(differing, ' or ')}) returning ${conceptColumns}`,
  )
  return row
}
