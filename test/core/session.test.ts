import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import type { Caller } from '../../src/core/context.ts'
import { type Database, openDatabase } from '../../src/core/database.ts'
import { Loaders } from '../../src/core/loaders.ts'
import { migrate } from '../../src/core/migrations/migrations.ts'
import { query } from '../../src/core/query.ts'
import { sql } from '../../src/core/sql.ts'
import { createConcept, listConcepts } from '../../src/graph/concepts.ts'
import { createUser } from '../../src/identity/users.ts'
import { withClient } from '../support/databases.ts'
import { createEmptyDatabase } from '../support/test-database.ts'

const log = pino({ level: 'silent' })

async function emptyDatabase(options?: string) {
  const database = await createEmptyDatabase(options)
  onTestFinished(() => database.close())
  return database
}

async function open(url: string, warnings: string[] = []): Promise<Database> {
  await migrate(url, { log })
  const warn = (_: unknown, message?: string) => warnings.push(String(message ?? _))
  const db = await openDatabase(url, { maxConnections: 2, log: { ...log, warn } as never })
  onTestFinished(() => db.close())
  return db
}

const callerOf = (db: Database): Caller => ({
  ...{ db, loaders: new Loaders() },
  viewer: {
    ...{ kind: 'ADMIN', userId: '', login: '', groups: [], llmId: null, tokenId: null },
    expiresAt: null,
  },
})

const settings = [
  `TimeZone = 'America/New_York'`,
  `DateStyle = 'SQL, DMY'`,
  `IntervalStyle = 'sql_standard'`,
  `extra_float_digits = -10`,
  `bytea_output = 'escape'`,
  `array_nulls = off`,
  `standard_conforming_strings = off`,
  `search_path = 'elsewhere'`,
  `default_transaction_isolation = 'serializable'`,
  `default_transaction_read_only = on`,
  `default_transaction_deferrable = on`,
  `gin_fuzzy_search_limit = 1`,
  `statement_timeout = 1`,
  `lock_timeout = 1`,
]

it('whatever is set on a database, it is migrated, written and read as any other', async () => {
  const { url, name } = await emptyDatabase()
  await withClient(url, async client => {
    for (const setting of settings) await client.query(`alter database ${name} set ${setting}`)
  })
  const caller = callerOf(await open(url))
  const timestamp = new Date('2026-02-01T03:04:05.678Z')
  for (const each of ['notebook', 'notebooks', 'notepad']) {
    const { id } = await createConcept(caller, { name: each, description: 'A \\ "note".' })
    await caller.db.prisma.concept.update({ where: { id }, data: { timestamp } })
  }
  const list = async (args: object) => {
    const seen: string[] = []
    for (let after: string | null = null, more = true; more; ) {
      const page = await listConcepts(caller, { ...args, first: 1, after })
      seen.push(...page.edges.map(({ node }) => node.name))
      expect(page.edges[0]?.node.timestamp).toEqual(timestamp)
      expect(page.edges[0]?.node.description).toBe('A \\ "note".')
      after = page.pageInfo.endCursor
      more = page.pageInfo.hasNextPage
    }
    return seen
  }
  expect(await list({})).toEqual(['notepad', 'notebooks', 'notebook'])
  expect(await list({ search: 'note' })).toEqual(['notebook', 'notebooks', 'notepad'])
  expect((await list({ search: 'notebok' })).toSorted()).toEqual([
    'notebook',
    'notebooks',
    'notepad',
  ])
  const [row] = await query<{ texts: unknown }>(
    caller.db.pool,
    sql`select ${['a', null]}::text[] as texts`,
  )
  expect(row?.texts).toEqual(['a', null])
})

it.each([
  ['DateStyle=SQL', 'DateStyle SQL, MDY, not ISO, MDY'],
  ['search_path=elsewhere', 'search_path elsewhere, not public'],
  ['default_transaction_read_only=on', 'default_transaction_read_only on, not off'],
])('sessions that have %s all the same are refused in one line', async (setting, reason) => {
  const url = new URL((await emptyDatabase()).url)
  url.searchParams.set('options', `-c ${setting}`)
  const starts = [
    () => migrate(url.href, { log }),
    () => openDatabase(url.href, { maxConnections: 1, log }),
  ]
  for (const start of starts) {
    await expect(start()).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(new RegExp(`^[^\\n]*${reason}[^\\n]*$`)),
    })
  }
})

const letters = (ctype: string) =>
  `template template0 locale_provider libc lc_collate 'C' lc_ctype '${ctype}'`

it.each(['LATIN1', 'SQL_ASCII'])('a database in %s is refused in one line', async encoding => {
  const { url } = await emptyDatabase(`${letters('C')} encoding '${encoding}'`)
  await expect(migrate(url, { log })).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringMatching(new RegExp(`^[^\\n]*${encoding}[^\\n]*UTF8[^\\n]*$`)),
  })
})

it('a database that knows letters of ASCII alone folds the others too, with a warning', async () => {
  const { url } = await emptyDatabase(`${letters('C')} encoding 'UTF8'`)
  const warnings: string[] = []
  const caller = callerOf(await open(url, warnings))
  expect(warnings).toEqual([expect.stringContaining('LC_CTYPE is C')])
  await createConcept(caller, { name: 'Жанна', description: 'Заметки о Málaga и ЁЛКЕ.' })
  for (const search of ['жанна', 'ЖАН', 'заметка', 'MÁLAGA', 'елке', '"заметки о"']) {
    const { edges } = await listConcepts(caller, { search })
    expect(edges.map(({ node }) => node.name)).toEqual(['Жанна'])
  }
  await createUser(caller, { login: 'Жан', role: 'member' })
  await expect(createUser(caller, { login: 'жан', role: 'member' })).rejects.toMatchObject({
    code: 'CONFLICT',
  })
})
