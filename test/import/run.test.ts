import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ImportShell, runImport, usage } from '../../src/import/run.ts'
import { type ImportDatabase, openImportDatabase } from './import-database.ts'
import { entity } from './read-items.ts'

let database: ImportDatabase
let folder: string

beforeAll(async () => {
  database = await openImportDatabase()
  folder = await mkdtemp(join(tmpdir(), 'engraph-import-'))
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => database.clear())

const dataFile = (name: string) => fileURLToPath(new URL(`../data/${name}`, import.meta.url))

async function run(...args: (string | Partial<ImportShell>)[]) {
  const out: string[] = []
  const err: string[] = []
  let opened = 0
  const shell: ImportShell = {
    open: async () => {
      opened++
      return { caller: database.caller, close: async () => void opened-- }
    },
    stdout: { write: text => out.push(text) },
    stderr: { write: text => err.push(text) },
  }
  for (const arg of args) if (typeof arg === 'object') Object.assign(shell, arg)
  const words = args.filter(arg => typeof arg === 'string')
  const exitCode = await runImport(words, shell)
  return { exitCode, out: out.join(''), err: err.join(''), leftOpen: opened }
}

describe('the import command', () => {
  it('prints a summary and ends with 0 when all is imported', async () => {
    const { exitCode, out, err, leftOpen } = await run(dataFile('memory.jsonl'))
    expect({ exitCode, err, leftOpen }).toEqual({ exitCode: 0, err: '', leftOpen: 0 })
    expect(out).toContain('imported  5 entities, 4 relations')
    expect((await run(dataFile('memory.jsonl'))).out).toContain('all of it was there already')
  })

  it('lists failures and ends with 1 when some of it failed', async () => {
    const { exitCode, out } = await run(dataFile('memory-damaged.jsonl'))
    expect(exitCode).toBe(1)
    expect(out).toContain('failed    5\n')
    expect(out).toContain('  line 9: neither an entity nor a relation (its type is "log")\n')
  })

  it('shows twenty failures and writes all of them to the report', async () => {
    const path = join(folder, 'text.jsonl')
    await writeFile(path, `${'text\n'.repeat(30)}{"type":"_aim"}\n${entity('Ann')}`)
    const reportPath = join(folder, 'report.json')
    const { exitCode, out } = await run(path, '--report', reportPath)
    expect(exitCode).toBe(1)
    expect(out.match(/^ {2}line \d+: /gm)).toHaveLength(20)
    expect(out).toContain('  and 10 more; --report <file> lists them all')
    const report = JSON.parse(await readFile(reportPath, 'utf8'))
    expect(report.file).toBe(path)
    expect(report.leftOut).toHaveLength(31)
    expect(report.leftOut[30]).toEqual({
      kind: 'skipped',
      line: 31,
      reason: 'a file marker (_aim)',
    })
    expect(report.counts).toMatchObject({ failed: 30, ignored: 1, entities: { imported: 1 } })
  })

  it('explains itself', async () => {
    expect(await run('--help')).toMatchObject({ exitCode: 0, out: usage })
    expect(await run()).toMatchObject({ exitCode: 2, err: `Name one file.\n\n${usage}\n` })
    expect(await run('a', 'b')).toMatchObject({ exitCode: 2, out: '' })
    const unknown = await run('a', '--quick')
    expect(unknown).toMatchObject({ exitCode: 2, out: '' })
    expect(unknown.err).toMatch(/^Unknown option '--quick'/)
  })

  it('says in one line why a file cannot be read', async () => {
    const missing = join(folder, 'missing.jsonl')
    expect(await run(missing)).toMatchObject({
      exitCode: 2,
      err: `${missing}: there is no such file or folder\n`,
    })
    expect(await run(folder)).toMatchObject({
      exitCode: 2,
      err: `${folder}: it is a directory\n`,
    })
    const report = join(folder, 'no-folder', 'report.json')
    expect(await run(dataFile('memory.jsonl'), '--report', report)).toMatchObject({
      exitCode: 2,
      err: `${report}: there is no such file or folder\n`,
    })
  })

  it('does not overwrite the file with its report', async () => {
    const path = join(folder, 'own.jsonl')
    await writeFile(path, entity('Ann'))
    expect(await run(path, '--report', path)).toMatchObject({
      exitCode: 2,
      err: `the report would overwrite ${path}\n`,
    })
    expect(await readFile(path, 'utf8')).toBe(entity('Ann'))
  })

  it('stops between two batches when it is told to, and ends with 130', async () => {
    const path = join(folder, 'long.jsonl')
    await writeFile(path, Array.from({ length: 1_500 }, (_, n) => entity(`e${n}`)).join('\n'))
    const { exitCode, out } = await run({ signal: AbortSignal.abort() }, path)
    expect(exitCode).toBe(130)
    expect(out).toContain('imported  1,000 entities')
    expect((await run(path)).out).toContain('imported  500 entities')
  })

  it('says that there is no database', async () => {
    const open = () => Promise.reject(new Error('no database'))
    expect(await run({ open }, dataFile('memory.jsonl'))).toMatchObject({
      exitCode: 2,
      err: 'no database\n',
    })
  })

  it('says that an import broke off, and that the same command goes on', async () => {
    const viewer = { ...database.caller.viewer, kind: 'WORKER' as const }
    const open = async () => ({ caller: { ...database.caller, viewer }, close: async () => {} })
    const { exitCode, err } = await run({ open }, dataFile('memory.jsonl'))
    expect(exitCode).toBe(2)
    expect(err).toMatch(
      /^The import broke off: .*\nWhat was imported stays; the same command goes on/,
    )
  })
})
