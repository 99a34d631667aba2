import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { RunPageQueryVariables } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { globalId, SeededRuns } from '../support/seeded-runs.ts'

let api: Api
let seed: SeededRuns
let ann: Client
let chat: string

/** Nine runs by their `n`, which stands in their input: two of them of one millisecond. */
const times = [1, 2, 3, 4, 4, 5, 6, 7, 8]

beforeAll(async () => {
  api = await startApi()
  seed = new SeededRuns(api)
  ann = await api.signUp('ann')
  await api.signUp('bob')
  const [search, review] = [await seed.process('search'), await seed.process('review')]
  chat = await seed.chat('ann', 'talk')
  for (const [n, second] of times.entries()) {
    await seed.run(n % 3 === 0 ? review : search, {
      by: n % 2 === 0 ? 'ann' : 'bob',
      status: n < 4 ? 'succeeded' : n < 6 ? 'failed' : 'queued',
      at: `2026-01-01T00:00:0${second}Z`,
      // The later it was created, the earlier it ended.
      finished: 1_000 - 10 * n,
      chat: n === 2 ? chat : null,
      input: { n },
    })
  }
})
afterAll(() => api.close())

const Page = graphql(`
  query RunPage($first: Int, $after: String, $last: Int, $before: String, $filter: RunFilter, $orderBy: RunOrder) {
    runs(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
      totalCount
      changesCursor
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      edges { cursor node { id inputPayload } }
    }
  }
`)

const page = async (variables: RunPageQueryVariables, client = api.admin) =>
  (await client.run(Page, variables)).runs
const numbers = (found: Awaited<ReturnType<typeof page>>) =>
  found.edges.map(({ node }) => (node.inputPayload as { n: number }).n)

describe('a list of runs', () => {
  it('has the newest first', async () => {
    const found = numbers(await page({}))
    expect(found.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect([found.slice(0, 4), found.slice(6)]).toEqual([
      [8, 7, 6, 5],
      [2, 1, 0],
    ])
  })

  it('by its end has what has not ended as the latest', async () => {
    const orderBy = { field: 'FINISHED_AT', direction: 'DESC' } as const
    const found = numbers(await page({ orderBy }))
    expect(found.slice(0, 3).toSorted()).toEqual([6, 7, 8])
    expect(found.slice(3)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it.each<[string, RunPageQueryVariables['filter'], number[]]>([
    ['of a process', { processCodes: ['review'] }, [0, 3, 6]],
    ['of a process in another spelling', { processCodes: [' review '] }, [0, 3, 6]],
    ['of several processes', { processCodes: ['review', 'search'] }, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['of a process that is not there', { processCodes: ['x', '\u0000'] }, []],
    ['in a status', { status: ['FAILED', 'RUNNING'] }, [4, 5]],
    ['in no status', { status: [] }, []],
    ['of a requester', { requestedBy: 'bob' }, [1, 3, 5, 7]],
    ['of a requester who is not there', { requestedBy: 'eve' }, []],
    ['of as many processes as may be', { processCodes: Array(100).fill('x') }, []],
    ['of a login that cannot be', { requestedBy: '\u0000' }, []],
    [
      'of a time',
      { createdAfter: '2026-01-01T00:00:03Z', createdBefore: '2026-01-01T00:00:05Z' },
      [2, 3, 4],
    ],
    ['of all that at once', { status: ['QUEUED'], requestedBy: 'ann' }, [6, 8]],
    ['of nothing in particular', {}, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ])('can be that %s', async (_what, filter, expected) => {
    const found = await page({ filter })
    expect(numbers(found).toSorted()).toEqual(expected)
    expect(found.totalCount).toBe(expected.length)
  })

  it('can be that of a chat', async () => {
    expect(numbers(await page({ filter: { chatId: globalId.chat(chat) } }))).toEqual([2])
    expect(
      await api.admin.refused(Page, { filter: { chatId: globalId.process(chat) } }),
    ).toMatchObject({ code: 'BAD_USER_INPUT', field: 'filter.chatId' })
  })

  it('cannot name more than a hundred processes', async () => {
    const filter = { processCodes: Array(101).fill('search') }
    expect(await api.admin.refused(Page, { filter })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'filter.processCodes',
    })
  })

  it('is the same from either end, whatever the order, the filter and the sizes', async () => {
    const order = fc.record({
      field: fc.constantFrom('CREATED_AT' as const, 'FINISHED_AT' as const),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
    })
    const filters = fc.constantFrom<RunPageQueryVariables['filter']>(
      undefined,
      { requestedBy: 'ann' },
      { processCodes: ['search'] },
    )
    const sizes = fc.integer({ min: 1, max: 9 })
    await fc.assert(
      fc.asyncProperty(order, filters, sizes, async (orderBy, filter, size) => {
        const whole = numbers(await page({ first: 100, orderBy, filter }))
        const forward: number[][] = []
        for (let after: string | null = null, more = true; more; ) {
          const found = await page({ first: size, after, orderBy, filter })
          expect(found.pageInfo.hasPreviousPage).toBe(after !== null)
          forward.push(numbers(found))
          after = found.pageInfo.endCursor ?? null
          more = found.pageInfo.hasNextPage
        }
        expect(forward.flat()).toEqual(whole)
        const backward: number[][] = []
        for (let before: string | null = null, more = true; more; ) {
          const found = await page({ last: size, before, orderBy, filter })
          backward.unshift(numbers(found))
          before = found.pageInfo.startCursor ?? null
          more = found.pageInfo.hasPreviousPage
        }
        expect(backward.flat()).toEqual(whole)
      }),
      { numRuns: 10 },
    )
  })

  it('goes on behind a run that was deleted', async () => {
    const process = await seed.process('passing')
    const runs: string[] = []
    for (let n = 0; n < 5; n++) {
      const at = `2025-01-01T00:00:0${n}Z`
      runs.push(globalId.run(await seed.run(process, { by: 'ann', at })))
    }
    const filter = { processCodes: ['passing'] }
    const ids = (found: Awaited<ReturnType<typeof page>>) => found.edges.map(({ node }) => node.id)
    const first = await page({ first: 2, filter })
    await api.db.pool.query(`delete from process_runs where created_at = '2025-01-01T00:00:03Z'`)
    const second = await page({ first: 2, after: first.pageInfo.endCursor, filter })
    expect([...ids(first), ...ids(second)]).toEqual([runs[4], runs[3], runs[2], runs[1]])
    await api.db.pool.query('delete from process_runs where process_id = $1', [process])
  })

  it.each([{ first: -1 }, { last: -1 }, { first: 101 }, { first: 1, last: 1 }])(
    'is refused with %j',
    async size => {
      expect(await api.admin.refused(Page, size)).toMatchObject({ code: 'BAD_USER_INPUT' })
    },
  )

  it('of nothing is empty, with flags that tell the truth', async () => {
    const first = await page({ first: 0 })
    expect(first).toMatchObject({
      edges: [],
      totalCount: 9,
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    })
    expect((await page({ last: 0 })).pageInfo).toMatchObject({ hasPreviousPage: true })
  })

  it('takes no cursor of another order, and of another list', async () => {
    const { pageInfo } = await page({ first: 1 })
    const orderBy = { field: 'FINISHED_AT', direction: 'DESC' } as const
    for (const after of [pageInfo.endCursor, 'x', '']) {
      expect(await api.admin.refused(Page, { after, orderBy })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'after',
      })
    }
  })

  it('under a process and a chat is the same list, filtered by them', async () => {
    const found = await ann.run(
      graphql(`
        query RunsUnder($filter: RunFilter) {
          process(code: "search") {
            runs(filter: $filter) { totalCount edges { node { inputPayload } } }
            page: runs(first: 1) { pageInfo { hasNextPage } edges { node { inputPayload } } }
          }
          chats { totalCount edges { node { title owner { login } runs { totalCount edges { node { inputPayload } } } } } }
        }
      `),
      { filter: { status: ['SUCCEEDED'] } },
    )
    expect(found).toEqual({
      process: {
        runs: { totalCount: 1, edges: [{ node: { inputPayload: { n: 2 } } }] },
        page: { pageInfo: { hasNextPage: true }, edges: [{ node: { inputPayload: { n: 8 } } }] },
      },
      chats: {
        totalCount: 1,
        edges: [
          {
            node: {
              title: 'talk',
              owner: { login: 'ann' },
              runs: { totalCount: 1, edges: [{ node: { inputPayload: { n: 2 } } }] },
            },
          },
        ],
      },
    })
  })
})
