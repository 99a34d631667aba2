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
  ])('may be %s', async (_what, schema) => {
    await expect(checkSchema(schema, 'schema')).resolves.toBeUndefined()
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
  ])('is refused when it is %s', async (_what, schema) => {
    await expect(checkSchema(schema, 'input.schema')).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.schema',
    })
  })

  it('may have the id of another one', async () => {
    for (const type of ['string', 'integer']) {
      const schema = { $id: 'https://example.com/same', type }
      await expect(checkSchema(schema, 'schema')).resolves.toBeUndefined()
      expect(await violation(schema, 1)).toBe(type === 'integer' ? null : '/ must be string')
    }
  })
})

describe('a value', () => {
  it('that does not meet the schema is told where and why', async () => {
    const schema = { properties: { list: { items: { type: 'integer' } } }, required: ['name'] }
    expect(await violation(schema, { list: [1, 'two'], name: '' })).toBe('/list/1 must be integer')
    expect(await violation(schema, {})).toBe("/ must have required property 'name'")
    expect(await violation(schema, { name: 1 })).toBeNull()
  })

  it('on which a pattern takes for ever is given up after a second', async () => {
    const schema = { pattern: '^(a+)+$' }
    expect(await violation(schema, `${'a'.repeat(50)}!`)).toMatch(/^it could not be checked/)
    expect(await violation(schema, 'aaa')).toBeNull()
  })

  it('meets no schema that calls itself for ever', async () => {
    expect(await violation({ $ref: '#' }, 1)).toMatch(/^it could not be checked/)
  })
})
