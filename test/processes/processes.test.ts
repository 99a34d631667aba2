import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { ProcessPageQueryVariables } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'

let api: Api
let seed: SeededRuns
let ann: Client

beforeAll(async () => {
  api = await startApi()
  seed = new SeededRuns(api)
  ann = await api.signUp('ann')
  await seed.process('b_draft', 'draft', 'Draft')
  await seed.process('a_search', 'active', 'Búsqueda 100%')
  await seed.process('d_paused', 'paused', 'Paused')
  const archived = await seed.process('c_archived', 'archived', 'Archived')
  await seed.run(archived, { by: 'ann' })
})
afterAll(() => api.close())

const Page = graphql(`
  query ProcessPage($first: Int, $after: String, $status: [ProcessStatus!], $search: String) {
    processes(first: $first, after: $after, status: $status, search: $search) {
      totalCount
      pageInfo { endCursor hasNextPage }
      edges { node { code } }
    }
  }
`)

const codes = async (client: Client, variables: ProcessPageQueryVariables = {}) => {
  const { edges, totalCount } = (await client.run(Page, variables)).processes
  expect(edges).toHaveLength(totalCount)
  return edges.map(({ node }) => node.code)
}

describe('the list of processes', () => {
  it('is all of them for administrators and workers, by their code', async () => {
    const all = ['a_search', 'b_draft', 'c_archived', 'd_paused']
    expect(await codes(api.admin)).toEqual(all)
    expect(await codes(await api.signUp('robot', { kind: 'WORKER' }))).toEqual(all)
  })

  it('is those that take runs, and those of one’s own runs, for others', async () => {
    expect(await codes(ann)).toEqual(['a_search', 'c_archived', 'd_paused'])
    expect(await codes(await api.signUp('bob'))).toEqual(['a_search', 'd_paused'])
    expect(await codes(await api.signUp('cid', { kind: 'AGENT' }))).toEqual([
      'a_search',
      'd_paused',
    ])
  })

  it.each<[ProcessPageQueryVariables, string[]]>([
    [{ status: ['DRAFT', 'PAUSED'] }, ['b_draft', 'd_paused']],
    [{ status: [] }, []],
    [{ search: 'busqueda' }, ['a_search']],
    [{ search: 'SEARCH' }, ['a_search']],
    [{ search: '0%' }, ['a_search']],
    [{ search: '_a' }, ['c_archived']],
    [{ search: ' ' }, ['a_search', 'b_draft', 'c_archived', 'd_paused']],
    [{ search: '\u0000' }, ['a_search', 'b_draft', 'c_archived', 'd_paused']],
    [{ search: 'pa', status: ['DRAFT'] }, []],
  ])('of %j has %j', async (variables, expected) => {
    expect(await codes(api.admin, variables)).toEqual(expected)
  })

  it('goes on behind a cursor', async () => {
    const { processes: first } = await api.admin.run(Page, { first: 3 })
    expect(first.pageInfo.hasNextPage).toBe(true)
    const { processes: next } = await api.admin.run(Page, { after: first.pageInfo.endCursor })
    expect(next.edges).toEqual([{ node: { code: 'd_paused' } }])
  })
})

describe('a process', () => {
  const One = graphql(`
    query OneProcess($id: ID, $code: String) {
      process(id: $id, code: $code) {
        id code name description promptTemplate defaultModel n8nWorkflowId n8nWebhookPath
        outputSchema autoRun status metadata createdAt
      }
    }
  `)

  it('is found by its id and by its code in any spelling', async () => {
    const { process } = await ann.run(One, { code: ' a_search ' })
    expect(process).toMatchObject({
      code: 'a_search',
      name: 'Búsqueda 100%',
      description: null,
      outputSchema: null,
      autoRun: false,
      status: 'ACTIVE',
      metadata: {},
    })
    expect(await ann.run(One, { id: process?.id })).toEqual({ process })
  })

  it('that cannot be is none', async () => {
    for (const code of ['x', '', '\u0000', 'b_draft']) {
      expect(await ann.run(One, { code })).toEqual({ process: null })
    }
    expect(await ann.run(One, { id: globalId.process('x') })).toEqual({ process: null })
  })

  it('is asked for by one of the two', async () => {
    for (const both of [{}, { id: globalId.process('x'), code: 'x' }]) {
      expect(await ann.refused(One, both)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'id' })
    }
  })
})
