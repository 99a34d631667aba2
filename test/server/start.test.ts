import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { build } from '../../scripts/build.mjs'
import { eventually } from '../support/raw-eventually.ts'
import { RawConnection } from '../support/raw-http.ts'
import { ServerProcess } from '../support/raw-process.ts'
import { post } from '../support/raw-transports.ts'
import { createEmptyDatabase } from '../support/test-database.ts'

beforeAll(build, 60_000)

const url = /running at (\S+)\n/

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase()
  onTestFinished(() => database.close())
  return database.url
}

describe('npm start', () => {
  test('prints, on the first start only, a token and a link that work', async () => {
    const env = { DATABASE_URL: await emptyDatabase(), PORT: '0' }
    const first = new ServerProcess(env)
    const endpoint = await first.prints(url)
    const token = await first.prints(/#token=(\S+)\n/)
    expect(first.stdout).toContain(`\n  ${token}\n`)
    expect(first.stdout).toContain(`\n  ${endpoint}#token=${token}\n`)
    const query = { query: '{ viewer { kind user { login } } }' }
    const headers = { authorization: `Bearer ${token}` }
    const response = await post({ url: endpoint }, query, headers)
    expect(await response.json()).toEqual({
      data: { viewer: { kind: 'ADMIN', user: { login: 'admin' } } },
    })
    expect((await fetch(new URL('/ready', endpoint))).status).toBe(200)
    expect(first.stderr).not.toContain(token)
    first.child.kill('SIGINT')
    expect(await first.exited).toEqual({ code: 0, signal: null })

    const second = new ServerProcess(env)
    const again = await post({ url: await second.prints(url) }, query, headers)
    expect(await again.json()).toHaveProperty('data.viewer.kind', 'ADMIN')
    expect(second.stdout).not.toContain('engraph_')
  })

  test('stops when told so while it starts', async () => {
    const server = new ServerProcess({ DATABASE_URL: await emptyDatabase(), PORT: '0' })
    await eventually(() => server.stderr).toContain('migrating')
    server.child.kill('SIGTERM')
    expect(await server.exited).toEqual({ code: 0, signal: null })
  })

  test('waits for what it has begun, but not after a second signal', async () => {
    const server = new ServerProcess({ DATABASE_URL: await emptyDatabase(), PORT: '0' })
    const { port } = new URL(await server.prints(url))
    const connection = await RawConnection.open(Number(port))
    connection.send(
      ...['POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: application/json'],
      ...['Content-Length: 9', 'Expect: 100-continue', '', ''],
    )
    await connection.receives(/100 Continue/)
    // npm passes Ctrl-C on, so what follows within half a second counts as the same signal.
    const begin = performance.now()
    const signals = setInterval(() => server.child.kill('SIGINT'), 20)
    onTestFinished(() => clearInterval(signals))
    expect(await server.exited).toEqual({ code: 1, signal: null })
    expect(performance.now() - begin).toBeGreaterThan(500)
  })
})

describe('what keeps it from starting is one line on standard error, and exit code 1', () => {
  const complaint = async (env: Record<string, string>) => {
    const server = new ServerProcess(env)
    expect(await server.exited).toEqual({ code: 1, signal: null })
    expect(server.stdout).toBe('')
    return server.stderr
  }

  test('a variable with a wrong value', async () => {
    expect(await complaint({ PORT: 'http' })).toBe(
      'PORT must be a whole number from 0 to 65535, not "http"\n',
    )
  })

  test('a port that is in use', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const PORT = String((other.address() as AddressInfo).port)
    const env = { DATABASE_URL: await emptyDatabase(), PORT, LOG_LEVEL: 'warn' }
    expect(await complaint(env)).toBe(`Port ${PORT} is in use: set PORT to another one.\n`)
  })

  test('an address that is not this machine’s', async () => {
    const env = { DATABASE_URL: await emptyDatabase(), HOST: '192.0.2.1', LOG_LEVEL: 'warn' }
    expect(await complaint(env)).toMatch(/^Engraph cannot go on: listen E\w+.*192\.0\.2\.1.*\n$/)
  })

  test('a database that cannot be reached', async () => {
    const line = await complaint({ DATABASE_URL: 'postgresql://me:hunter2@localhost:1/x' })
    expect(line).toMatch(/^.*localhost:1 cannot be reached: connect ECONNREFUSED.*\n$/)
    expect(line).not.toContain('hunter2')
  })
})
