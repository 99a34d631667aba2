import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { build } from '../scripts/build.mjs'
import { openDatabase } from '../src/core/database.ts'
import { readEnv } from '../src/core/env.ts'
import { authenticator } from '../src/identity/authenticate.ts'
import { ensureAdmin } from '../src/identity/first-start.ts'
import { printedSchema } from '../src/printed-schema.ts'
import { newDirectory } from './support/embedded.ts'
import { createTestDatabase } from './support/test-database.ts'

const repository = process.cwd()

beforeAll(build, 60_000)

interface Ended {
  code: number | null
  out: string
  err: string
}

/** A command as `npm run` starts it, in an environment of its own. */
function node(words: string[], env: Record<string, string> = {}, cwd = repository): Promise<Ended> {
  const { PATH = '' } = process.env
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      words,
      { cwd, env: { PATH, ...env } },
      (_error, out, err) => resolve({ code: child.exitCode, out, err }),
    )
  })
}

const script = join(repository, 'scripts/run.mjs')

describe('npm run token', () => {
  test('prints a token of the user that is named', async () => {
    const database = await createTestDatabase()
    const log = pino({ level: 'silent' })
    const db = await openDatabase(database.url, { maxConnections: 2, log })
    onTestFinished(async () => {
      await db.close()
      await database.close()
    })
    await ensureAdmin(db)
    const env = { DATABASE_URL: database.url }

    const { code, out, err } = await node([script, 'identity/token.main', 'admin'], env)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const viewer = await authenticator(db, readEnv({}), log)(`Bearer ${out.trim()}`)
    expect(viewer).toMatchObject({ login: 'admin', kind: 'ADMIN' })

    expect(await node([script, 'identity/token.main', 'nobody'], env)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^nobody: .+\n$/),
    })
  })
})

describe('npm run migration', () => {
  /** A copy, so that what the command writes is not written into the repository. */
  async function copyOfRepository(): Promise<string> {
    const copy = newDirectory()
    await mkdir(copy)
    for (const name of ['dist', 'prisma', 'package.json']) {
      await cp(join(repository, name), join(copy, name), { recursive: true })
    }
    await symlink(join(repository, 'node_modules'), join(copy, 'node_modules'))
    return copy
  }

  test('writes what the schema has and the migrations do not make', async () => {
    const copy = await copyOfRepository()
    const main = join(copy, 'dist/core/migrations/migration.main.js')
    const env = { DATA_DIR: newDirectory() }
    const migrations = () => readdir(join(copy, 'prisma/migrations'))
    const before = await migrations()
    await appendFile(
      join(copy, 'prisma/graph.prisma'),
      'model Planted {\n  id Int @id\n  @@map("planted")\n  @@schema("public")\n}\n',
    )

    const { code, out, err } = await node([main, 'planted'], env)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/\/prisma\/migrations\/\d{14}_planted\/migration\.sql\n$/)
    expect(await readFile(out.trim(), 'utf8')).toContain('CREATE TABLE "planted"')
    expect(await migrations()).toHaveLength(before.length + 1)
  }, 60_000)

  test('without a name says how it is used', async () => {
    const ended = await node([script, 'core/migrations/migration.main'])
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toMatch(/^Usage: npm run migration -- <name>.*\n$/)
  })
})

test('npm run schema writes the schema of the program', async () => {
  const folder = newDirectory()
  await mkdir(folder)
  expect(await node([script, 'print-schema'], {}, folder)).toEqual({ code: 0, out: '', err: '' })
  expect(await readFile(join(folder, 'schema.graphql'), 'utf8')).toBe(printedSchema())
})

test.each([
  ['identity/token.main', [], 1],
  ['core/migrations/migration.main', ['name'], 1],
  ['import/main', ['test/data/memory.jsonl'], 2],
] as const)('%s tells a wrong variable in one line', async (name, words, code) => {
  expect(await node([script, name, ...words], { PORT: 'x' })).toEqual({
    code,
    out: '',
    err: 'PORT must be a whole number from 0 to 65535, not "x"\n',
  })
})

test('the stack of an error names source files that exist', async () => {
  const program = `
    import { readEnv } from './dist/core/env.js'
    try { readEnv({ PORT: 'x' }) } catch (error) { console.log(error.stack) }`
  const words = ['--enable-source-maps', '--input-type=module', '-e', program]
  const { out } = await node(words)
  const files = [...out.matchAll(/\((?:file:\/\/)?(\/.*?\.ts):\d/g)].map(([, path = '']) => path)
  expect(files).toContain(`${repository}/src/core/env.ts`)
  expect(files.filter(path => !existsSync(path))).toEqual([])
})
