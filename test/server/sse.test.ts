import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql'
import { createClient } from 'graphql-sse'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { acceptsEvents } from '../../src/server/event-stream.ts'
import { RawEventSource } from '../support/raw-events.ts'
import { eventually } from '../support/raw-eventually.ts'
import { RawConnection } from '../support/raw-http.ts'
import { startToyServer } from '../support/raw-server.ts'
import { post, readEvents } from '../support/raw-transports.ts'

const sse = { accept: 'text/event-stream' }

const addressOf = (url: string, query: string) => {
  const address = new URL(url)
  address.searchParams.set('query', query)
  return address
}

describe('a stream of events', () => {
  test('is a comment, an event for each result, and one for the end, and nothing else', async () => {
    const { url } = await startToyServer()
    const response = await post({ url }, { query: 'subscription { countTo(end: 2) }' }, sse)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    expect(await response.text()).toBe(
      [
        ':\n\n',
        'event: next\ndata: {"data":{"countTo":1}}\n\n',
        'event: next\ndata: {"data":{"countTo":2}}\n\n',
        'event: complete\ndata:\n\n',
      ].join(''),
    )
  })

  test('says by a comment that it is open, before there is an event', async () => {
    const { url } = await startToyServer({ schema: silent() })
    const { body } = await post({ url }, { query: 'subscription { silence }' }, sse)
    const reader = body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(':\n\n')
    await reader?.cancel()
  })

  test('has a comment every 12 seconds, so that no proxy takes it for dead', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { url } = await startToyServer({ schema: silent() })
    const { body } = await post({ url }, { query: 'subscription { silence }' }, sse)
    const reader = body?.getReader()
    await reader?.read()
    for (let i = 0; i < 3; i++) {
      vi.advanceTimersByTime(12_000)
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(':\n\n')
    }
    await reader?.cancel()
    await eventually(() => vi.getTimerCount()).toBe(0)
  })

  test('says what is wrong with an operation in an event, where a browser can read it', async () => {
    const { url } = await startToyServer()
    for (const query of ['{', '{ hallo }', 'subscription { refuses }']) {
      const response = await post({ url }, { query }, sse)
      expect(response.status).toBe(200)
      expect(readEvents(await response.text())).toMatchObject([
        { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
      ])
    }
  })

  test('says in its last event what has broken off a subscription', async () => {
    const { url } = await startToyServer()
    const response = await post({ url }, { query: 'subscription { breaks }' }, sse)
    expect(readEvents(await response.text())).toMatchObject([
      { data: { breaks: 1 } },
      { errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL' } }] },
    ])
  })

  test('is given up in the moment its reader goes, though nothing happens in it', async () => {
    const server = await startToyServer()
    const connections = []
    for (let i = 0; i < 5; i++) {
      const connection = await RawConnection.open(server.port)
      const path = '/graphql?query=subscription{open}'
      connection.send(`GET ${path} HTTP/1.1`, 'Host: x', 'Accept: text/event-stream', '', '')
      await connection.receives(/"open":1/)
      connections.push(connection)
    }
    expect(server.openStreams()).toBe(5)
    for (const { socket } of connections) socket.destroy()
    await eventually(() => server.openStreams()).toBe(0)
  })

  test('is not read ahead of its reader, who holds up no other and gets all in the end', async () => {
    const taken: number[] = []
    const server = await startToyServer({ schema: large(200, taken) })
    const address = addressOf(server.url, 'subscription { large }')
    const slow = await RawEventSource.open(address)
    const other = await RawEventSource.open(address)
    expect(await numbersOf(other)).toEqual(range(200))
    // Far more than the buffers of the system hold.
    expect(taken[0]).toBeLessThan(200)
    expect(await numbersOf(slow)).toEqual(range(200))
  })
})

describe('a subscription by GET, the one thing that a browser’s EventSource can send', () => {
  test('is a stream of events', async () => {
    const { url } = await startToyServer()
    const source = await RawEventSource.open(addressOf(url, 'subscription { countTo(end: 2) }'))
    expect(await source.next()).toEqual({ type: 'next', data: '{"data":{"countTo":1}}' })
    expect(await source.next()).toEqual({ type: 'next', data: '{"data":{"countTo":2}}' })
    expect(await source.next()).toEqual({ type: 'complete', data: '' })
    expect(await source.next()).toBeUndefined()
    expect(source.lastEventId).toBe('')
  })

  test('without its header is refused, and opens none', async () => {
    const server = await startToyServer()
    const response = await fetch(addressOf(server.url, 'subscription { open }'))
    expect(response.status).toBe(406)
    expect(server.openStreams()).toBe(0)
  })
})

describe('the official client', () => {
  test('runs queries, mutations and subscriptions', async () => {
    const { url } = await startToyServer()
    const client = createClient({ url, headers: { authorization: 'Bearer ada' } })
    const results = []
    for (const query of ['{ whoami }', 'mutation { change }', 'subscription { countTo(end: 3) }']) {
      for await (const { data } of client.iterate({ query })) results.push(data)
    }
    expect(results).toEqual([
      { whoami: 'ada' },
      { change: 'changed' },
      { countTo: 1 },
      { countTo: 2 },
      { countTo: 3 },
    ])
    client.dispose()
  })

  test('is told what is wrong with an operation', async () => {
    const { url } = await startToyServer()
    const client = createClient({ url })
    for await (const { errors } of client.iterate({ query: 'subscription { refuses }' })) {
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: 'id' } }])
    }
    client.dispose()
  })

  test('leaves no stream behind when it stops listening', async () => {
    const server = await startToyServer()
    const client = createClient({ url: server.url })
    for await (const { data } of client.iterate({ query: 'subscription { open }' })) {
      expect(data).toEqual({ open: 1 })
      break
    }
    await eventually(() => server.openStreams()).toBe(0)
    client.dispose()
  })
})

test.each([
  ['text/event-stream', true],
  ['application/json, Text/Event-Stream ;charset=UTF-8;q=0.5', true],
  ['text/event-stream; charset=latin1', false],
  ['x-text/event-stream', false],
  ['text/*', false],
  ['', false],
  [undefined, false],
])('the header Accept: %s asks for events: %s', (accept, does) => {
  expect(acceptsEvents(accept)).toBe(does)
})

const query = new GraphQLObjectType({ name: 'Query', fields: { hello: { type: GraphQLString } } })

/** A schema with a subscription in which nothing happens. */
const silent = () =>
  new GraphQLSchema({
    query,
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: {
        silence: {
          type: GraphQLString,
          subscribe: () => ({
            [Symbol.asyncIterator]: () => ({
              next: () => new Promise(() => {}),
              return: async () => ({ done: true, value: undefined }),
            }),
          }),
        },
      },
    }),
  })

const range = (end: number) => Array.from({ length: end }, (_, index) => index + 1)

/** A schema with a subscription to large events, which notes how many each stream has taken. */
function large(end: number, taken: number[]): GraphQLSchema {
  async function* subscribe() {
    const stream = taken.push(0) - 1
    for (let number = 1; number <= end; number++) {
      taken[stream] = number
      yield `${number} ${'x'.repeat(200_000)}`
    }
  }
  return new GraphQLSchema({
    query,
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: { large: { type: GraphQLString, subscribe, resolve: event => event } },
    }),
  })
}

async function numbersOf(source: RawEventSource): Promise<number[]> {
  const numbers: number[] = []
  for (let event = await source.next(); event?.type === 'next'; event = await source.next()) {
    numbers.push(Number.parseInt(JSON.parse(event.data).data.large, 10))
  }
  return numbers
}
