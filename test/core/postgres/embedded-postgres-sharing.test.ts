import { expect, test } from 'vitest'
import { readPidFile } from '../../../src/core/postgres/postmaster-pid.ts'
import { ask, dataIn, newDirectory, open } from '../../support/embedded.ts'
import { startUser } from '../../support/embedded-user.ts'

// Every test leaves it without a server.
const directory = newDirectory()

test('a second server on one folder is refused, and the first goes on', async () => {
  const first = await startUser(directory, 'server')
  await expect(open(directory)).rejects.toThrow(
    `is in use by a running Engraph (engraph server, process ${first.pid})`,
  )
  expect(await ask(first.url, 'select 1')).toBe(1)
})

test('a tool works beside a server, and leaves it running', async () => {
  const server = await startUser(directory, 'server')
  const tool = await open(directory, 'tool')
  expect(tool.url).toBe(server.url)
  await tool.close()
  expect(await ask(server.url, 'select 1')).toBe(1)
})

test('the last to leave stops PostgreSQL, whoever began it', async () => {
  const server = await startUser(directory, 'server')
  const tool = await open(directory, 'tool')
  await server.close()
  expect(await ask(tool.url, 'select 1')).toBe(1)
  await tool.close()
  expect(await readPidFile(dataIn(directory))).toBeUndefined()
})

test('two tools at once need no server', async () => {
  const [one, two] = await Promise.all([open(directory, 'tool'), open(directory, 'tool')])
  expect(one.url).toBe(two.url)
  await Promise.all([one.close(), two.close()])
  expect(await readPidFile(dataIn(directory))).toBeUndefined()
})

test('processes that start together in an empty folder make one database', async () => {
  const directory = newDirectory()
  const users = await Promise.all([
    startUser(directory, 'server'),
    startUser(directory, 'tool'),
    startUser(directory, 'tool'),
  ])
  expect(new Set(users.map(user => user.url)).size).toBe(1)
})

test('a server starts while the last tool is leaving', async () => {
  for (let round = 0; round < 5; round++) {
    const tool = await open(directory, 'tool')
    const [server] = await Promise.all([open(directory), tool.close()])
    expect(await ask(server.url, 'select 1')).toBe(1)
    await server.close()
  }
})
