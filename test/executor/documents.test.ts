import { parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import * as documents from '../../src/executor/documents.ts'
import { schema } from '../../src/schema.ts'

it.each(Object.entries(documents))('the API has what %s asks for', (_name, document) => {
  expect(validate(schema, parse(document))).toEqual([])
})
