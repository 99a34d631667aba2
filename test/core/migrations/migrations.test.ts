import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../../src/core/migrations/migrations.ts'
import { withClient } from '../../support/databases.ts'
import { ask, newDirectory } from '../../support/embedded.ts'
import { createEmptyDatabase } from '../../support/test-database.ts'

const log = pino({ level: 'silent' })

async function emptyDatabase(): Promise<string> {
  const { url, close } = await createEmptyDatabase()
  onTestFinished(close)
  return url
}

/** A folder of migrations, from `{ name: sql }`. */
async function migrations(files: Record<string, string>): Promise<string> {
  const directory = newDirectory()
  for (const [name, sql] of Object.entries(files)) {
    await mkdir(join(directory, name), { recursive: true })
    await writeFile(join(directory, name, 'migration.sql'), sql)
  }
  return directory
}

const first = { '1_first': 'create table thing (id int); insert into thing values (1);' }
const second = {
  '2_second': `-- A semicolon; inside a comment, and inside a body:
    create function two() returns int language plpgsql as $$ begin perform 1; return 2; end $$;
    insert into thing values (two());`,
}

test('pending migrations are applied in order, and once', async () => {
  const url = await emptyDatabase()
  const one = await migrations(first)
  const both = await migrations({ ...first, ...second })
  expect(await migrate(url, { log, directory: one })).toEqual({ applied: ['1_first'] })
  expect(await migrate(url, { log, directory: both })).toEqual({ applied: ['2_second'] })
  expect(await migrate(url, { log, directory: both })).toEqual({ applied: [] })
  expect(await ask(url, 'select array_agg(id order by id) from thing')).toEqual([1, 2])
})

test('several instances that start at once apply each migration once', async () => {
  const url = await emptyDatabase()
  const directory = await migrations({ ...first, ...second })
  const results = await Promise.all(
    Array.from({ length: 5 }, () => migrate(url, { log, directory })),
  )
  expect(results.flatMap(result => result.applied)).toEqual(['1_first', '2_second'])
  expect(await ask(url, 'select count(*)::int from thing')).toBe(2)
})

test('a migration that fails is named, leaves nothing behind, and can be mended', async () => {
  const url = await emptyDatabase()
  const bad = {
    '2_bad': 'insert into thing values (2);\ninsert into nowhere values (3);',
    '3_next': 'insert into thing values (4);',
  }
  await expect(
    migrate(url, { log, directory: await migrations({ ...first, ...bad }) }),
  ).rejects.toThrow(
    'The migration 2_bad failed at line 2 and was rolled back: relation "nowhere" does not exist',
  )
  expect(await ask(url, 'select array_agg(id) from thing')).toEqual([1])
  const mended = await migrations({ ...first, '2_bad': 'insert into thing values (2);' })
  expect(await migrate(url, { log, directory: mended })).toEqual({ applied: ['2_bad'] })
})

test('a migration that is cut off in the middle does not stop the next start', async () => {
  const url = await emptyDatabase()
  const cut = {
    '2_cut': 'insert into thing values (2); select pg_terminate_backend(pg_backend_pid());',
  }
  await expect(
    migrate(url, { log, directory: await migrations({ ...first, ...cut }) }),
  ).rejects.toThrow('The migration 2_cut failed')
  const directory = await migrations({ ...first, '2_cut': 'insert into thing values (2);' })
  expect(await migrate(url, { log, directory })).toEqual({ applied: ['2_cut'] })
})

test('a database that is newer than the code is refused', async () => {
  const url = await emptyDatabase()
  await migrate(url, { log, directory: await migrations({ ...first, ...second }) })
  await expect(migrate(url, { log, directory: await migrations(first) })).rejects.toThrow(
    'The database is newer than this version of Engraph: it has the migration 2_second',
  )
})

test('a migration that was edited after it was applied is refused', async () => {
  const url = await emptyDatabase()
  await migrate(url, { log, directory: await migrations(first) })
  const edited = await migrations({ '1_first': 'create table thing (id bigint);' })
  await expect(migrate(url, { log, directory: edited })).rejects.toThrow(
    'The migration 1_first was edited after this database had applied it',
  )
})

test('a file that Git checked out with other line ends is the same migration', async () => {
  const url = await emptyDatabase()
  await migrate(url, { log, directory: await migrations({ ...first, ...second }) })
  const crlf = await migrations({
    ...first,
    '2_second': second['2_second'].replaceAll('\n', '\r\n'),
  })
  expect(await migrate(url, { log, directory: crlf })).toEqual({ applied: [] })
})

test('a migration that another tool began and did not finish is refused', async () => {
  const url = await emptyDatabase()
  const directory = await migrations(first)
  await migrate(url, { log, directory })
  await withClient(url, client =>
    client.query(`update _prisma_migrations set finished_at = null, logs = 'disk\n full'`),
  )
  await expect(migrate(url, { log, directory })).rejects.toThrow(
    'The migration 1_first was begun on this database and not finished (disk full)',
  )
})

test("a database with somebody else's tables is refused", async () => {
  const url = await emptyDatabase()
  await withClient(url, client => client.query('create table invoices (id int)'))
  await expect(migrate(url, { log, directory: await migrations(first) })).rejects.toThrow(
    'give Engraph a database of its own',
  )
})

test('a server that does not answer is named, without the password', async () => {
  const url = 'postgresql://engraph:secret@127.0.0.1:1/engraph'
  const failure = await migrate(url, { log }).catch(error => error)
  expect(failure.message).toContain('The database at 127.0.0.1:1 cannot be reached')
  expect(failure.message).not.toContain('secret')
})
