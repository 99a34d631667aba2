import { describe, expect, test } from 'vitest'
import { RawConnection, statusOf } from '../support/raw-http.ts'
import { startToyServer } from '../support/raw-server.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { post } from '../support/raw-transports.ts'

const hello = JSON.stringify({ query: '{ hello }' })
const head = ['POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: application/json']

describe('a body over the limit is refused with 413, and other connections are unharmed', () => {
  test.each([10, 30])('when its header says so: %d MB', async megabytes => {
    const server = await startToyServer()
    const connection = await RawConnection.open(server.port)
    connection.send(...head, `Content-Length: ${megabytes << 20}`, '', '')
    expect(statusOf(await connection.receives(/LIMIT_EXCEEDED/))).toBe(413)
    expect(await (await post(server, hello)).json()).toEqual({ data: { hello: 'world' } })
  })

  test.each([10, 30])('when it comes in chunks without a length: %d MB', async megabytes => {
    const server = await startToyServer()
    const connection = await RawConnection.open(server.port)
    connection.send(...head, 'Transfer-Encoding: chunked', '', '')
    const chunk = 'x'.repeat(1 << 20)
    for (let i = 0; i < megabytes; i++) connection.send('100000', chunk, '')
    expect(statusOf(await connection.receives(/LIMIT_EXCEEDED/))).toBe(413)
    expect(await (await post(server, hello)).json()).toEqual({ data: { hello: 'world' } })
  })

  test('and the connection can be used again once the body is over', async () => {
    const server = await startToyServer({ env: { MAX_BODY_BYTES: '1024' } })
    const connection = await RawConnection.open(server.port)
    connection.send(...head, 'Content-Length: 2000', '', 'x'.repeat(2_000))
    connection.send(...head, `Content-Length: ${hello.length}`, '', hello)
    expect(await connection.receives(/"hello":"world"/)).toContain('413 Payload Too Large')
  })

  test('but a body of just the limit is read', async () => {
    const server = await startToyServer({ env: { MAX_BODY_BYTES: '1024' } })
    expect((await post(server, hello.padEnd(1_024))).status).toBe(200)
    expect((await post(server, hello.padEnd(1_025))).status).toBe(413)
  })
})

test('a body of 4 MiB is read, and one byte more is not', async () => {
  const server = await startToyServer()
  expect((await post(server, hello.padEnd(4 << 20))).status).toBe(200)
  expect((await post(server, hello.padEnd((4 << 20) + 1))).status).toBe(413)
})

describe('a frame over the limit closes its socket with 1009, and no other socket', () => {
  const padded = (length: number) =>
    JSON.stringify({ type: 'subscribe', id: '1', payload: { query: '{ hello }' } }).padEnd(length)

  test.each([(4 << 20) + 1, 10 << 20, 30 << 20])('when it has %d bytes', async length => {
    const server = await startToyServer()
    const other = await RawSocket.ready(server.wsUrl)
    const socket = await RawSocket.ready(server.wsUrl)
    socket.send(padded(length))
    expect(await socket.closed).toMatchObject({ code: 1009 })
    other.subscribe('1', '{ hello }')
    expect(await other.next()).toMatchObject({ payload: { data: { hello: 'world' } } })
  })

  test('but one of 4 MiB is read', async () => {
    const socket = await RawSocket.ready((await startToyServer()).wsUrl)
    socket.send(padded(4 << 20))
    expect(await socket.next()).toMatchObject({ payload: { data: { hello: 'world' } } })
  })
})

describe('a length that is wrong', () => {
  test('when it is too small, makes the rest of the body a request that is none', async () => {
    const server = await startToyServer()
    const connection = await RawConnection.open(server.port)
    connection.send(...head, `Content-Length: ${hello.length}`, '', hello + '}'.repeat(100))
    await connection.closed
    expect(connection.received).toContain('400 Bad Request')
    expect(await (await post(server, hello)).json()).toEqual({ data: { hello: 'world' } })
  })

  test.each(['-1', '1, 2', 'x', '0x10'])('when it is %s, closes the connection', async length => {
    const { port } = await startToyServer()
    const connection = await RawConnection.open(port)
    connection.send(...head, `Content-Length: ${length}`, '', hello)
    await connection.closed
    expect(statusOf(connection.received)).toBe(400)
  })

  test('beside chunks closes the connection', async () => {
    const { port } = await startToyServer()
    const connection = await RawConnection.open(port)
    connection.send(...head, 'Content-Length: 5', 'Transfer-Encoding: chunked', '', '0', '', '')
    await connection.closed
    expect(statusOf(connection.received)).toBe(400)
  })
})

describe('a client that takes its time', () => {
  test.each([
    ['for the headers', [...head]],
    ['for the first line', ['POST /gr']],
  ])('%s is cut off after HEADERS_TIMEOUT_MS', async (_what, lines) => {
    const { port } = await startToyServer({ env: { HEADERS_TIMEOUT_MS: '40' } })
    const connection = await RawConnection.open(port)
    connection.send(...lines)
    await connection.closed
    expect(statusOf(connection.received)).toBe(408)
  })

  test('for the body is cut off after REQUEST_TIMEOUT_MS', async () => {
    const env = { HEADERS_TIMEOUT_MS: '40', REQUEST_TIMEOUT_MS: '60' }
    const server = await startToyServer({ env })
    const connection = await RawConnection.open(server.port)
    connection.send(...head, 'Content-Length: 1000', '', '{"query":')
    await connection.closed
    expect(statusOf(connection.received)).toBe(408)
    expect(server.logged()).not.toContain('"level":50')
  })
})

test('headers over 16 KB are refused with 431', async () => {
  const { port } = await startToyServer()
  const connection = await RawConnection.open(port)
  connection.send('GET /graphql HTTP/1.1', 'Host: x', `X-Long: ${'x'.repeat(20_000)}`, '', '')
  await connection.closed
  expect(statusOf(connection.received)).toBe(431)
})

test('connections over MAX_CONNECTIONS are dropped', async () => {
  const { port } = await startToyServer({ env: { MAX_CONNECTIONS: '1' } })
  const first = await RawConnection.open(port)
  const second = await RawConnection.open(port)
  await second.closed
  first.send('GET /health HTTP/1.1', 'Host: x', '', '')
  expect(statusOf(await first.receives(/ok/))).toBe(200)
})
