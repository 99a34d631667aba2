import { createClient } from 'graphql-ws'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import WebSocket from 'ws'
import { eventually } from '../support/raw-eventually.ts'
import { startToyServer, type ToyServer, viewer } from '../support/raw-server.ts'
import { RawSocket, upgradeStatus } from '../support/raw-socket.ts'

const init = { type: 'connection_init' }

describe('the protocol, in raw frames', () => {
  test('a socket that does not introduce itself is closed with 4408', async () => {
    const server = await startToyServer({ env: { SOCKET_INIT_TIMEOUT_MS: '30' } })
    const socket = await RawSocket.open(server.wsUrl)
    expect(await socket.closed).toMatchObject({ code: 4408 })
  })

  test('a second introduction closes with 4429', async () => {
    const socket = await RawSocket.ready((await startToyServer()).wsUrl)
    socket.send(init)
    expect(await socket.closed).toMatchObject({ code: 4429 })
  })

  test('a subscription before the acknowledgement closes with 4401', async () => {
    const socket = await RawSocket.open((await startToyServer()).wsUrl)
    socket.subscribe('1', '{ hello }')
    expect(await socket.closed).toMatchObject({ code: 4401 })
  })

  test.each([
    '{',
    'null',
    '[]',
    '{"type":1}',
    '{"type":"subscribe","id":""}',
    '{"type":"start"}',
    '\0',
  ])('the frame %j closes with 4400', async frame => {
    const socket = await RawSocket.ready((await startToyServer()).wsUrl)
    socket.send(frame)
    expect(await socket.closed).toMatchObject({ code: 4400 })
  })

  test('an id that is in use closes with 4409', async () => {
    const socket = await RawSocket.ready((await startToyServer()).wsUrl)
    socket.subscribe('1', 'subscription { open }')
    await socket.next()
    socket.subscribe('1', '{ hello }')
    expect(await socket.closed).toMatchObject({ code: 4409 })
  })

  test('another subprotocol closes with 4406', async () => {
    const server = await startToyServer()
    const socket = new WebSocket(server.wsUrl)
    const code = await new Promise(resolve => socket.once('close', resolve))
    expect(code).toBe(4406)
  })

  test('a frame of a server closes the socket, and no other socket', async () => {
    const server = await startToyServer()
    const other = await RawSocket.ready(server.wsUrl)
    const socket = await RawSocket.ready(server.wsUrl)
    socket.send({ type: 'next', id: '1', payload: {} })
    expect(await socket.closed).toMatchObject({ code: 4500 })
    other.subscribe('1', '{ hello }')
    expect(await other.next()).toMatchObject({ payload: { data: { hello: 'world' } } })
  })

  test('a ping is answered before the introduction and after it', async () => {
    const socket = await RawSocket.open((await startToyServer()).wsUrl)
    socket.send({ type: 'ping', payload: { a: 1 } })
    expect(await socket.next()).toEqual({ type: 'pong', payload: { a: 1 } })
  })

  test('an invalid operation is an error of its own, and leaves the others alone', async () => {
    const server = await startToyServer()
    const socket = await RawSocket.ready(server.wsUrl)
    socket.subscribe('stream', 'subscription { open }')
    expect(await socket.next()).toMatchObject({ id: 'stream', type: 'next' })
    for (const query of [
      '{',
      '{ hallo }',
      `{ ${'item { '.repeat(30)}secretName${' }'.repeat(30)} }`,
    ]) {
      socket.subscribe('bad', query)
      expect(await socket.next()).toMatchObject({ id: 'bad', type: 'error' })
    }
    expect(server.openStreams()).toBe(1)
  })

  test('a peer that does not answer pings is cut off', async () => {
    const server = await startToyServer({ env: { SOCKET_PING_MS: '20' } })
    const socket = new WebSocket(server.wsUrl, 'graphql-transport-ws', { autoPong: false })
    const code = await new Promise(resolve => socket.once('close', resolve))
    expect(code).toBe(1006)
  })
})

test('a client that stops reading is not read from either, and gets all when it goes on', async () => {
  const server = await startToyServer()
  const socket = await RawSocket.ready(server.wsUrl)
  socket.ws.pause()
  const variables = { json: 'x'.repeat(500_000) }
  for (let i = 0; i < 80; i++) {
    socket.subscribe(`${i}`, 'query ($json: Json) { echo(json: $json) }', { variables })
  }
  // Far more than the buffers of the system hold: the rest waits on the client's side.
  const answered = async () => {
    const metrics = await (await fetch(`${server.origin}/metrics`)).text()
    return Number(/transport="ws",type="query",outcome="OK"} (\d+)/.exec(metrics)?.[1] ?? 0)
  }
  await eventually(answered).toBeGreaterThan(0)
  expect(socket.ws.bufferedAmount).toBeGreaterThan(0)
  expect(await answered()).toBeLessThan(80)

  socket.ws.resume()
  const ended = new Set<string | undefined>()
  while (ended.size < 80) {
    const { type, id } = await socket.next()
    if (type === 'complete') ended.add(id)
  }
  expect(await answered()).toBe(80)
})

describe('the token of a socket', () => {
  const whoami = async (server: ToyServer, payload?: Record<string, unknown>) => {
    const socket = await RawSocket.ready(server.wsUrl, payload)
    socket.subscribe('1', '{ whoami }')
    return ((await socket.next()).payload as { data: { whoami: string | null } }).data.whoami
  }

  test.each([
    [undefined, null],
    [{}, null],
    [{ authorization: null }, null],
    [{ authorization: 'Bearer ada' }, 'ada'],
    [{ Authorization: 'Bearer ada', session: 'x' }, 'ada'],
    [{ headers: { AUTHORIZATION: 'Bearer ada' } }, 'ada'],
  ])('is found in the payload %o', async (payload, login) => {
    expect(await whoami(await startToyServer(), payload)).toBe(login)
  })

  test.each([{ authorization: 'Bearer nobody' }, { authorization: 7 }])(
    'closes the socket with 4403 when it does not hold: %o',
    async payload => {
      const socket = await RawSocket.open((await startToyServer()).wsUrl)
      socket.send({ ...init, payload })
      expect(await socket.closed).toEqual({ code: 4403, reason: 'The token is not known.' })
    },
  )

  test('in the HTTP header of the upgrade counts for nothing', async () => {
    const server = await startToyServer()
    const socket = await RawSocket.open(server.wsUrl, { headers: { authorization: 'Bearer ada' } })
    socket.send(init)
    await socket.next()
    socket.subscribe('1', '{ whoami }')
    expect(await socket.next()).toMatchObject({ payload: { data: { whoami: null } } })
  })

  test('is looked at again for every operation', async () => {
    const server = await startToyServer()
    const socket = await RawSocket.ready(server.wsUrl, { authorization: 'Bearer ada' })
    socket.subscribe('stream', 'subscription { open }')
    await socket.next()
    server.tokens.delete('ada')
    socket.subscribe('1', '{ whoami }')
    expect(await socket.closed).toMatchObject({ code: 4403 })
    await eventually(() => server.openStreams()).toBe(0)
  })

  test('closes the socket, and its streams, in the moment it expires', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = await startToyServer()
    const minute = 60_000
    server.tokens.set('brief', viewer('brief', { expiresAt: new Date(Date.now() + minute) }))
    const socket = await RawSocket.ready(server.wsUrl, { authorization: 'Bearer brief' })
    socket.subscribe('stream', 'subscription { open }')
    await socket.next()
    vi.advanceTimersByTime(minute)
    expect(await socket.closed).toEqual({ code: 4403, reason: 'The token has expired' })
    vi.useRealTimers()
    await eventually(() => server.openStreams()).toBe(0)
  })
})

describe('a page of another origin', () => {
  test('cannot open a socket unless CORS_ORIGINS names it', async () => {
    const server = await startToyServer({ env: { CORS_ORIGINS: 'https://app.example' } })
    expect(await upgradeStatus(server.wsUrl, { origin: 'https://evil.example' })).toBe(403)
    expect(await upgradeStatus(server.wsUrl, { origin: 'null' })).toBe(403)
    for (const origin of ['https://app.example', server.origin]) {
      await RawSocket.open(server.wsUrl, { headers: { origin } })
    }
  })

  test('finds no socket at another path', async () => {
    const server = await startToyServer()
    expect(await upgradeStatus(server.wsUrl.replace('/graphql', '/other'))).toBe(404)
  })
})

describe('the official client', () => {
  test('runs queries, mutations and subscriptions', async () => {
    const server = await startToyServer()
    const client = createClient({
      url: server.wsUrl,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: 'Bearer ada' },
    })
    const results = []
    for (const query of ['{ whoami }', 'mutation { change }', 'subscription { countTo(end: 3) }']) {
      for await (const result of client.iterate({ query })) results.push(result.data)
    }
    expect(results).toEqual([
      { whoami: 'ada' },
      { change: 'changed' },
      { countTo: 1 },
      { countTo: 2 },
      { countTo: 3 },
    ])
    await client.dispose()
  })

  test('leaves no stream behind when it stops listening', async () => {
    const server = await startToyServer()
    const client = createClient({ url: server.wsUrl, webSocketImpl: WebSocket })
    for await (const { data } of client.iterate({ query: 'subscription { open }' })) {
      expect(data).toEqual({ open: 1 })
      break
    }
    await eventually(() => server.openStreams()).toBe(0)
    await client.dispose()
  })
})
