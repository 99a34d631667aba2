import { createClient } from 'graphql-ws'
import { describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { eventually } from '../support/raw-eventually.ts'
import { RawConnection, statusOf } from '../support/raw-http.ts'
import { startToyServer } from '../support/raw-server.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { post, readEvents } from '../support/raw-transports.ts'

const patient = { env: { SHUTDOWN_TIMEOUT_MS: '60000' } }
const sse = { accept: 'text/event-stream' }

describe('a server that shuts down', () => {
  test('finishes the requests that it has begun, and takes no more', async () => {
    const server = await startToyServer(patient)
    const mutation = post(server, { query: 'mutation { slowChange }' })
    await server.work.begun()
    const closed = server.server.close()
    await expect(fetch(`${server.origin}/health`)).rejects.toThrow()
    server.work.finish()
    const response = await mutation
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.json()).toEqual({ data: { slowChange: 'changed' } })
    await closed
  })

  test('is not ready from that moment on, and says so on connections that are open', async () => {
    const server = await startToyServer(patient)
    const pending = post(server, { query: '{ wait }' })
    await server.work.begun()
    const connection = await RawConnection.open(server.port)
    // A request that has begun keeps its connection.
    connection.send('GET /ready HTTP/1.1', 'Host: x', '')
    await eventually(() => connection.socket.bytesWritten).toBeGreaterThan(0)
    const settled = await (await fetch(`${server.origin}/ready`)).json()
    expect(settled).toEqual({ status: 'ready' })
    const closed = server.server.close()
    connection.send('', '', '')
    expect(statusOf(await connection.receives(/shutting down/))).toBe(503)
    server.work.finish()
    await (await pending).text()
    await closed
  })

  test('does not wait for connections on which nothing was said', async () => {
    const env = { ...patient.env, HEADERS_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '60000' }
    const server = await startToyServer({ env })
    const connection = await RawConnection.open(server.port)
    await server.server.close()
    await eventually(() => connection.socket.closed).toBe(true)
  })

  test('ends server-sent events with an error and `complete`', async () => {
    const server = await startToyServer(patient)
    const response = await post(server, { query: 'subscription { open }' }, sse)
    const closed = server.server.close()
    expect(readEvents(await response.text()).at(-1)).toMatchObject({
      errors: [{ extensions: { code: 'SERVICE_BUSY' } }],
    })
    await closed
    expect(server.openStreams()).toBe(0)
  })

  test('closes WebSockets with 1001, at once where only streams run', async () => {
    const server = await startToyServer(patient)
    const socket = await RawSocket.ready(server.wsUrl)
    socket.subscribe('1', 'subscription { open }')
    await socket.next()
    const idle = await RawSocket.open(server.wsUrl)
    const closed = server.server.close()
    expect(await socket.closed).toMatchObject({ code: 1001 })
    expect(await idle.closed).toMatchObject({ code: 1001 })
    await closed
    expect(server.openStreams()).toBe(0)
  })

  test('answers what runs on a WebSocket before it closes it, and refuses what comes after', async () => {
    const server = await startToyServer(patient)
    const socket = await RawSocket.ready(server.wsUrl)
    socket.subscribe('1', 'mutation { slowChange }')
    await server.work.begun()
    const closed = server.server.close()
    socket.subscribe('2', '{ hello }')
    expect(await socket.next()).toMatchObject({
      id: '2',
      type: 'error',
      payload: [{ extensions: { code: 'SERVICE_BUSY' } }],
    })
    server.work.finish()
    expect(await socket.next()).toMatchObject({
      id: '1',
      payload: { data: { slowChange: 'changed' } },
    })
    expect(await socket.next()).toMatchObject({ id: '1', type: 'complete' })
    expect(await socket.closed).toMatchObject({ code: 1001 })
    await closed
  })

  test('loses no official client: it comes back to the next server', async () => {
    const first = await startToyServer(patient)
    const second = await startToyServer()
    let url = first.wsUrl
    const client = createClient({
      url: () => url,
      webSocketImpl: WebSocket,
      retryWait: async () => {},
      shouldRetry: () => true,
    })
    const results = client.iterate({ query: 'subscription { open }' })
    expect((await results.next()).value).toEqual({ data: { open: 1 } })
    url = second.wsUrl
    await first.server.close()
    expect((await results.next()).value).toEqual({ data: { open: 1 } })
    expect(second.openStreams()).toBe(1)
    await client.dispose()
  })

  test('cuts off what is not done after SHUTDOWN_TIMEOUT_MS', async () => {
    const server = await startToyServer({ env: { SHUTDOWN_TIMEOUT_MS: '30' } })
    const hanging = post(server, { query: '{ never }' }).catch(() => 'cut')
    const socket = await RawSocket.ready(server.wsUrl)
    socket.subscribe('1', '{ wait }')
    await server.work.begun()
    const slow = await RawConnection.open(server.port)
    slow.send('GET /health HT')
    await server.server.close()
    expect(await hanging).toBe('cut')
    expect(await socket.closed).toMatchObject({ code: 1006 })
    await slow.closed
  })

  test('can be told so twice', async () => {
    const { server } = await startToyServer()
    await Promise.all([server.close(), server.close()])
    await server.close()
  })
})
