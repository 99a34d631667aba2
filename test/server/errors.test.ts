import { describe, expect, test } from 'vitest'
import type { failures } from '../support/raw-schema.ts'
import { startToyServer } from '../support/raw-server.ts'
import { transports } from '../support/raw-transports.ts'

const secrets =
  /select|password|secret|10\.0\.0\.5|concepts_name_key|canceling|node_modules|\bat \w/i

describe.each(transports)('over %s', (_name, ask) => {
  test('an unknown error is masked, and logged with its stack under the id that the client gets', async () => {
    const server = await startToyServer()
    const [result] = await ask(server, { query: '{ hello broken }' })
    const [error] = result?.errors ?? []
    expect(result?.data).toEqual({ hello: 'world', broken: null })
    expect(error).toMatchObject({
      message: 'Unexpected error.',
      path: ['broken'],
      extensions: { code: 'INTERNAL' },
    })
    const id = error?.extensions.requestId ?? 'none'
    const line = server
      .logged()
      .split('\n')
      .find(one => one.includes(id) && one.includes('password'))
    expect(line?.match(/"requestId":/g)).toHaveLength(1)
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 50,
      requestId: id,
      path: ['broken'],
      err: { stack: expect.stringContaining('raw-schema') },
    })
  })

  test.each(['broken', 'graphqlBug', 'unserialisable', 'nothing'])(
    'of %s a client sees no more than that it is internal',
    async field => {
      const server = await startToyServer()
      const [result] = await ask(server, { query: `{ ${field} }` })
      expect(result?.errors?.[0]?.extensions.code).toBe('INTERNAL')
      expect(JSON.stringify(result)).not.toMatch(secrets)
    },
  )

  test('a refusal of a room keeps its code, its message and the field that is wrong', async () => {
    const server = await startToyServer()
    const [result] = await ask(server, { query: '{ refused }' })
    expect(result?.errors?.[0]).toMatchObject({
      message: 'The name is taken.',
      extensions: { code: 'BAD_USER_INPUT', field: 'input.name' },
    })
  })

  test.each([
    ['invalidId', 'BAD_USER_INPUT', 'Invalid global ID: x'],
    ['forbidden', 'FORBIDDEN', 'Not for you.'],
  ])('what Pothos refuses in %s has a code of ours, %s', async (field, code, message) => {
    const server = await startToyServer()
    const [result] = await ask(server, { query: `{ ${field} }` })
    expect(result?.errors?.[0]).toMatchObject({ message, extensions: { code } })
  })

  test.each([
    ['refusedConnection', 'SERVICE_BUSY'],
    ['lostConnection', 'SERVICE_BUSY'],
    ['exhaustedPool', 'SERVICE_BUSY'],
    ['unreachableByPrisma', 'SERVICE_BUSY'],
    ['slowStatementByPrisma', 'TIMEOUT'],
    ['slowTransaction', 'TIMEOUT'],
    ['uniqueViolation', 'INTERNAL'],
  ] satisfies [keyof typeof failures, string][])(
    'the database failure %s is %s and tells nothing of the database',
    async (how, code) => {
      const server = await startToyServer()
      const [result] = await ask(server, { query: `{ fails(how: "${how}") }` })
      expect(result?.errors?.[0]?.extensions.code).toBe(code)
      expect(JSON.stringify({ ...result?.errors?.[0], locations: [] })).not.toMatch(secrets)
    },
  )

  test.each([
    ['a syntax error', { query: '{ hello' }, undefined],
    ['an unknown field', { query: '{ hallo }' }, undefined],
    ['an unknown operation', { query: 'query A { hello }', operationName: 'B' }, 'operationName'],
    ['one of two operations', { query: 'query A { hello } query B { hello }' }, 'operationName'],
    [
      'a variable of the wrong type',
      { query: 'query ($a: Int!) { add(a: $a) }', variables: { a: 'x' } },
      'a',
    ],
    ['a missing variable', { query: 'query ($a: Int!) { add(a: $a) }' }, 'a'],
    [
      'a wrong value inside a variable',
      { query: 'query ($p: Paint) { paint(with: $p) }', variables: { p: { coats: 'x' } } },
      'p.coats',
    ],
    [
      'a value that a scalar refuses',
      { query: 'query ($n: Even) { even(number: $n) }', variables: { n: 3 } },
      'n',
    ],
    ['a literal that a scalar refuses', { query: '{ even(number: 3) }' }, undefined],
  ])('%s is bad input and is not executed', async (_what, request, field) => {
    const server = await startToyServer()
    const [result] = await ask(server, request)
    expect(result).not.toHaveProperty('data')
    const { code, field: named, requestId } = result?.errors?.[0]?.extensions ?? {}
    expect({ code, named }).toEqual({ code: 'BAD_USER_INPUT', named: field })
    expect(requestId).toBeTruthy()
    expect(server.logged()).not.toContain('"level":50')
  })

  test('a message that repeats a huge value is cut short', async () => {
    const server = await startToyServer()
    const request = {
      query: 'query ($a: Int!) { add(a: $a) }',
      variables: { a: 'x'.repeat(500_000) },
    }
    const [result] = await ask(server, request)
    expect(result?.errors?.[0]?.message.length).toBeLessThan(1_100)
  })

  test('an operation that takes too long ends with TIMEOUT', async () => {
    const server = await startToyServer({ env: { OPERATION_TIMEOUT_MS: '20' } })
    const [result] = await ask(server, { query: '{ never }' })
    expect(result?.errors?.[0]?.extensions.code).toBe('TIMEOUT')
  })
})

describe.each(transports.slice(1))('a subscription over %s', (_name, ask) => {
  test('ends with a masked error when its source breaks', async () => {
    const server = await startToyServer()
    const results = await ask(server, { query: 'subscription { breaks }' })
    expect(results[0]).toEqual({ data: { breaks: 1 } })
    expect(results[1]?.errors?.[0]).toMatchObject({
      message: 'Unexpected error.',
      extensions: { code: 'INTERNAL' },
    })
    expect(results).toHaveLength(2)
  })

  test('that is refused has the code of the refusal', async () => {
    const server = await startToyServer()
    const results = await ask(server, { query: 'subscription { refuses }' })
    expect(results).toHaveLength(1)
    expect(results[0]?.errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'id',
    })
  })
})
