import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { RawConnection, statusOf } from '../support/raw-http.ts'
import { startToyServer, viewer } from '../support/raw-server.ts'
import { post, readEvents } from '../support/raw-transports.ts'

const json = { 'content-type': 'application/json' }
const minute = 60_000
const hello = JSON.stringify({ query: '{ hello }' })

describe('a request', () => {
  test.each([
    ['application/x-www-form-urlencoded', 'query=mutation%20{change}'],
    ['multipart/form-data; boundary=x', '--x\r\n\r\n--x--'],
    ['text/plain', '{"query":"mutation { change }"}'],
    ['application/graphql', 'mutation { change }'],
    ['application/json; charset=utf-16', '{"query":"{ hello }"}'],
  ])(
    'of %s, which a page of another origin could send, is refused with 415',
    async (type, body) => {
      const { url } = await startToyServer()
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({
        errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
      })
    },
  )

  test.each([
    ['JSON that breaks off', '{"query":'],
    ['nothing', ''],
    ['a number', '7'],
    ['null', 'null'],
    ['bytes that are not UTF-8', Buffer.from('7b227175657279223a22ff227d', 'hex')],
    ['a batch', `[${hello},${hello}]`],
    ['a query that is a list', '{"query":["{ hello }"]}'],
    ['variables that are a list', '{"query":"{ hello }","variables":[]}'],
    ['a parameter that does not exist', '{"query":"{ hello }","doc_id":"x"}'],
  ])('with a body of %s is refused with 400', async (_what, body) => {
    const { url } = await startToyServer()
    const response = await fetch(url, { method: 'POST', headers: json, body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', requestId: expect.any(String) } }],
    })
  })

  test('whose body is compressed is refused with 415', async () => {
    const server = await startToyServer()
    expect((await post(server, hello, { 'content-encoding': 'gzip' })).status).toBe(415)
  })

  test('by GET changes nothing', async () => {
    const { url } = await startToyServer()
    const address = `${url}?query=${encodeURIComponent('mutation { change }')}`
    const response = await fetch(address, { headers: { accept: 'text/event-stream, */*' } })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  test('by another method is refused with 405', async () => {
    const { url } = await startToyServer()
    const response = await fetch(url, { method: 'PUT', headers: json, body: hello })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, POST')
  })

  test('with a token that does not hold is refused with 401 whatever it asks for', async () => {
    const server = await startToyServer()
    const response = await post(server, hello, { authorization: 'Bearer nobody' })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    })
  })

  test('for a subscription that does not accept a stream is refused, and opens none', async () => {
    const server = await startToyServer()
    const response = await post(
      server,
      { query: 'subscription { open }' },
      { accept: 'application/json' },
    )
    expect(response.status).toBe(406)
    expect(server.openStreams()).toBe(0)
  })

  test.each(['text/event-stream; charset=latin1', 'x-text/event-stream'])(
    'for a stream in the form %j, which there is none of, leaves no stream open',
    async accept => {
      const server = await startToyServer()
      const response = await post(server, { query: 'subscription { open }' }, { accept })
      expect(response.status).toBe(406)
      expect(server.openStreams()).toBe(0)
    },
  )

  test('with cookies is the same as without', async () => {
    const server = await startToyServer()
    const response = await post(
      server,
      { query: '{ whoami }' },
      { cookie: 'token=ada; authorization=ada' },
    )
    expect(await response.json()).toEqual({ data: { whoami: null } })
  })

  test.each([
    ['a b', 400],
    ['][', 400],
    ['engraph.example:80', 200],
    ['', 200],
  ])('to the host %j is answered with %d', async (host, status) => {
    const server = await startToyServer()
    const connection = await RawConnection.open(server.port)
    connection.send('GET /graphql?query={hello} HTTP/1.1', `Host: ${host}`, 'Accept: */*', '', '')
    expect(statusOf(await connection.receives(/\{.*\}/))).toBe(status)
    expect(server.logged()).not.toContain('"level":50')
  })
})

test('an offer to speak HTTP/2 instead, as Java’s client makes it, is ignored', async () => {
  const { port } = await startToyServer()
  const connection = await RawConnection.open(port)
  const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAA']
  for (const count of [1, 2]) {
    connection.send(
      ...['POST /graphql HTTP/1.1', 'Host: x', ...offer, 'Content-Type: application/json'],
      ...[`Content-Length: ${hello.length}`, '', hello],
    )
    await connection.receives(new RegExp(`(?:"hello":"world"[^]*){${count}}`))
  }
})

describe('a request id', () => {
  test('is taken from the proxy, and is in the header, in the errors and in the log', async () => {
    const server = await startToyServer()
    const response = await post(server, { query: '{ broken }' }, { 'x-request-id': 'proxy-1:2.3' })
    expect(response.headers.get('x-request-id')).toBe('proxy-1:2.3')
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { requestId: 'proxy-1:2.3' } }],
    })
    expect(server.logged()).toContain('"requestId":"proxy-1:2.3"')
  })

  test.each(['a b', 'x'.repeat(101), '{"a":1}', ''])('is made anew instead of %j', async given => {
    const response = await post(await startToyServer(), hello, { 'x-request-id': given })
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('server-sent events', () => {
  test('carry the results of a subscription and say when it is complete', async () => {
    const server = await startToyServer()
    const query = { query: 'subscription { countTo(end: 3) }' }
    const response = await post(server, query, { accept: 'text/event-stream' })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(readEvents(await response.text())).toEqual(
      [1, 2, 3].map(countTo => ({ data: { countTo } })),
    )
  })

  test('are what a subscription gets when the client accepts other types too', async () => {
    const server = await startToyServer()
    const accept = 'application/json, multipart/mixed, text/event-stream, */*'
    const response = await post(server, { query: 'subscription { countTo(end: 1) }' }, { accept })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    await response.text()
  })
})

test('a stream of server-sent events ends in the moment the token expires', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = await startToyServer()
  server.tokens.set('brief', viewer('brief', { expiresAt: new Date(Date.now() + minute) }))
  const headers = { accept: 'text/event-stream', authorization: 'Bearer brief' }
  const response = await post(server, { query: 'subscription { open }' }, headers)
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('"open":1')) vi.advanceTimersByTime(minute)
  }
  expect(readEvents(text)).toMatchObject([
    { data: { open: 1 } },
    { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
  ])
  expect(server.openStreams()).toBe(0)
})

describe('other origins', () => {
  const preflight = (url: string, origin: string) =>
    fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })

  test('may read nothing unless CORS_ORIGINS names them', async () => {
    const { url } = await startToyServer()
    const response = await preflight(url, 'https://app.example')
    expect(response.status).toBe(204)
    expect([...response.headers.keys()].filter(name => name.startsWith('access'))).toEqual([])
  })

  test.each(['https://app.example', '*'])(
    'named by %s may send a token and read the answer',
    async origins => {
      const server = await startToyServer({ env: { CORS_ORIGINS: origins } })
      const allowed = await preflight(server.url, 'https://app.example')
      expect(Object.fromEntries(allowed.headers)).toMatchObject({
        'access-control-allow-origin': 'https://app.example',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization,content-type',
        vary: 'Origin',
      })
      const response = await post(server, hello, { origin: 'https://app.example' })
      expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    },
  )

  test('that are not named are not let in by those that are', async () => {
    const { url } = await startToyServer({ env: { CORS_ORIGINS: 'https://app.example' } })
    const response = await preflight(url, 'https://app.example.evil')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(response.headers.get('vary')).toBe('Origin')
  })
})

test('an unknown path is 404 in JSON', async () => {
  const { origin } = await startToyServer()
  for (const path of [
    '/nothing',
    '/graphql/x',
    '/graphql/assets/../../package.json',
    '//graphql',
  ]) {
    const response = await fetch(origin + path)
    expect(response.status).toBe(404)
    expect(await response.json()).toHaveProperty('error')
  }
})

test('the answer to a request that breaks off is nobody’s, and the next one is answered', async () => {
  const server = await startToyServer()
  const connection = await RawConnection.open(server.port)
  connection.send(
    'POST /graphql HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    'Content-Length: 100',
    '',
    '{"que',
  )
  connection.socket.destroy()
  const response = await post(server, hello)
  expect(await response.json()).toEqual({ data: { hello: 'world' } })
  expect(statusOf(connection.received)).toBeNaN()
})
