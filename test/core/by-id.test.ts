import { afterAll, beforeAll, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  await api.admin.run(graphql(`mutation ByIdLlm { registerLlm(llmId: "m1", name: "m1") { id } }`))
})
afterAll(() => api.close())

const Two = graphql(`
  query GoodAndBadId($bad: String!) { good: llm(llmId: "m1") { name } bad: llm(llmId: $bad) { name } }
`)

it.each(['a\u0000', 'a\ud800', '\udc00'])(
  'an id %j that cannot be one names nothing and harms no other',
  async bad => {
    expect(await api.admin.run(Two, { bad })).toEqual({ good: { name: 'm1' }, bad: null })
  },
)
