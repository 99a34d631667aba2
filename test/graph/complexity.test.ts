import { parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { readEnv } from '../../src/core/env.ts'
import type { DomainError } from '../../src/core/errors.ts'
import { schema } from '../../src/schema.ts'
import { OperationCheck } from '../../src/server/operation-check.ts'

const check = new OperationCheck(schema, readEnv({}))
const context = { viewer: null } as Context

/** OK, or the code under which a server with the default limits refuses the operation. */
function verdict(query: string, variables: Record<string, unknown> = {}): string {
  const language = { parse, validate: () => validate(schema, parse(query)) }
  try {
    check.check({ query, variables }, language, context)
    return 'OK'
  } catch (error) {
    return (error as DomainError).code
  }
}

const times = (count: number, field: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `f${index}: ${field(index)}`).join(' ')

const list = (length: number, item: object) => Array.from({ length }, () => item)

const page = `concepts(first: 100) {
  totalCount
  edges {
    node {
      id
      name
      outgoing(first: 10) {
        totalCount
        edges { node { relationType to { id name } } }
      }
    }
  }
}`

const around = (maxNodes: number, fields: string) =>
  `neighborhood(conceptId: "x", maxNodes: ${maxNodes}) { ${fields} }`

const wholeSubgraph = `
  concepts { __typename distance concept { __typename id name } }
  links { __typename id relationType from { __typename id } to { __typename id } }
  truncated`

const upsert = (
  fields: string,
) => `mutation ($concepts: [ConceptUpsert!]!, $links: [LinkByName!]!) {
  upsertGraph(concepts: $concepts, links: $links) { linksCreated ${fields} }
}`
const upserted = {
  concepts: list(5_000, { name: 'a' }),
  links: list(20_000, { from: 'a', to: 'a', relationType: 'is_a' }),
}

const linking = (fields: string) =>
  `mutation ($links: [LinkInput!]!) { linkConcepts(links: $links) { ${fields} } }`
const linked = { links: list(1_000, { from: 'x', to: 'x', relationType: 'is_a' }) }

const nodes = (field: string) =>
  `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Concept { ${field} } } }`
const ids = (length: number) => ({ ids: Array(length).fill('x') })

describe('an operation is taken', () => {
  test.each<[string, string, Record<string, unknown>?]>([
    ['for a large page with its counts and links', `{ ${page} }`],
    [
      'for the counts under a page, which is no page of counts',
      '{ concepts(first: 100) { edges { node { outgoing { totalCount } incoming { totalCount } } } } }',
    ],
    ['for the count under a few nodes', nodes('outgoing { totalCount }'), ids(2)],
    ['for the usual neighbourhood, whole', `{ ${around(200, wholeSubgraph)} }`],
    ['for the largest neighbourhood, whole', `{ ${around(1_000, wholeSubgraph)} }`],
    ['for several paths', `{ ${times(5, () => 'path(from: "x", to: "x") { length }')} }`],
    [
      'for a search with its count',
      '{ concepts(search: "a") { totalCount edges { node { id } } } }',
    ],
    ['for the largest upsert', upsert('concepts { id }'), upserted],
    ['for many links made at once', linking('id from { id } to { id }'), linked],
  ])('%s', (_what, query, variables) => {
    expect(verdict(query, variables)).toBe('OK')
  })
})

describe('an operation is refused', () => {
  test.each<[string, string, Record<string, unknown>?]>([
    ['for ten large pages with their counts and links', `{ ${times(10, () => page)} }`],
    [
      'for pages below pages below many nodes',
      nodes('neighbors { edges { node { outgoing { edges { cursor } } } } }'),
      ids(100),
    ],
    [
      'for pages below links made',
      linking('from { outgoing(first: 20) { edges { node { id } } } }'),
      linked,
    ],
    [
      'for pages below links upserted',
      upsert('links { to { outgoing { edges { node { id } } } } }'),
      upserted,
    ],
    [
      'for pages below the links of a neighbourhood',
      `{ ${around(120, 'links { from { outgoing(first: 20) { edges { node { id } } } } }')} }`,
    ],
    ['for many neighbourhoods', `{ ${times(20, () => around(200, 'truncated'))} }`],
    ['for many paths', `{ ${times(10, () => 'path(from: "x", to: "x") { length }')} }`],
    [
      'for many searches',
      `{ ${times(12, at => `concepts(search: "a${at}", first: 0) { edges { cursor } }`)} }`,
    ],
    [
      'for many counts of a search',
      `{ concepts(search: "a", first: 0) { ${times(12, () => 'totalCount')} } }`,
    ],
    [
      'for many relation types below a large page',
      `query ($types: [String!]) {
        concepts(first: 100) { edges { node { neighbors(first: 50, relationTypes: $types) {
          edges { node { incoming(first: 1, relationTypes: $types) { pageInfo { hasNextPage } } } }
        } } } }
      }`,
      { types: Array.from({ length: 100 }, (_, at) => `t${at}`) },
    ],
    [
      'for a page that two fragments take apart',
      `{ concepts(first: 100) { ...A } } fragment A on ConceptConnection { ...B }
        fragment B on ConceptConnection { edges { node { outgoing(first: 100) { ...C } } } }
        fragment C on LinkConnection { edges { node { to { name } } } }`,
    ],
  ])('%s', (_what, query, variables) => {
    expect(verdict(query, variables)).toBe('LIMIT_EXCEEDED')
  })
})

test('fragments count by the arguments of the field that they are spread in', () => {
  const rows =
    'fragment Rows on ConceptConnection { edges { node { neighbors(first: 100) { edges { node { name } } } } } }'
  const small = 'a: concepts(first: 1) { ...Rows }'
  expect(verdict(`{ ${small} } ${rows}`)).toBe('OK')
  expect(verdict(`{ ${small} b: concepts(first: 100) { ...Rows } } ${rows}`)).toBe('LIMIT_EXCEEDED')
})
