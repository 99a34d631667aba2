import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'
import type pg from 'pg'
import type { Migration, SchemaFile } from './migration-files.ts'
import { schemaEngineAdapter } from './schema-engine-adapter.ts'

const filters = { externalTables: [], externalEnums: [] }

/**
 * Prisma's own schema engine, in WebAssembly, on one connection. The caller may have a transaction
 * open on it: then what the engine does is part of that transaction.
 */
export interface SchemaEngine {
  /** Runs those of the migrations that `_prisma_migrations` does not have, and records them there. */
  apply(migrations: readonly Migration[]): Promise<void>
  /** The SQL that would make the live schema what the schema files say; null when nothing would. */
  difference(): Promise<string | null>
  close(): void
}

export async function openSchemaEngine(
  client: pg.Client,
  files: SchemaFile[],
): Promise<SchemaEngine> {
  await loadEngine()
  let failure: unknown
  const engine = await bindings.SchemaEngine.new(
    { datamodels: files.map(file => [file.path, file.content]) },
    () => {},
    bindMigrationAwareSqlAdapterFactory(
      schemaEngineAdapter(client, error => {
        failure ??= error
      }),
    ),
  )
  return {
    async apply(migrations) {
      try {
        await engine.applyMigrations({ filters, migrationsList: migrationList(migrations) })
      } catch (error) {
        // The engine's own report is about what followed in the failed transaction.
        throw failure ?? error
      }
    },
    async difference() {
      const { exitCode, stdout } = await engine.diff({
        from: { tag: 'schemaDatasource', files, configDir: '' },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: true,
        filters,
      })
      return exitCode === 0 ? null : (stdout ?? '')
    },
    close: () => engine.free(),
  }
}

function migrationList(migrations: readonly Migration[]) {
  return {
    baseDir: 'prisma/migrations',
    shadowDbInitScript: '',
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
    })),
  }
}

// Node has it; its types are in TypeScript's DOM library only.
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>
}

let loading: Promise<void> | undefined

function loadEngine(): Promise<void> {
  loading ??= (async () => {
    const panics = globalThis as {
      PRISMA_WASM_PANIC_REGISTRY?: { set_message: (text: string) => void }
    }
    panics.PRISMA_WASM_PANIC_REGISTRY ??= {
      set_message(text) {
        throw new Error(`Prisma's schema engine broke down: ${text}`)
      },
    }
    const script = createRequire(import.meta.url).resolve(
      '@prisma/schema-engine-wasm/schema_engine_bg',
    )
    const { instance } = await WebAssembly.instantiate(
      await readFile(script.replace(/\.js$/, '.wasm')),
      { './schema_engine_bg.js': bindings },
    )
    bindings.__wbg_set_wasm(instance.exports)
    instance.exports.__wbindgen_start()
  })()
  return loading
}
