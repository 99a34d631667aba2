import { getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { startToyServer } from '../support/raw-server.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { transports, transportsOfQueries } from '../support/raw-transports.ts'

const nested = (depth: number, leaf = 'secretName') =>
  `${'item { '.repeat(depth - 1)}${leaf}${' }'.repeat(depth - 1)}`
const aliases = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: hello`).join(' ')

/** Each fragment spreads the next one twice, so that the last is reached 2^doublings times. */
const bomb = (doublings: number, leaf: string) =>
  `{ ...F0 } ${Array.from(
    { length: doublings },
    (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`,
  ).join(' ')} fragment F${doublings} on Query { ${leaf} }`

const followed =
  'fragment S on __Schema { types { fields { args { type { fields { args { type { name } } } } } } } }'

const limits = {
  MAX_DEPTH: '5',
  MAX_ALIASES: '4',
  MAX_DIRECTIVES: '3',
  MAX_TOKENS: '2000',
  MAX_COMPLEXITY: '100',
  MAX_NESTING: '50',
}

const tooMuch: [what: string, request: { query: string; variables?: Record<string, unknown> }][] = [
  ['fields inside one another', { query: `{ ${nested(6)} }` }],
  [
    'fields inside one another, by fragments',
    {
      query: `{ item { ...A } } fragment A on Item { item { ...B } } fragment B on Item { ${nested(4)} }`,
    },
  ],
  ['aliases', { query: `{ ${aliases(5)} }` }],
  [
    'aliases, by a fragment that is spread several times',
    { query: `{ ...A ... { ...A } ... { ...A } } fragment A on Query { x: hello y: whoami }` },
  ],
  ['aliases in an operation that is not run', { query: `{ hello } query B { ${aliases(5)} }` }],
  ['directives', { query: `{ hello ${'@include(if: true) '.repeat(4)} }` }],
  ['directives that do not exist', { query: `{ hello ${'@x '.repeat(4)} }` }],
  ['tokens', { query: `{ ${'hello '.repeat(2_000)} }` }],
  [
    'operations',
    { query: Array.from({ length: 500 }, (_, i) => `query q${i} { hello }`).join(' ') },
  ],
  ['complexity', { query: '{ item { items(first: 50) { items(first: 50) { secretName } } } }' }],
  [
    'complexity, by the value of a variable',
    {
      query: 'query ($n: Int) { item { items(first: $n) { secretName } } }',
      variables: { n: 1_000 },
    },
  ],
  ['complexity, by doubling fragments', { query: bomb(60, 'hello') }],
  ['aliases, by doubling fragments', { query: bomb(60, 'a: hello') }],
  ['lists inside one another', { query: `{ echo(json: ${'['.repeat(60)}${']'.repeat(60)}) }` }],
  [
    'inline fragments inside one another',
    { query: `{ ${'... { '.repeat(60)}hello${' }'.repeat(60)} }` },
  ],
  [
    'fragments that spread one another in a chain',
    {
      query: `{ ...F0 } ${Array.from({ length: 100 }, (_, i) => `fragment F${i} on Query { hello ...F${i + 1} }`).join(' ')} fragment F100 on Query { hello }`,
    },
  ],
  [
    'objects inside one another in a variable',
    {
      query: 'query ($j: Json) { echo(json: $j) }',
      variables: { j: JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`) },
    },
  ],
]

describe.each(transportsOfQueries)('over %s', (_name, ask) => {
  test.each(tooMuch)('too many %s are refused', async (_what, request) => {
    const server = await startToyServer({ env: limits })
    const [result] = await ask(server, { operationName: null, ...request })
    expect(result?.errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED')
    expect(result).not.toHaveProperty('data')
  })

  test('what is just within the limits is answered', async () => {
    const server = await startToyServer({ env: limits })
    const query = `query ($n: Int) { ${nested(5)} ${aliases(4)} b: item { items(first: $n) { secretName } } }`
    const [result] = await ask(server, {
      query: query.replace('a3: hello', ''),
      variables: { n: 3 },
    })
    expect(result?.errors).toBeUndefined()
  })

  test('fragments in a circle are invalid, not endless', async () => {
    const server = await startToyServer()
    const query = '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'
    const [result] = await ask(server, { query })
    expect(result?.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  })

  test('the query for the schema that tools send passes limits made for small operations', async () => {
    const server = await startToyServer({ env: limits })
    for (const typeDepth of [9, 14]) {
      const query = getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true, typeDepth })
      const [result] = await ask(server, { query })
      expect(result?.errors).toBeUndefined()
    }
  })

  test.each([
    [
      'from type to type',
      '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
    ],
    [
      'again and again',
      `{ ${Array.from({ length: 40 }, (_, i) => `a${i}: __schema { ...S }`).join(' ')} } ${followed}`,
    ],
  ])('introspection %s is refused', async (_how, query) => {
    const server = await startToyServer()
    const [result] = await ask(server, { query })
    expect(result?.errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED')
  })
})

test('variables nested a hundred thousand levels deep are refused and harm nobody', async () => {
  const server = await startToyServer()
  const query = 'query ($j: Json) { echo(json: $j) }'
  const variables = `{"j":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
  })
  expect(await response.json()).toMatchObject({
    errors: [{ extensions: { code: 'LIMIT_EXCEEDED' } }],
  })
  const socket = await RawSocket.ready(server.wsUrl)
  socket.send(
    `{"type":"subscribe","id":"1","payload":{"query":${JSON.stringify(query)},"variables":${variables}}}`,
  )
  expect(await socket.next()).toMatchObject({
    payload: [{ extensions: { code: 'LIMIT_EXCEEDED' } }],
  })
})

test('more brackets than the parser can stand are refused like other nesting', async () => {
  const server = await startToyServer()
  const query = `{ echo(json: ${'['.repeat(4_900)}${']'.repeat(4_900)}) }`
  for (const [, ask] of transports) {
    const [result] = await ask(server, { query })
    expect(result?.errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED')
  }
})

test('names out of Object.prototype are names like others', async () => {
  const server = await startToyServer()
  const send = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(server.url, { method: 'POST', headers, body })).json()
  }
  expect(
    await send(
      '{"query":"query toString($valueOf: Int!) { constructor: add(a: $valueOf) }","operationName":"toString","variables":{"valueOf":4}}',
    ),
  ).toEqual({ data: { constructor: 4 } })
  expect(
    await send(
      '{"query":"query ($__proto__: Json) { echo(json: $__proto__) }","variables":{"__proto__":{"x":1}}}',
    ),
  ).toHaveProperty('data')
  expect(await send('{"query":"{ ...toString }"}')).toMatchObject({
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  })
  expect(
    await send(
      '{"query":"{ ...__proto__ } fragment __proto__ on Query { hello }","__proto__":{"x":1}}',
    ),
  ).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
})

test('a document that is refused is refused again when it comes from the cache', async () => {
  const server = await startToyServer({ env: limits })
  for (const [, ask] of transportsOfQueries) {
    const [result] = await ask(server, { query: `{ ${aliases(5)} }` })
    expect(result?.errors?.[0]?.extensions.code).toBe('LIMIT_EXCEEDED')
  }
})
