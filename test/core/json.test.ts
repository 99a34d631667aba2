import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkJson,
  type Json,
  type JsonObject,
  replaceUnstorableJson,
} from '../../src/core/json.ts'
import { isStorable, replaceUnstorable } from '../../src/core/text.ts'

const unstorable = ['a\u0000b', '\ud800', 'x\udc00y', '\udc00\ud800']

// fast-check has no lone surrogates of its own.
const units = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 1 }),
  fc.constantFrom('\0', '\ud800', '\udc00', 'a'),
)

const values = fc.jsonValue({ stringUnit: units }) as fc.Arbitrary<Json>

const deep = (inside: Json, depth = 200_000) => {
  let value = inside
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { a: value }
  return value
}

const isObject = (value: Json): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Without keys, and with storable texts. */
function shape(value: Json): Json {
  if (Array.isArray(value)) return value.map(shape)
  if (isObject(value)) return { '': Object.values(value).map(shape) }
  return typeof value === 'string' ? replaceUnstorable(value).text : value
}

function isWhollyStorable(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isWhollyStorable)
  if (isObject(value)) {
    return Object.keys(value).every(isStorable) && Object.values(value).every(isWhollyStorable)
  }
  return typeof value !== 'string' || isStorable(value)
}

describe('the value of a person', () => {
  it.each(unstorable)('may hold no %j, in a string or a key, at any depth', text => {
    for (const value of [text, [text], { a: [{ [text]: 1 }] }, deep(text)]) {
      expect(() => checkJson(value, 'input.payload')).toThrow(
        expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'input.payload' }),
      )
    }
  })

  it.each<Json>([null, 0, '', false, [], {}, { 'ключ 😀': ['\uFFFD'] }])('is kept: %j', value => {
    expect(checkJson(value, 'x')).toBe(value)
  })
})

describe('the value of a machine', () => {
  it('has U+FFFD for what cannot be stored', () => {
    expect(replaceUnstorable('a\u0000b\ud800')).toEqual({ text: 'a\uFFFDb\uFFFD', replaced: true })
    expect(replaceUnstorable('a😀')).toEqual({ text: 'a😀', replaced: false })
    expect(replaceUnstorableJson({ 'k\u0000': ['\udc00', 'ok', 1, null] })).toEqual({
      value: { 'k\uFFFD': ['\uFFFD', 'ok', 1, null] },
      replaced: true,
    })
  })

  it('is the same value where all can be stored', () => {
    const value = { a: ['\uFFFD'] }
    expect(replaceUnstorableJson(value).value).toBe(value)
    expect(replaceUnstorableJson(value).replaced).toBe(false)
  })

  it('loses no member whose key becomes like another', () => {
    const value = { 'a\u0000': 1, 'a\uFFFD': 2, 'a\ud800': 3, 'a\uFFFD (2)': 4, 'a\udc00': 5 }
    expect(replaceUnstorableJson(value).value).toEqual({
      'a\uFFFD': 2,
      'a\uFFFD (2)': 4,
      'a\uFFFD (3)': 1,
      'a\uFFFD (4)': 3,
      'a\uFFFD (5)': 5,
    })
  })

  it('keeps a key of __proto__', () => {
    const value = JSON.parse('{"__proto__": {"x": "\\u0000"}, "a": 1}')
    expect(JSON.stringify(replaceUnstorableJson(value).value)).toBe(
      '{"__proto__":{"x":"\uFFFD"},"a":1}',
    )
  })

  it('may nest deeper than the stack', () => {
    expect(replaceUnstorableJson(deep('\u0000')).replaced).toBe(true)
  })

  it('is otherwise as it was: the same shape in the same order, and can be stored', () => {
    fc.assert(
      fc.property(values, value => {
        const clean = replaceUnstorableJson(value)
        expect(clean.replaced).toBe(!isWhollyStorable(value))
        expect(isWhollyStorable(clean.value)).toBe(true)
        expect(shape(clean.value)).toEqual(shape(value))
      }),
    )
  })
})
