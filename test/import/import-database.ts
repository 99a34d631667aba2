import { Readable } from 'node:stream'
import pino from 'pino'
import type { Caller, Viewer } from '../../src/core/context.ts'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { Loaders } from '../../src/core/loaders.ts'
import { type ImportOptions, importFile } from '../../src/import/command.ts'
import { createTestDatabase } from '../support/test-database.ts'

export interface ImportDatabase {
  caller: Caller
  importText: (text: string | Uint8Array, options?: ImportOptions) => ReturnType<typeof importFile>
  /** Concepts as `name: description` and links as `from relation to`, in order. */
  graph: () => Promise<{ concepts: string[]; links: string[] }>
  clear: () => Promise<void>
  close: () => Promise<void>
}

const admin: Viewer = {
  kind: 'ADMIN',
  userId: '00000000-0000-4000-8000-000000000000',
  login: 'admin',
  groups: [],
  llmId: null,
  tokenId: null,
  expiresAt: null,
}

/** A database of its own to import into. */
export async function openImportDatabase(): Promise<ImportDatabase> {
  const { url, close } = await createTestDatabase()
  const db = await openDatabase(url, { maxConnections: 4, log: pino({ level: 'silent' }) })
  const caller = { viewer: admin, db, loaders: new Loaders() }
  return {
    caller,
    importText: (text, options) => importFile(caller, inputOf(text), options),
    graph: () => readGraph(db),
    async clear() {
      await db.pool.query('truncate concepts, links')
    },
    async close() {
      await db.close()
      await close()
    },
  }
}

function inputOf(text: string | Uint8Array) {
  const bytes = Buffer.from(text)
  const chunks = Readable.from([bytes])
  return { path: 'memory.jsonl', size: bytes.length, chunks, close: async () => {} }
}

async function readGraph({ prisma }: Database) {
  const concepts = await prisma.concept.findMany()
  const links = await prisma.link.findMany({ include: { from: true, to: true } })
  return {
    concepts: concepts.map(each => `${each.name}: ${each.description ?? ''}`).sort(),
    links: links.map(each => `${each.from.name} ${each.relationType} ${each.to.name}`).sort(),
  }
}
