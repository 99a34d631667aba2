import {
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { JsonScalar } from '../../src/core/scalars.ts'
import { startToyServer, type ToyServer } from '../support/raw-server.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { post, type Result, readEvents, transportsOfQueries } from '../support/raw-transports.ts'

const types = { json: JsonScalar, id: GraphQLID, float: GraphQLFloat, int: GraphQLInt }
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: Object.fromEntries(
      Object.entries(types).map(([name, type]) => [
        name,
        { type, args: { is: { type } }, resolve: (_root, { is }) => is },
      ]),
    ),
  }),
  subscription: new GraphQLObjectType({
    name: 'Subscription',
    fields: { never: { type: GraphQLString, subscribe: never } },
  }),
})

async function* never() {
  yield { never: 'once' }
  await new Promise(() => {})
}

const start = () => startToyServer({ schema })

const queryOf = (type: string) => `query ($is: ${type}) { value: ${type.toLowerCase()}(is: $is) }`

/** Sends a text of variables to the letter: JavaScript itself cannot write some numbers. */
type Send = (server: ToyServer, query: string, variables: string) => Promise<Result | undefined>

const bodyOf = (query: string, variables: string) =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`

const senders: [name: string, send: Send][] = [
  [
    'HTTP',
    async (server, query, variables) =>
      (await post(server, bodyOf(query, variables))).json() as Promise<Result>,
  ],
  [
    'GET',
    async ({ url }, query, variables) => {
      const address = new URL(url)
      address.searchParams.set('query', query)
      address.searchParams.set('variables', variables)
      return (await fetch(address)).json() as Promise<Result>
    },
  ],
  [
    'SSE',
    async (server, query, variables) => {
      const headers = { accept: 'text/event-stream' }
      const response = await post(server, bodyOf(query, variables), headers)
      return readEvents(await response.text())[0]
    },
  ],
  [
    'WebSocket',
    async (server, query, variables) => {
      const socket = await RawSocket.ready(server.wsUrl)
      socket.send(subscribe('1', query, variables))
      const { type, payload } = await socket.next()
      return (type === 'error' ? { errors: payload } : payload) as Result
    },
  ],
]

const subscribe = (id: string, query: string, variables: string) =>
  `{"id":"${id}","type":"subscribe","payload":${bodyOf(query, variables)}}`

const unheld = ['9007199254740993', '1e400', '1e-400', '-0', '-0.0', '0.12345678901234567890123']

describe.each(senders)('over %s, a number in the variables', (_transport, send) => {
  test.each(unheld)('that would become another one is refused: %s', async number => {
    const server = await start()
    for (const is of [number, `[1,${number}]`, `{"result":{"n":${number}}}`]) {
      const result = await send(server, queryOf('JSON'), `{"is":${is}}`)
      expect(result).not.toHaveProperty('data')
      expect(result?.errors).toMatchObject([
        {
          message: `The server cannot hold the number ${number} exactly. Send it as a string.`,
          extensions: { code: 'BAD_USER_INPUT', field: 'variables' },
        },
      ])
    }
  })

  test.each(['ID', 'Float', 'Int'])('is refused even where it is an %s', async type => {
    const result = await send(await start(), queryOf(type), '{"is":9007199254740993}')
    expect(result).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
  })

  test('comes back as it was otherwise', async () => {
    const is = '{"f":1.10,"e":1e2,"h":100000000000000000000,"s":"9007199254740993 -0","1e400":0.1}'
    expect(await send(await start(), queryOf('JSON'), `{"is":${is}}`)).toEqual({
      data: { value: { f: 1.1, e: 100, h: 1e20, s: '9007199254740993 -0', '1e400': 0.1 } },
    })
  })
})

describe.each(transportsOfQueries)('over %s, a number in the document', (_transport, ask) => {
  test.each(unheld)('that would become another one is refused: %s', async number => {
    const [result] = await ask(await start(), { query: `{ json(is: {n: [${number}]}) }` })
    expect(result).not.toHaveProperty('data')
    expect(result?.errors).toMatchObject([
      {
        message: `JSON cannot hold the number ${number} exactly. Send it as a string.`,
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  })

  test('comes back as it was otherwise', async () => {
    const query = '{ json(is: {f: 1.10, e: 1e2, h: 100000000000000000000}) }'
    const [result] = await ask(await start(), { query })
    expect(result).toEqual({ data: { json: { f: 1.1, e: 100, h: 1e20 } } })
  })
})

test('a refused number is a matter of its operation, and of no other on the socket', async () => {
  const { wsUrl } = await start()
  const socket = await RawSocket.ready(wsUrl)
  socket.subscribe('stream', 'subscription { never }')
  expect(await socket.next()).toMatchObject({ id: 'stream', type: 'next' })
  const query = queryOf('JSON')
  for (const is of ['1e400', '1', '-0', '2'])
    socket.send(subscribe(`is ${is}`, query, `{"is":${is}}`))
  const answers = new Map<string | undefined, string>()
  while (answers.size < 4) {
    const { id, type } = await socket.next()
    if (type !== 'complete') answers.set(id, type)
  }
  expect(Object.fromEntries(answers)).toEqual({
    'is 1e400': 'error',
    'is 1': 'next',
    'is -0': 'error',
    'is 2': 'next',
  })
})

test('a number in a message that asks for nothing is nobody’s concern', async () => {
  const { wsUrl } = await start()
  const socket = await RawSocket.ready(wsUrl)
  socket.send('{"type":"ping","payload":{"n":1e400}}')
  expect(await socket.next()).toMatchObject({ type: 'pong' })
  socket.send(subscribe('1', '{ json(is: 1) }', 'null'))
  expect(await socket.next()).toMatchObject({ payload: { data: { json: 1 } } })
})
