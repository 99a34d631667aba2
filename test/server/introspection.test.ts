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
    'where introspection is refused, %s is not suggested',
    async (_what, name, request) => {
      const server = await startToyServer({ env: { INTROSPECTION: 'viewers' } })
      const told = async (token?: string) => {
        const [result] = await ask(server, request, token)
        expect(result?.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
        return result?.errors?.map(({ message }) => message).join('\n')
      }
      const suggestion = new RegExp(`Did you mean .*"${name}"`)
      expect(await told('ada')).toMatch(suggestion)
      expect(await told()).not.toMatch(new RegExp(`Did you mean|\\b${name}\\b`))
      expect(await told('ada')).toMatch(suggestion)
    },
  )
})
