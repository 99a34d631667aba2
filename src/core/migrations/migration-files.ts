import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const prismaDirectory = fileURLToPath(new URL('../../../prisma/', import.meta.url))

export const migrationsDirectory = `${prismaDirectory}migrations`

export interface SchemaFile {
  path: string
  content: string
}

export interface Migration {
  /** `20261130000000_foundation`: the folder's name, which is also the order. */
  name: string
  sql: string
  /** SHA-256 as Prisma records it. */
  checksum: string
}

export async function readMigrationNames(directory = migrationsDirectory): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
  return names.sort()
}

export async function readMigrations(directory = migrationsDirectory): Promise<Migration[]> {
  const names = await readMigrationNames(directory)
  return Promise.all(
    names.map(async name => {
      const sql = await readText(`${directory}/${name}/migration.sql`)
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

export async function readSchemaFiles(): Promise<SchemaFile[]> {
  const names = (await readdir(prismaDirectory)).filter(name => name.endsWith('.prisma'))
  return Promise.all(
    names.sort().map(async name => ({
      path: `prisma/${name}`,
      content: await readText(prismaDirectory + name),
    })),
  )
}

/** Git may check files out with CRLF; a migration keeps its checksum all the same. */
const readText = async (path: string) => (await readFile(path, 'utf8')).replaceAll('\r\n', '\n')
