import { chmod, mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import pino from 'pino'
import { expect, test } from 'vitest'
import { giveTo } from '../../../src/core/postgres/postgres-account.ts'
import { chooseHome, clusterFolder, type Home } from '../../../src/core/postgres/postgres-home.ts'
import { newDirectory } from '../../support/embedded.ts'

const log = pino({ level: 'silent' })
// PostgreSQL runs as another user for root alone.
const isRoot = process.getuid?.() === 0

async function beginDatabase({ folder, account }: Home): Promise<void> {
  await mkdir(clusterFolder(folder))
  await giveTo(account, clusterFolder(folder))
}

test('a database is kept in the directory that was asked for', async () => {
  const directory = newDirectory()
  expect((await chooseHome(directory, log)).folder).toBe(directory)
})

test('a clone that only its owner can enter keeps it where PostgreSQL can enter, and for good', async () => {
  const [closed, system] = [newDirectory(), newDirectory()]
  const directory = join(closed, 'clone', '.engraph')
  await mkdir(dirname(directory), { recursive: true })
  await chmod(closed, 0o700)

  const home = await chooseHome(directory, log, [system])
  expect(dirname(home.folder)).toBe(isRoot ? system : dirname(directory))
  expect(basename(home.folder)).toMatch(isRoot ? /^clone-[0-9a-f]{12}$/ : /^\.engraph$/)
  await beginDatabase(home)
  await chmod(closed, 0o755)
  expect((await chooseHome(directory, log, [system])).folder).toBe(home.folder)
})

test('PostgreSQL runs as the user to whom the database belongs', async () => {
  const directory = newDirectory()
  const home = await chooseHome(directory, log)
  const owner = isRoot ? { uid: 65_534, gid: 65_534 } : undefined
  await beginDatabase({ ...home, account: owner })
  expect((await chooseHome(directory, log)).account).toEqual(owner)
})
