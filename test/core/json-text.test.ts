import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { heldJson, isJsonText, rewriteJson, unheldNumber } from '../../src/core/json-text.ts'

/** The value of a decimal as an exact fraction. */
function exactly(decimal: string): [over: bigint, under: bigint] {
  const [mantissa = '', exponent = '0'] = decimal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shift = BigInt(exponent) - BigInt(fraction.length)
  const digits = BigInt(`${whole.replace('-', '')}${fraction}`) * (whole[0] === '-' ? -1n : 1n)
  return shift < 0n ? [digits, 10n ** -shift] : [digits * 10n ** shift, 1n]
}

function areEqual(one: string, other: string): boolean {
  const [over, under] = exactly(one)
  const [otherOver, otherUnder] = exactly(other)
  return over * otherUnder === otherOver * under
}

/** What JavaScript answers for a number that it was given. */
const answered = (number: string) => JSON.stringify(JSON.parse(number))

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max })

const exponents = fc.oneof(
  fc.integer({ min: -30, max: 30 }),
  fc.integer({ min: -345, max: 330 }),
  fc.constantFrom(-324, -323, -308, -307, 307, 308, 309),
)

const numbers = fc.oneof(
  fc
    .record({
      sign: fc.constantFrom('', '-'),
      whole: digits(1, 25).map(text => text.replace(/^0+(?=\d)/, '')),
      fraction: fc.option(digits(1, 25), { nil: undefined }),
      e: fc.constantFrom('e', 'E', 'e+', 'e0'),
      exponent: fc.option(exponents, { nil: undefined }),
    })
    .map(({ sign, whole, fraction, e, exponent }) => {
      const point = fraction === undefined ? '' : `.${fraction}`
      const mark = exponent !== undefined && exponent < 0 ? 'e' : e
      return `${sign}${whole}${point}${exponent === undefined ? '' : `${mark}${exponent}`}`
    }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
)

describe('a number that JavaScript would change', () => {
  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '1e-400',
    '5e-325',
    '0.12345678901234567890123',
    '0.1000000000000000055511151231257827021181583404541015625',
    '123456789012345683968',
    '1e99999999999999999999',
    '1E-99999999999999999999',
    '-0',
    '-0.0',
    '-0e5',
    '-0.000e-400',
    `1${'0'.repeat(400)}`,
  ])('is found: %s', number => {
    expect(unheldNumber(number)).toBe(number)
    expect(unheldNumber(` {"a":[ "1e400", 1,${number}\n], "b": 1e401}`)).toBe(number)
    expect(unheldNumber(`[${number}]`)).toBe(number)
  })

  test.each([
    '0',
    '1.10',
    '1e2',
    '1E+2',
    '100000000000000000000',
    '1000000000000000000000000000000000000000',
    '9007199254740992',
    '0.1',
    '-0.5',
    '0e400',
    '0.000e-99999999999999999999',
    '1.7976931348623157e308',
    '5e-324',
    '1.00000000000000000000000000000',
    `0.${'0'.repeat(330)}1e331`,
    '0.30000000000000004',
  ])('is not: %s', number => {
    expect(unheldNumber(number)).toBeUndefined()
    expect(unheldNumber(`{"a":[${number}]}`)).toBeUndefined()
  })

  test.each([
    ['in a string', '["9007199254740993", "a -0 1e400", ":-0"]'],
    ['in a key', '{"1e400":1,"-0":2}'],
    ['behind an escaped quote', String.raw`["\"1e400", "\\\"1e400", "\\", "[-0"]`],
    ['in a text that breaks off in a string', '["1e400'],
  ])('is none %s', (_where, text) => {
    expect(unheldNumber(text)).toBeUndefined()
  })

  it('is behind a string that ends with a backslash', () => {
    expect(unheldNumber(String.raw`["\\",-0,"\\\\", 1e400]`)).toBe('-0')
    expect(unheldNumber(String.raw`["a\\\\" , 1e400]`)).toBe('1e400')
  })

  it('is each whose value is another one when it is answered, by exact arithmetic', () => {
    fc.assert(
      fc.property(numbers, number => {
        const back = answered(number)
        const isSame = back !== 'null' && areEqual(back, number)
        // A negative zero has the value of zero, but not its sign.
        const isNegativeZero = number.startsWith('-') && exactly(number)[0] === 0n
        expect(unheldNumber(number) === undefined).toBe(isSame && !isNegativeZero)
      }),
      { numRuns: 5_000 },
    )
  })

  it('is the first of a text, whatever strings lie between', () => {
    const parts = fc.oneof(
      fc.json(),
      fc.string().map(text => JSON.stringify(text)),
      numbers,
    )
    fc.assert(
      fc.property(fc.array(parts), values => {
        const numbersOnly = values.filter(value => /^-?\d/.test(value))
        const first = numbersOnly.find(number => unheldNumber(number) !== undefined)
        const others = values
          .filter(value => !/^-?\d/.test(value))
          .map(value => unheldNumber(value))
        fc.pre(others.every(found => found === undefined))
        expect(unheldNumber(`[${values.join(' , ')}]`)).toBe(first)
      }),
    )
  })

  it.each([
    ['backslashes', `["${'\\\\'.repeat(1 << 19)}", 1e400]`],
    ['escaped quotes', `["${'\\"'.repeat(1 << 19)}", 1e400]`],
    ['empty strings', `[${'"",'.repeat(1 << 18)} 1e400]`],
    ['digits', `[${'1'.repeat(1 << 20)}]`],
    ['zeros', `[1${'0'.repeat(1 << 20)}1]`],
    ['short numbers', `[${'1,'.repeat(1 << 19)} 1e400]`],
    ['long numbers', `[${'0.3000000000000000400,'.repeat(1 << 16)} 1e400]`],
  ])('is found behind a megabyte of %s', (_what, text) => {
    const start = performance.now()
    expect(unheldNumber(text)).toBeDefined()
    // Far above what it takes, and far below what anything quadratic would.
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})

describe('a text read with numbers that are held', () => {
  it('has the digits of the others as strings', () => {
    const text = '{"n": 9007199254740993, "e":1e400,"z":-0 ,"f":1.10, "s":"1e400", "1e400":[1e400]}'
    expect(heldJson(text)).toEqual({
      n: '9007199254740993',
      e: '1e400',
      z: '-0',
      f: 1.1,
      s: '1e400',
      '1e400': ['1e400'],
    })
  })

  it('is what JSON.parse says where all are held', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        fc.pre(unheldNumber(text) === undefined)
        expect(heldJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it.each(['', '{', '[1e400', '1e400 1e400', '{"a" 1e400}'])('must be JSON: %j', text => {
    expect(() => heldJson(text)).toThrow(SyntaxError)
    expect(isJsonText(text)).toBe(false)
  })
})

describe('a text that is changed', () => {
  it('keeps the numbers that the change leaves in it to the letter', () => {
    const text = '{"key":"secret","kept":[9007199254740993,{"e":1e400}],"key2":1e500}'
    const changed = rewriteJson(text, value => {
      const { kept } = value as { kept: unknown }
      return { key: '[redacted]', kept, list: [1.5, '1e400'] } as never
    })
    expect(changed).toBe(
      '{"key":"[redacted]","kept":[9007199254740993,{"e":1e400}],"list":[1.5,"1e400"]}',
    )
  })
})

describe('a text that PostgreSQL is to store as JSON', () => {
  test.each(['null', '{"a":[-0,1e400,"1e999999"]}', `${'['.repeat(500)}${']'.repeat(500)}`])(
    'may be %s',
    text => expect(isJsonText(text)).toBe(true),
  )

  it('nests no deeper than it can be read and written again', () => {
    expect(isJsonText(`${'['.repeat(502)}${']'.repeat(502)}`)).toBe(false)
    expect(isJsonText(`${'['.repeat(1 << 20)}${']'.repeat(1 << 20)}`)).toBe(false)
  })

  it('has no numbers that would fill the memory when they are written out', () => {
    expect(isJsonText(`[${'1e1000,'.repeat(1_000)}1]`)).toBe(true)
    expect(isJsonText(`[${'1e1000,'.repeat(1_100)}1]`)).toBe(false)
  })

  test.each(['1e131072', '1e-16384', '1e-99999999999999999999', `0.${'3'.repeat(20_000)}`])(
    'has no number that PostgreSQL has none of: %s',
    number => expect(isJsonText(number)).toBe(false),
  )
})
