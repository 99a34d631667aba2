import { parseValue } from 'graphql'
import { describe, expect, it } from 'vitest'
import { DateTimeScalar, HashScalar } from '../../src/core/scalars.ts'

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
