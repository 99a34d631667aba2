import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../src/schema.ts'
import { type Api, startApi } from '../support/api.ts'
import { post } from '../support/raw-transports.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const roots = [
  ['query', schema.getQueryType()],
  ['mutation', schema.getMutationType()],
  ['subscription', schema.getSubscriptionType()],
] as const

describe('somebody who has not signed in', () => {
  it.each(roots)('gets UNAUTHENTICATED from every field of a %s', async (keyword, type) => {
    const verdicts = await Promise.all(
      fieldsOf(type).map(async field => {
        const { code } = (await firstResult(`${keyword} { ${call(field)} }`)).errors[0].extensions
        return [field.name, code]
      }),
    )
    expect(verdicts).toEqual(fieldsOf(type).map(({ name }) => [name, 'UNAUTHENTICATED']))
    expect(verdicts).not.toEqual([])
  })
})

const fieldsOf = (type: GraphQLObjectType | null | undefined) =>
  Object.values(type?.getFields() ?? {})

/** What the first event of the answer tells; the rest of a stream is not waited for. */
async function firstResult(query: string) {
  const response = await post(api, { query }, { accept: 'text/event-stream' })
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const [, result] = /^event: next\ndata: (.*)\n\n/m.exec(text) ?? []
    if (result) return JSON.parse(result)
  }
  throw new Error(`no event in: ${text}`)
}

/** The field with whatever it requires, for an operation that validation lets through. */
function call(field: GraphQLField<unknown, unknown>): string {
  const args = field.args.filter(isRequiredArgument).map(withValue)
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }'
  return `${field.name}${args.length ? `(${args.join(', ')})` : ''}${selection}`
}

const withValue = ({ name, type }: Pick<GraphQLArgument, 'name' | 'type'>): string =>
  `${name}: ${anyValue(type)}`

function anyValue(required: GraphQLInputType): string {
  const type = getNullableType(required)
  if (isListType(type)) return '[]'
  if (isEnumType(type)) return type.getValues()[0]?.name ?? ''
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(isRequiredInputField)
    return `{ ${fields.map(withValue).join(', ')} }`
  }
  if (type.name === 'Int') return '1'
  return JSON.stringify(type.name === 'Hash' ? '0'.repeat(64) : 'x')
}
