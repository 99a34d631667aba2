import { type Queryable, query } from '../core/query.ts'
import { and, join, type Sql, sql } from '../core/sql.ts'
import { pathSearch } from './path-search.sql.ts'

/** One of the concepts lies within so many links, followed either way. */
export interface Reach {
  ids: readonly bigint[]
  hops: number
}

/** About a fifth of a second. */
const maxNearRead = 200_000

/**
 * near: whether the concepts of all reaches of one of the alternatives lie around the centre.
 *
 * Each reach is a look for a link or, farther, a search from both ends at once (`path-search.sql.ts`),
 * so that what lies around the centre is not read whole to place one concept. What `maxRead` links did not decide counts as near. The
 * concepts need not be there any more: then they have no links. The centre itself is always near.
 */
export async function isNear(
  on: Queryable,
  centre: bigint,
  alternatives: readonly (readonly Reach[])[],
  { maxRead = maxNearRead }: { maxRead?: number } = {},
): Promise<boolean> {
  const open = alternatives
    .map(reaches => reaches.filter(({ ids, hops }) => hops < 0 || !ids.includes(centre)))
    .filter(reaches => reaches.every(({ ids, hops }) => hops > 0 && ids.length > 0))
  if (open.some(reaches => reaches.length === 0)) return true
  if (open.length === 0) return false
  const [row] = await query<{ near: boolean }>(
    on,
    sql`select ${join(
      open.map(reaches => sql`(${and(reaches.map(reached))})`),
      ' or ',
    )} as near`,
  )
  return row?.near ?? false

  function reached({ ids, hops }: Reach): Sql {
    if (hops === 1) {
      return sql`(exists (select from links l
          where l.from_concept_id = ${centre} and l.to_concept_id = any(${ids}::bigint[]))
        or exists (select from links l
          where l.to_concept_id = ${centre} and l.from_concept_id = any(${ids}::bigint[])))`
    }
    const search = pathSearch({
      ends: sql`select array[${centre}::bigint], ${ids}::bigint[]`,
      direction: 'BOTH',
      relationTypes: null,
      maxDepth: hops,
      maxRead,
    })
    return sql`exists (with recursive ${search}
      select from search where meeting is not null or reads >= ${maxRead})`
  }
}
