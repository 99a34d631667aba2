import { describe, expect, test } from 'vitest'
import { eventually } from '../support/raw-eventually.ts'
import { startToyServer } from '../support/raw-server.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { post, transports } from '../support/raw-transports.ts'

describe('/ready', () => {
  const never = () => new Promise(() => {})

  test('answers 200 when everything that the server needs is there', async () => {
    const { origin } = await startToyServer({
      readiness: [{ name: 'database', check: async () => {} }],
    })
    const response = await fetch(`${origin}/ready`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'ready' })
  })

  test('answers 503, names what is missing, and leaves the reason to the log', async () => {
    const fail = () => Promise.reject(new Error('password authentication failed'))
    const server = await startToyServer({
      readiness: [
        { name: 'database', check: fail },
        { name: 'migrations', check: async () => {} },
        { name: 'listener', check: fail },
      ],
    })
    const response = await fetch(`${server.origin}/ready`)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      status: 'not ready',
      missing: ['database', 'listener'],
    })
    expect(server.logged()).toContain('password authentication failed')
  })

  test('does not wait for a check that hangs, and asks once for all who ask', async () => {
    let asked = 0
    const check = () => {
      asked++
      return never()
    }
    const { origin } = await startToyServer({ readiness: [{ name: 'database', check }] })
    const responses = await Promise.all([1, 2, 3].map(() => fetch(`${origin}/ready`)))
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(asked).toBe(1)
    expect((await fetch(`${origin}/health`)).status).toBe(200)
  })
})

test('/health answers as long as the process does', async () => {
  const { origin } = await startToyServer()
  expect(await (await fetch(`${origin}/health`)).json()).toEqual({ status: 'ok' })
  expect((await fetch(`${origin}/health`, { method: 'POST' })).status).toBe(404)
})

describe('/metrics', () => {
  test('counts operations by transport, type and outcome, and what is open', async () => {
    const server = await startToyServer()
    for (const [, ask] of transports) {
      await ask(server, { query: '{ hello }' })
      await ask(server, { query: 'mutation { change }' })
      await ask(server, { query: '{ broken }' })
      await ask(server, { query: '{ hallo }' })
    }
    await (
      await post(
        server,
        { query: 'subscription { countTo(end: 1) }' },
        { accept: 'text/event-stream' },
      )
    ).text()
    const socket = await RawSocket.ready(server.wsUrl)
    const read = async () => (await fetch(`${server.origin}/metrics`)).text()
    await eventually(read).toContain('engraph_sockets_open 1')
    const metrics = await read()
    for (const transport of ['http', 'sse', 'ws']) {
      const count = (type: string, outcome: string) =>
        `engraph_operations_total{transport="${transport}",type="${type}",outcome="${outcome}"} 1`
      expect(metrics).toContain(count('query', 'OK'))
      expect(metrics).toContain(count('mutation', 'OK'))
      expect(metrics).toContain(count('query', 'INTERNAL'))
      expect(metrics).toContain(count('refused', 'BAD_USER_INPUT'))
    }
    expect(metrics).toContain('{transport="sse",type="subscription",outcome="OK"} 1')
    expect(metrics).toContain('engraph_operation_duration_seconds_count{type="query"} 6')
    expect(metrics).toContain('engraph_database_connections{state="used"} 2')
    expect(metrics).toContain('nodejs_eventloop_lag_seconds')
    socket.ws.close()
  })

  test.each([
    ['on', undefined, 200],
    ['admin', undefined, 403],
    ['admin', 'Bearer nobody', 401],
    ['admin', 'Bearer ada', 403],
    ['admin', 'Bearer root', 200],
    ['off', 'Bearer root', 404],
  ])('with METRICS=%s and the token %s answers %d', async (METRICS, authorization, status) => {
    const { origin } = await startToyServer({ env: { METRICS } })
    const headers = authorization ? { authorization } : undefined
    expect((await fetch(`${origin}/metrics`, { headers })).status).toBe(status)
  })
})
