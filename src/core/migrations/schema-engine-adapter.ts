import { PrismaPg } from '@prisma/adapter-pg'
import {
  ColumnTypeEnum,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import pg from 'pg'

/**
 * Prisma's adapter for the schema engine, on one connection, and amended in two things: of itself it
 * splits scripts at every semicolon, which cuts function bodies in two, and it refuses `"char"`, a
 * type that the catalogs are full of.
 */
export function schemaEngineAdapter(
  client: pg.Client,
  onScriptError: (error: unknown) => void,
): SqlMigrationAwareDriverAdapterFactory {
  const charColumns = new WeakMap<object, number[]>()
  // The adapter insists on a pool. This one never opens a connection of its own.
  const pool = new pg.Pool()
  pool.query = (async (config: pg.QueryConfig) => {
    const result = await client.query(config)
    charColumns.set(result.rows, passAsText(result.fields))
    return result
  }) as typeof pool.query

  const factory = new PrismaPg(pool)
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const adapter = await factory.connect()
      const queryRaw = adapter.queryRaw.bind(adapter)
      adapter.queryRaw = async query => {
        const result = await queryRaw(query)
        for (const index of charColumns.get(result.rows) ?? []) {
          result.columnTypes[index] = ColumnTypeEnum.Character
        }
        return result
      }
      adapter.executeScript = async script => {
        await client.query(script).catch(error => {
          onScriptError(error)
          throw error
        })
      }
      return adapter
    },
    connectToShadowDb: () => Promise.reject(new Error('no shadow database is used')),
  }
}

/** Renames `"char"` columns to a type that the adapter lets pass, and tells which they were. */
function passAsText(fields: pg.FieldDef[]): number[] {
  const { CHAR, TEXT } = pg.types.builtins
  const indexes: number[] = []
  for (const [index, field] of fields.entries()) {
    if (field.dataTypeID !== CHAR) continue
    field.dataTypeID = TEXT
    indexes.push(index)
  }
  return indexes
}
