import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.ts'
import { checkSchema, violation } from '../../src/processes/json-schema.ts'

const nested = (depth: number): Json => (depth === 0 ? {} : { not: nested(depth - 1) })

describe('a JSON Schema', () => {
  it.each<[string, Json]>([
    ['true', true],
    ['a type', { type: 'string' }],
    ['its dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['its parts', { $defs: { n: { type: 'integer' } }, items: { $ref: '#/$defs/n' } }],
    ['words that nobody knows', { unknown: 1, format: 'unknown' }],
  ])('may be %s', (_what, schema) => {
    expect(() => checkSchema(schema, 'schema')).not.toThrow()
  })

  it.each<[string, Json]>([
    ['a text', 'string'],
    ['a number', 5],
    ['null', null],
    ['a list', [{ type: 'string' }]],
    ['of an unknown type', { type: 'text' }],
    ['with a pattern that is none', { pattern: '(' }],
    ['of another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['that refers to another document', { $ref: 'https://example.com/schema' }],
    ['that refers to nothing', { $ref: '#/$defs/none' }],
    ['that answers later', { $async: true, type: 'string' }],
    ['that nests too deep', nested(5_000)],
    ['of more than 100 kB', { description: 'a'.repeat(100_000) }],
  ])('is refused when it is %s', (_what, schema) => {
    expect(() => checkSchema(schema, 'input.schema')).toThrow(
      expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'input.schema' }),
    )
  })

  it('may have the id of another one', () => {
    for (const type of ['string', 'integer']) {
      const schema = { $id: 'https://example.com/same', type }
      expect(() => checkSchema(schema, 'schema')).not.toThrow()
      expect(violation(schema, 1)).toBe(type === 'integer' ? null : '/ must be string')
    }
  })
})

describe('a value', () => {
  it('that does not meet the schema is told where and why', () => {
    const schema = { properties: { list: { items: { type: 'integer' } } }, required: ['name'] }
    expect(violation(schema, { list: [1, 'two'], name: '' })).toBe('/list/1 must be integer')
    expect(violation(schema, {})).toBe("/ must have required property 'name'")
    expect(violation(schema, { name: 1 })).toBeNull()
  })

  it('on which a pattern takes for ever is given up after a second', () => {
    const schema = { pattern: '^(a+)+$' }
    expect(violation(schema, `${'a'.repeat(50)}!`)).toMatch(/^it could not be checked/)
    expect(violation(schema, 'aaa')).toBeNull()
  })

  it('meets no schema that calls itself for ever', () => {
    expect(violation({ $ref: '#' }, 1)).toMatch(/^it could not be checked/)
  })
})
