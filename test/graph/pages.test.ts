import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { ConceptPageQueryVariables } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Page = graphql(`
  query ConceptPage($first: Int, $after: String, $last: Int, $before: String, $orderBy: ConceptOrder, $search: String) {
    concepts(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, search: $search) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      edges { cursor node { id name } }
    }
  }
`)

const byName = { field: 'NAME', direction: 'ASC' } as const
const page = async (variables: ConceptPageQueryVariables) =>
  (await api.admin.run(Page, variables)).concepts
const names = (found: { edges: { node: { name: string } }[] }) =>
  found.edges.map(edge => edge.node.name)

/** Concepts made in one statement, and so all within one millisecond. */
const fill = (prefix: string, count: number) =>
  api.db.pool.query(
    `insert into concepts (name) select $1 || lpad(n::text, 6, '0') from generate_series(1, $2) n`,
    [prefix, count],
  )

beforeEach(async () => {
  await api.db.pool.query('delete from concepts')
  await fill('p', 9)
})

describe('a page', () => {
  it.each([
    [{ first: 0 }, { hasNextPage: true, hasPreviousPage: false }],
    [{ last: 0 }, { hasNextPage: false, hasPreviousPage: true }],
  ])('of %j is empty and tells the truth about what is around it', async (size, flags) => {
    const found = await page(size)
    expect(found.edges).toEqual([])
    expect(found.pageInfo).toMatchObject({ ...flags, startCursor: null, endCursor: null })
    expect(found.totalCount).toBe(9)
  })

  it.each([
    { first: -1 },
    { last: -1 },
    { first: 1_000_000 },
    { first: 101 },
    { first: 1, last: 1 },
  ])('of %j is refused', async size => {
    expect(await api.admin.refused(Page, size)).toMatchObject({ code: 'BAD_USER_INPUT' })
  })

  it('takes no cursor that is none, or of another order, or tampered with', async () => {
    const cursor = (await page({ first: 1, orderBy: byName })).pageInfo.endCursor ?? ''
    const tampered = Buffer.from(JSON.stringify(['concept name false', 'x', "1'; drop"])).toString(
      'base64url',
    )
    for (const after of [
      'nonsense',
      '',
      cursor,
      tampered,
      Buffer.from('[]').toString('base64url'),
    ]) {
      expect(await api.admin.refused(Page, { after })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'after',
      })
    }
  })

  it('is the same slice of the list from either end, whatever the order and the sizes', async () => {
    const order = fc.record({
      field: fc.constantFrom('NAME' as const, 'TIMESTAMP' as const),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
    })
    await fc.assert(
      fc.asyncProperty(order, fc.integer({ min: 1, max: 9 }), async (orderBy, size) => {
        const whole = names(await page({ first: 100, orderBy }))
        const forward: string[][] = []
        for (let after: string | null = null, more = true; more; ) {
          const found = await page({ first: size, after, orderBy })
          expect(found.pageInfo.hasPreviousPage).toBe(after !== null)
          forward.push(names(found))
          after = found.pageInfo.endCursor ?? null
          more = found.pageInfo.hasNextPage
        }
        expect(forward.flat()).toEqual(whole)
        const backward: string[][] = []
        for (let before: string | null = null, more = true; more; ) {
          const found = await page({ last: size, before, orderBy })
          expect(found.pageInfo.hasNextPage).toBe(before !== null)
          backward.unshift(names(found))
          before = found.pageInfo.startCursor ?? null
          more = found.pageInfo.hasPreviousPage
        }
        expect(backward.flat()).toEqual(whole)
      }),
      { numRuns: 12 },
    )
  })

  it('without a size is a page of twenty, and small even among 20,000 concepts', async () => {
    await fill('q', 20_000)
    const found = await page({})
    expect(found.edges).toHaveLength(20)
    expect(found.pageInfo.hasNextPage).toBe(true)
    expect(JSON.stringify(found).length).toBeLessThan(1_000_000)
  })
})
