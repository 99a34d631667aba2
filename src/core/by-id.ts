import type { Caller } from './context.ts'
import { query } from './query.ts'
import { raw, type Sql, sql } from './sql.ts'
import { keysOf } from './text.ts'

/** How an entity is read by its key, under the permission predicate of its room. */
export interface EntitySource {
  name: string
  columns: Sql
  from: Sql
  /** The key, as an expression over `from`. */
  key: Sql
  keyType: 'bigint' | 'text' | 'uuid' | 'bpchar'
  visible: Sql
}

/** The entities of one kind by their keys: one statement for all that ask in the same tick. */
export function byId<Key, Row>(
  { db, loaders }: Pick<Caller, 'db' | 'loaders'>,
  source: EntitySource,
) {
  return loaders.use<Key, Row | null>(source.name, async keys => {
    const rows = await query<Row & { loaderKey: Key }>(
      db.pool,
      sql`select ${source.columns}, ${source.key} as "loaderKey" from ${source.from}
        where ${source.key} = any(${keysOf(keys)}::${raw(source.keyType)}[]) and ${source.visible}`,
    )
    const found = new Map(rows.map(row => [row.loaderKey, row]))
    return keys.map(key => found.get(key) ?? null)
  })
}
