import { afterAll, beforeAll, expect, it } from 'vitest'
import { readRelationTypes } from '../../src/graph/relation-types.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
let conceptId: string
beforeAll(async () => {
  api = await startApi()
  const links = ['is_a', 'part_of'].map(relationType => ({ from: 'a', to: 'b', relationType }))
  const { upsertGraph } = await api.admin.run(Upsert, { links })
  conceptId = upsertGraph.concepts[0]?.id ?? ''
})
afterAll(() => api.close())

const Upsert = graphql(`
  mutation TypedLinks($links: [LinkByName!]!) {
    upsertGraph(concepts: [{ name: "a" }, { name: "b" }], links: $links) { concepts { id } }
  }
`)

const Typed = graphql(`
  query Typed($id: ID!, $types: [String!]) {
    neighborhood(conceptId: $id, relationTypes: $types) { links { relationType } }
    path(from: $id, to: $id, relationTypes: $types) { length }
    concept(id: $id) {
      outgoing(relationTypes: $types) { totalCount }
      neighbors(relationTypes: $types) { totalCount }
    }
  }
`)

const TypedAround = graphql(`
  query TypedAround($id: ID!, $types: [String!]) {
    neighborhood(conceptId: $id, relationTypes: $types) { truncated }
  }
`)
const TypedPath = graphql(`
  query TypedPath($id: ID!, $types: [String!]) {
    path(from: $id, to: $id, relationTypes: $types) { length }
  }
`)
const TypedOutgoing = graphql(`
  query TypedOutgoing($id: ID!, $types: [String!]) {
    concept(id: $id) { outgoing(relationTypes: $types) { totalCount } }
  }
`)
const TypedIncoming = graphql(`
  query TypedIncoming($id: ID!, $types: [String!]) {
    concept(id: $id) { incoming(relationTypes: $types) { totalCount } }
  }
`)
const TypedNeighbors = graphql(`
  query TypedNeighbors($id: ID!, $types: [String!]) {
    concept(id: $id) { neighbors(relationTypes: $types) { totalCount } }
  }
`)

it('types given several times, in whatever spelling, count once', async () => {
  const types = ['is_a', ' is_a', 'is_a ', 'is_a']
  expect(readRelationTypes(types)).toEqual(['is_a'])
  expect(await api.admin.run(Typed, { id: conceptId, types })).toMatchObject({
    neighborhood: { links: [{ relationType: 'is_a' }] },
    concept: { outgoing: { totalCount: 1 }, neighbors: { totalCount: 1 } },
  })
})

it('a hundred types are taken, and more are refused wherever types are given', async () => {
  const types = Array.from({ length: 100 }, (_, index) => `type ${index}`)
  await api.admin.run(Typed, { id: conceptId, types })
  const asked = { id: conceptId, types: [...types, 'is_a'] }
  const refusals = [
    await api.admin.refused(TypedAround, asked),
    await api.admin.refused(TypedPath, asked),
    await api.admin.refused(TypedOutgoing, asked),
    await api.admin.refused(TypedIncoming, asked),
    await api.admin.refused(TypedNeighbors, asked),
  ]
  for (const { code, field } of refusals) {
    expect([code, field]).toEqual(['LIMIT_EXCEEDED', 'relationTypes'])
  }
})

it('a list that stands for many concepts is read once', () => {
  const types = ['is_a']
  expect(readRelationTypes(types)).toBe(readRelationTypes(types))
})

it('the item that is no relation type is named', async () => {
  expect(await api.admin.refused(Typed, { id: conceptId, types: ['is_a', ' '] })).toMatchObject({
    code: 'BAD_USER_INPUT',
    field: 'relationTypes.1',
  })
})
