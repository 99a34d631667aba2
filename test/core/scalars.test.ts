import fc from 'fast-check'
import { parseValue } from 'graphql'
import { describe, expect, it } from 'vitest'
import { CursorScalar, DateTimeScalar, HashScalar, JsonScalar } from '../../src/core/scalars.ts'

describe('DateTime', () => {
  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31t13:00:00.5+01:00', '2026-01-31T12:00:00.500Z'],
    ['2024-02-29T23:59:59.999999-03:30', '2024-03-01T03:29:59.999Z'],
  ])('%s is the instant %s', (given, instant) => {
    expect(DateTimeScalar.parseValue(given).toISOString()).toBe(instant)
    expect(DateTimeScalar.serialize(DateTimeScalar.parseValue(given))).toBe(instant)
  })

  it.each([
    '2026-01-31T12:00:00',
    '2026-01-31',
    '2026-02-30T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '9999-12-31T23:59:59-10:00',
    '0000-01-01T00:00:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:00:00+1:00',
    '1769860800',
    'now',
    '',
  ])('%j is refused', given => {
    expect(() => DateTimeScalar.parseValue(given)).toThrow('DateTime')
  })

  it.each([1769860800, true, null, {}])('%j is refused, for it is no string', given => {
    expect(() => DateTimeScalar.parseValue(given)).toThrow('must be a string')
  })

  it('in a document is read as in a variable', () => {
    const literal = (text: string) => DateTimeScalar.parseLiteral(parseValue(text), {})
    expect(literal('"2026-01-31T12:00:00Z"').toISOString()).toBe('2026-01-31T12:00:00.000Z')
    expect(() => literal('2026')).toThrow('must be a string')
  })
})

describe('Hash', () => {
  it('is 64 lower-case hexadecimal digits and nothing else', () => {
    expect(HashScalar.parseValue('0a'.repeat(32))).toBe('0a'.repeat(32))
    for (const wrong of [
      '0A'.repeat(32),
      '0a'.repeat(31),
      `${'0a'.repeat(32)}\n`,
      'xy'.repeat(32),
    ]) {
      expect(() => HashScalar.parseValue(wrong)).toThrow('64 lower-case')
    }
  })
})

describe('Cursor', () => {
  it('is any string, and nothing else', () => {
    expect(CursorScalar.parseValue('whatever')).toBe('whatever')
    expect(() => CursorScalar.parseValue(7)).toThrow('must be a string')
  })
})

describe('JSON', () => {
  const literal = (text: string, variables: Record<string, unknown> = {}) =>
    JsonScalar.parseLiteral(parseValue(text), variables)

  /** JSON as it is written in a document, where keys are names. */
  const write = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(write).join(' ')}]`
    if (value === null || typeof value !== 'object') return JSON.stringify(value)
    return `{${Object.entries(value).map(([key, member]) => `${key}: ${write(member)}`)}}`
  }

  const { json } = fc.letrec(tie => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.string({ unit: 'binary' }).filter(text => text.isWellFormed()),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => number + 0),
      fc.array(tie('json')),
      fc.dictionary(fc.stringMatching(/^[_A-Za-z]\w*$/), tie('json'), { noNullPrototype: true }),
    ),
  }))

  it('in a document is read as in a variable, and answered as it is', () => {
    fc.assert(
      fc.property(json, value => {
        expect(literal(write(value))).toEqual(value)
        expect(JsonScalar.parseValue(value)).toBe(value)
        expect(JsonScalar.serialize(value)).toBe(value)
      }),
    )
  })

  it('in a document may have any number that is held', () => {
    expect(literal('[1.10, 1e2, 100000000000000000000, -7, 0]')).toEqual([1.1, 100, 1e20, -7, 0])
  })

  it.each(['9007199254740993', '1e400', '-0', '-0.0', '0.12345678901234567890123'])(
    'in a document may not have the number %s, which would be another one',
    number => {
      for (const text of [number, `[${number}]`, `{a: {b: ${number}}}`]) {
        expect(() => literal(text)).toThrow(
          `JSON cannot hold the number ${number} exactly. Send it as a string.`,
        )
      }
    },
  )

  it('in a document has no enum values', () => {
    expect(() => literal('{status: [OPEN]}')).toThrow('write "OPEN" as a string')
  })

  it('in a document can have variables in it', () => {
    const variables = { text: 'x', list: [1, { a: null }], none: null }
    expect(literal('{t: $text, l: [$list, 2], n: $none, missing: $other}', variables)).toEqual({
      t: 'x',
      l: [[1, { a: null }], 2],
      n: null,
    })
    expect(literal('[$other]', variables)).toEqual([null])
    // So it is validated, before there are any.
    expect(JsonScalar.parseLiteral(parseValue('{a: $text}'), undefined)).toEqual({})
  })

  it('in a document has a variable of another type as it would be written', () => {
    const at = DateTimeScalar.parseValue('2026-01-31T12:00:00Z')
    expect(literal('{at: $at}', { at })).toEqual({ at: '2026-01-31T12:00:00.000Z' })
  })

  it('has a key __proto__ like any other', () => {
    const value = literal('{__proto__: {admin: true}, a: 1}')
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"a":1}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})
