import { execFile, spawn } from 'node:child_process'
import { readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openEmbeddedPostgres } from '../../../src/core/postgres/embedded-postgres.ts'
import { commandOf, isAlive } from '../../../src/core/postgres/pids.ts'
import { readPidFile } from '../../../src/core/postgres/postmaster-pid.ts'
import { ask, dataIn, newDirectory, open } from '../../support/embedded.ts'
import { end, spawnUser, startUser } from '../../support/embedded-user.ts'

// Every test leaves it without a server.
const directory = newDirectory()

const waiting = { timeout: 15_000, interval: 20 }

const postmasterOf = async (directory: string) => (await readPidFile(dataIn(directory)))?.pid ?? 0

test('a start after kill -9 goes on with the PostgreSQL that was left running', async () => {
  const user = await startUser(directory, 'server')
  const postmaster = await postmasterOf(directory)
  await user.kill()

  const postgres = await open(directory)
  expect(postgres.url).toBe(user.url)
  expect(await postmasterOf(directory)).toBe(postmaster)
  await postgres.close()
  expect(await commandOf(postmaster)).toBe('')
})

test('so it does when the folder was moved meanwhile', async () => {
  const directory = newDirectory()
  const user = await startUser(directory, 'server')
  const postmaster = await postmasterOf(directory)
  await user.kill()
  const moved = newDirectory()
  await rename(directory, moved)

  await open(moved)
  expect(await postmasterOf(moved)).toBe(postmaster)
})

test('a copy of a folder in use gets a PostgreSQL of its own', async () => {
  const directory = newDirectory()
  const original = await open(directory)
  await ask(original.url, 'create table kept as select 42 as answer')
  await ask(original.url, 'checkpoint')
  const copied = newDirectory()
  await promisify(execFile)('cp', ['-a', directory, copied])

  const copy = await open(copied)
  expect(copy.url).not.toBe(original.url)
  expect(await ask(copy.url, 'select answer from kept')).toBe(42)
})

test('kill -9 of PostgreSQL and Engraph loses nothing', async () => {
  const user = await startUser(directory, 'server')
  await ask(user.url, 'create table survivor as select 42 as answer')
  process.kill(await postmasterOf(directory), 'SIGKILL')
  await user.kill()

  const postgres = await open(directory)
  expect(await ask(postgres.url, 'select answer from survivor')).toBe(42)
})

test('a postmaster.pid whose process id another program has got stops no start', async () => {
  await (await open(directory)).close()
  // As PostgreSQL's own user, for whom PostgreSQL itself would take it for a postmaster.
  const { uid, gid } = await stat(dataIn(directory))
  const program = spawn('sleep', ['60'], { uid, gid, cwd: '/' })
  onTestFinished(() => void program.kill())
  await writeFile(
    join(dataIn(directory), 'postmaster.pid'),
    [program.pid, dataIn(directory), 1_700_000_000, 54_321, '', '127.0.0.1', ''].join('\n'),
  )
  const postgres = await open(directory)
  expect(await ask(postgres.url, 'select 1')).toBe(1)
  expect(isAlive(program.pid ?? 0)).toBe(true)
})

test('an initialisation that was cut off is begun anew, and nothing of it stays', async () => {
  const directory = newDirectory()
  const user = spawnUser(directory, 'server')
  const files = () => readdir(directory).catch(() => [])
  await vi.waitUntil(async () => (await files()).length > 0, { timeout: 10_000, interval: 5 })
  await end(user, 'SIGKILL')
  expect(await files()).toEqual([expect.stringMatching(/^postgres\.new-/)])

  await open(directory)
  expect((await files()).sort()).toEqual(['postgres', 'postgres.log'])
})

const answers = (url: string) => ask(url, 'select 1').catch(() => undefined)

test('a PostgreSQL that is killed under a running server is started again, and its URL holds', async () => {
  const postgres = await open(directory)
  await ask(postgres.url, 'create table written as select 42 as answer')
  const killed = await postmasterOf(directory)
  process.kill(killed, 'SIGKILL')
  await vi.waitUntil(() => postmasterOf(directory).then(pid => pid !== killed), waiting)
  await vi.waitUntil(() => answers(postgres.url), waiting)
  expect(await ask(postgres.url, 'select answer from written')).toBe(42)

  const second = await postmasterOf(directory)
  await postgres.close()
  expect(await commandOf(second)).toBe('')
})

test('one that does not come up again is let be after five times', async () => {
  const told: unknown[] = []
  const log = { info() {}, error: (message: unknown) => told.push(message) }
  const postgres = await openEmbeddedPostgres({ directory, log, role: 'server' })
  onTestFinished(() => postgres.close())
  const settings = join(dataIn(directory), 'postgresql.auto.conf')
  await writeFile(settings, 'nonsense = on')
  process.kill(await postmasterOf(directory), 'SIGKILL')
  const gaveUp = 'the embedded PostgreSQL does not stay up: it is not started again'
  await vi.waitUntil(() => told.includes(gaveUp), { timeout: 18_000, interval: 20 })
  expect(told.filter(line => String(line).startsWith('PostgreSQL did not start'))).toHaveLength(5)
  await writeFile(settings, '')
})

test('one that is killed under a tool is not started again', async () => {
  const postgres = await open(directory, 'tool')
  process.kill(await postmasterOf(directory), 'SIGKILL')
  await expect(
    vi.waitUntil(() => answers(postgres.url), { timeout: 1_500, interval: 50 }),
  ).rejects.toThrow()
  await postgres.close()
})

test('a server that is closed while it starts PostgreSQL again leaves none behind', async () => {
  const postgres = await open(directory)
  const killed = await postmasterOf(directory)
  process.kill(killed, 'SIGKILL')
  await vi.waitUntil(() => postmasterOf(directory).then(pid => pid !== killed), waiting)
  const second = await postmasterOf(directory)
  await postgres.close()
  expect(await commandOf(second)).toBe('')
})

test('after PostgreSQL has dropped all connections, a tool that ends does not stop it', async () => {
  const postgres = await open(directory)
  const member = () =>
    ask(
      postgres.url,
      `select pid from pg_stat_activity where application_name like 'engraph server%'`,
    ).catch(() => undefined)
  const killed = Number(await member())
  process.kill(killed, 'SIGKILL')
  await vi.waitUntil(() => member().then(pid => pid && pid !== killed), waiting)

  await (await open(directory, 'tool')).close()
  expect(await ask(postgres.url, 'select 1')).toBe(1)
})
