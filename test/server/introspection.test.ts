import { getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { startToyServer } from '../support/raw-server.ts'
import { transportsOfQueries } from '../support/raw-transports.ts'

type Slip = [
  what: string,
  suggestion: string,
  request: { query: string; variables?: Record<string, unknown> },
]

/** Slips of the pen to which graphql-js likes to answer with the right name. */
const slips: Slip[] = [
  ['a field', 'secretName', { query: '{ item { secretNam } }' }],
  ['an argument', 'with', { query: '{ paint(wit: {}) }' }],
  ['a type', 'Item', { query: '{ hello ...A } fragment A on Itme { __typename }' }],
  ['a field of an input', 'color', { query: '{ paint(with: { colr: CRIMSON }) }' }],
  ['an enum value', 'CRIMSON', { query: '{ paint(with: { color: CRIMSN }) }' }],
  [
    'a field of an input in a variable',
    'color',
    { query: 'query ($p: Paint) { paint(with: $p) }', variables: { p: { colr: 'CRIMSON' } } },
  ],
  [
    'an enum value in a variable',
    'CRIMSON',
    { query: 'query ($p: Paint) { paint(with: $p) }', variables: { p: { color: 'CRIMSN' } } },
  ],
  [
    'an enum value in a default',
    'CRIMSON',
    { query: 'query ($c: Color = CRIMSN) { paint(with: { color: $c }) }' },
  ],
  ['the type of a variable', 'Color', { query: 'query ($c: Colr) { paint(with: { coats: $c }) }' }],
  ['a selection', 'item { ... }', { query: '{ item }' }],
]

/** Mistakes to which graphql-js answers with a name or a type of the schema. */
const mistakes: Slip[] = [
  ...slips,
  ['an argument that is missing', 'Int!', { query: '{ add }' }],
  ['a value of a wrong type', 'Int', { query: '{ add(a: "one") }' }],
  [
    'a variable of a wrong type',
    'Int',
    { query: 'query ($a: Int!) { add(a: $a) }', variables: { a: 'one' } },
  ],
  ['a field without fields', 'String', { query: '{ hello { length } }' }],
]

describe.each(transportsOfQueries)('over %s', (_name, ask) => {
  test.each(['__schema { types { name } }', '__type(name: "Query") { name }'])(
    'with INTROSPECTION=off nobody sees %s',
    async selection => {
      const server = await startToyServer({ env: { INTROSPECTION: 'off' } })
      const [result] = await ask(
        server,
        { query: `{ ...A } fragment A on Query { ${selection} }` },
        'root',
      )
      expect(result).not.toHaveProperty('data')
      expect(result?.errors).toMatchObject([
        {
          message: 'Introspection is turned off on this server.',
          extensions: { code: 'FORBIDDEN' },
        },
      ])
    },
  )

  test('with INTROSPECTION=viewers a token is needed', async () => {
    const server = await startToyServer({ env: { INTROSPECTION: 'viewers' } })
    const query = getIntrospectionQuery()
    const [refused] = await ask(server, { query })
    expect(refused?.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
    const [answered] = await ask(server, { query }, 'ada')
    expect(answered?.errors).toBeUndefined()
    const [refusedAgain] = await ask(server, { query })
    expect(refusedAgain?.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
  })

  test('__typename is always answered', async () => {
    const server = await startToyServer({ env: { INTROSPECTION: 'off' } })
    const [result] = await ask(server, { query: '{ __typename item { __typename } }' })
    expect(result?.data).toEqual({ __typename: 'Query', item: { __typename: 'Item' } })
  })

  test.each(slips)(
    'with INTROSPECTION=off, %s is not suggested to somebody with a token',
    async (_what, name, request) => {
      const told = async (setting: string) => {
        const server = await startToyServer({ env: { INTROSPECTION: setting } })
        const [result] = await ask(server, request, 'ada')
        expect(result?.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
        return result?.errors?.map(({ message }) => message).join('\n')
      }
      expect(await told('viewers')).toMatch(new RegExp(`Did you mean .*"${escaped(name)}"`))
      expect(await told('off')).not.toMatch(new RegExp(`Did you mean|"${escaped(name)}"`))
    },
  )

  test.each(mistakes)(
    'where introspection needs a token, who has none is not told of %s',
    async (_what, told, request) => {
      const server = await startToyServer({ env: { INTROSPECTION: 'viewers' } })
      const messages = async (token?: string) => {
        const [result] = await ask(server, request, token)
        expect(result).not.toHaveProperty('data')
        return result?.errors?.map(({ message }) => message)
      }
      const needsToken = ['A valid token is needed.']
      expect(await messages()).toEqual(needsToken)
      expect((await messages('ada'))?.join('\n')).toContain(told)
      expect(await messages()).toEqual(needsToken)
    },
  )

  test('what is no GraphQL is told to everybody', async () => {
    const server = await startToyServer({ env: { INTROSPECTION: 'off' } })
    const [result] = await ask(server, { query: '{ hello' })
    expect(result?.errors).toMatchObject([
      { message: expect.stringMatching(/^Syntax Error/), extensions: { code: 'BAD_USER_INPUT' } },
    ])
  })
})

const escaped = (text: string) => text.replace(/[{}.]/g, '\\$&')
