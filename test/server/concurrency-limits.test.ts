import { describe, expect, test } from 'vitest'
import { eventually } from '../support/raw-eventually.ts'
import { startToyServer, type ToyServer } from '../support/raw-server.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { post, transports } from '../support/raw-transports.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function codeOf(ask: (typeof transports)[0][1], server: ToyServer, token?: string) {
  const [result] = await ask(server, { query: '{ hello }' }, token)
  return result?.errors?.[0]?.extensions.code ?? 'OK'
}

describe('operations at once, over all transports together', () => {
  test('are refused beyond the limit to that viewer alone, until one ends', async () => {
    const server = await startToyServer({ env: { MAX_OPERATIONS_PER_VIEWER: '2' } })
    const waiting = post(server, { query: '{ wait }' }, bearer('ada'))
    const socket = await RawSocket.ready(server.wsUrl, bearer('ada'))
    socket.subscribe('1', 'subscription { open }')
    await socket.next()
    await server.work.begun()

    for (const [, ask] of transports) {
      expect(await codeOf(ask, server, 'ada')).toBe('LIMIT_EXCEEDED')
      expect(await codeOf(ask, server, 'bob')).toBe('OK')
      expect(await codeOf(ask, server)).toBe('OK')
    }

    server.work.finish()
    await (await waiting).text()
    for (const [, ask] of transports) expect(await codeOf(ask, server, 'ada')).toBe('OK')
  })

  test('answer 429 over HTTP, so that a client knows to wait', async () => {
    const server = await startToyServer({ env: { MAX_OPERATIONS_PER_VIEWER: '1' } })
    void post(server, { query: '{ wait }' })
    await server.work.begun()
    expect((await post(server, { query: '{ hello }' })).status).toBe(429)
    server.work.finish()
  })

  test.each(['WebSocket', 'SSE'])(
    'are given back when a client of a stream over %s goes away',
    async how => {
      const server = await startToyServer({ env: { MAX_OPERATIONS_PER_VIEWER: '1' } })
      if (how === 'SSE') {
        const leave = new AbortController()
        const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
        const body = JSON.stringify({ query: 'subscription { open }' })
        const init = { method: 'POST', headers, body, signal: leave.signal }
        const reader = (await fetch(server.url, init)).body?.getReader()
        await reader?.read()
        leave.abort()
      } else {
        const socket = await RawSocket.ready(server.wsUrl)
        socket.subscribe('1', 'subscription { open }')
        await socket.next()
        socket.ws.terminate()
      }
      await eventually(() => server.openStreams()).toBe(0)
      for (const [, ask] of transports) expect(await codeOf(ask, server)).toBe('OK')
    },
  )

  test('are not used up by operations that are refused', async () => {
    const server = await startToyServer({ env: { MAX_OPERATIONS_PER_VIEWER: '1' } })
    for (const query of [
      '{',
      '{ hallo }',
      'subscription { open }',
      'query A { hello } query B { hello }',
    ]) {
      await (await post(server, { query })).text()
    }
    expect((await post(server, { query: '{ hello }' })).status).toBe(200)
  })
})

describe('on one socket', () => {
  test('an operation over the limit is refused, and the others go on', async () => {
    const server = await startToyServer({ env: { MAX_OPERATIONS_PER_SOCKET: '2' } })
    const socket = await RawSocket.ready(server.wsUrl)
    socket.subscribe('stream', 'subscription { open }')
    await socket.next()
    socket.subscribe('query', '{ wait }')
    await server.work.begun()
    for (let i = 0; i < 50; i++) socket.subscribe(`more ${i}`, '{ hello }')
    for (let i = 0; i < 50; i++) {
      expect(await socket.next()).toMatchObject({
        id: `more ${i}`,
        type: 'error',
        payload: [{ extensions: { code: 'LIMIT_EXCEEDED' } }],
      })
    }
    server.work.finish()
    expect(await socket.next()).toMatchObject({ id: 'query', payload: { data: { wait: 'done' } } })
    expect(await socket.next()).toMatchObject({ id: 'query', type: 'complete' })
    socket.subscribe('again', '{ hello }')
    expect(await socket.next()).toMatchObject({
      id: 'again',
      payload: { data: { hello: 'world' } },
    })
    expect(server.openStreams()).toBe(1)
  })

  test('a place is free again after an operation that was invalid, failed or was given up', async () => {
    const server = await startToyServer({ env: { MAX_OPERATIONS_PER_SOCKET: '1' } })
    const socket = await RawSocket.ready(server.wsUrl)
    for (const query of ['{', '{ hallo }', '{ broken }', 'subscription { refuses }']) {
      socket.subscribe(query, query)
      const { type } = await socket.next()
      if (type === 'next') await socket.next()
    }
    socket.subscribe('stream', 'subscription { open }')
    await socket.next()
    socket.send({ type: 'complete', id: 'stream' })
    await eventually(() => server.openStreams()).toBe(0)
    socket.subscribe('last', '{ hello }')
    expect(await socket.next()).toMatchObject({ id: 'last', payload: { data: { hello: 'world' } } })
  })
})

test('sockets beyond the limit of a viewer are told to come back later', async () => {
  const server = await startToyServer({ env: { MAX_SOCKETS_PER_VIEWER: '2' } })
  const first = await RawSocket.ready(server.wsUrl, bearer('ada'))
  await RawSocket.ready(server.wsUrl, bearer('ada'))
  const third = await RawSocket.open(server.wsUrl)
  third.send({ type: 'connection_init', payload: bearer('ada') })
  expect(await third.closed).toMatchObject({ code: 1013 })
  await RawSocket.ready(server.wsUrl, bearer('bob'))
  await RawSocket.ready(server.wsUrl)

  first.ws.close()
  const attempt = () =>
    RawSocket.ready(server.wsUrl, bearer('ada')).then(
      () => 'open',
      () => 'refused',
    )
  await eventually(attempt).toBe('open')
})
