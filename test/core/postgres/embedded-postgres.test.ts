import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EmbeddedPostgres } from '../../../src/core/postgres/embedded-postgres.ts'
import { commandOf } from '../../../src/core/postgres/pids.ts'
import { readPidFile } from '../../../src/core/postgres/postmaster-pid.ts'
import { ask, dataIn, newDirectory, open, openEmbedded } from '../../support/embedded.ts'

test('the first start makes a database, and the next one finds what was written', async () => {
  const directory = newDirectory()
  const first = await open(directory)
  await ask(first.url, 'create table kept as select 42 as answer')
  await first.close()

  const second = await open(directory)
  expect(await ask(second.url, 'select answer from kept')).toBe(42)
})

test('closing stops the server', async () => {
  const directory = newDirectory()
  const postgres = await open(directory)
  const running = await readPidFile(dataIn(directory))
  await postgres.close()
  expect(await readPidFile(dataIn(directory))).toBeUndefined()
  expect(await commandOf(running?.pid ?? 0)).toBe('')
})

test('a database of another PostgreSQL version is refused with both versions named', async () => {
  const directory = newDirectory()
  await (await open(directory)).close()
  await writeFile(join(dataIn(directory), 'PG_VERSION'), '17\n')
  await expect(open(directory)).rejects.toThrow(
    /is PostgreSQL 17's, and this version of Engraph brings PostgreSQL \d+/,
  )
})

test('what PostgreSQL complains of at its start is passed on', async () => {
  await expect(
    openEmbedded(newDirectory(), 'server', { shared_buffers: 'plenty' }),
  ).rejects.toThrow('PostgreSQL did not start: invalid value for parameter "shared_buffers"')
})

test('a directory that cannot be had is named', async () => {
  const directory = newDirectory()
  await writeFile(directory, 'a file')
  await expect(open(directory)).rejects.toThrow(`cannot be kept in ${directory}: `)
})

describe('a running one', () => {
  const directory = newDirectory()
  let postgres: EmbeddedPostgres
  beforeAll(async () => {
    postgres = await openEmbedded(directory)
    await ask(postgres.url, 'create extension pg_trgm')
  })
  afterAll(() => postgres.close())

  test('lets in whoever can read the password file, and from this machine only', async () => {
    const { mode } = await stat(join(directory, 'postgres', 'password'))
    expect(mode & 0o777).toBe(0o600)
    const guess = new URL(postgres.url)
    guess.password = 'postgres'
    await expect(ask(guess.href, 'select 1')).rejects.toThrow('password authentication failed')
    expect(await ask(postgres.url, 'show listen_addresses')).toBe('127.0.0.1')
    expect(await ask(postgres.url, 'show unix_socket_directories')).toBe('')
  })

  test.each([
    ['show server_encoding', 'UTF8'],
    [`select lower('ЯÑ')`, 'яñ'],
    [`select to_tsvector('russian', '«Заметки» — заметками')::text`, `'заметк':1,2`],
    [`select to_tsvector('spanish', '¿Canciones?')::text`, `'cancion':1`],
    [`select similarity('Привет', 'привет')`, 1],
  ])('takes the letters of every language for letters: %s', async (sql, answer) => {
    expect(await ask(postgres.url, sql)).toBe(answer)
  })

  test('loses nothing in a power cut', async () => {
    expect(await ask(postgres.url, 'show fsync')).toBe('on')
    expect(await ask(postgres.url, 'show synchronous_commit')).toBe('on')
  })
})
