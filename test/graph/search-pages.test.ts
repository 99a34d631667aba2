import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { SearchPageQueryVariables } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

// Words that all rows have, that many have, and that few have, in names and in descriptions.
beforeEach(async () => {
  await api.db.pool.query('delete from concepts')
  await api.db.pool.query(`
    insert into concepts (name, description) select
      case when n % 3 = 0 then 'agent ' else '' end || case when n % 7 = 0 then 'the note ' else 'x' end || n
        || case when n % 5 = 0 then ' notebook' else '' end,
      'concept ' || case when n <= 40 then 'agents ' else '' end || case when n % 50 = 0 then 'rare' else 'b' end
    from generate_series(1, 300) n`)
})

const Page = graphql(`
  query SearchPage($search: String!, $first: Int, $after: String, $last: Int, $before: String, $orderBy: ConceptOrder) {
    concepts(search: $search, first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      edges { cursor node { name } }
    }
  }
`)
const page = async (variables: SearchPageQueryVariables) =>
  (await api.admin.run(Page, variables)).concepts
const names = (found: { edges: { node: { name: string } }[] }) =>
  found.edges.map(edge => edge.node.name)

/** All that a search finds, read in pages of this size from one end. */
async function walk(variables: SearchPageQueryVariables, size: number, backward = false) {
  const seen: string[] = []
  for (let cursor: string | null = null, more = true; more; ) {
    const bounds = backward ? { last: size, before: cursor } : { first: size, after: cursor }
    const found = await page({ ...variables, ...bounds })
    const { pageInfo } = found
    expect(backward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage).toBe(cursor !== null)
    if (backward) seen.unshift(...names(found))
    else seen.push(...names(found))
    cursor = (backward ? pageInfo.startCursor : pageInfo.endCursor) ?? null
    more = backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage
  }
  return seen
}

const searches = ['agent', 'note', 'concept', 'rare', 'x', '-agents', 'agent -rare', '"the note"']
const orders = [null, { field: 'NAME' as const }, { field: 'TIMESTAMP' as const }]

describe('a search', () => {
  it.each(searches)('for %j is one list, whatever the pages it is read in', async search => {
    for (const orderBy of orders) {
      const whole = await walk({ search, orderBy }, 100)
      expect(new Set(whole).size).toBe(whole.length)
      expect((await page({ search, orderBy, first: 0 })).totalCount).toBe(whole.length)
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 20, max: 99 }), fc.boolean(), async (size, backward) => {
          expect(await walk({ search, orderBy }, size, backward)).toEqual(whole)
        }),
        { numRuns: 2 },
      )
    }
  })

  it('finds the same rows in every order', async () => {
    for (const search of searches) {
      const lists = await Promise.all(orders.map(orderBy => walk({ search, orderBy }, 100)))
      const [first, ...others] = lists.map(list => list.toSorted())
      for (const other of others) expect(other).toEqual(first)
    }
  })

  it('reads small pages across the lists that it is made of', async () => {
    await api.db.pool.query(`delete from concepts where id % 12 <> 0`)
    const whole = await walk({ search: 'note' }, 100)
    for (const size of [1, 2, 3]) {
      expect(await walk({ search: 'note' }, size)).toEqual(whole)
      expect(await walk({ search: 'note' }, size, true)).toEqual(whole)
    }
  })

  it('goes on behind a row that was deleted', async () => {
    const whole = await walk({ search: 'agent' }, 100)
    const first = await page({ search: 'agent', first: 50 })
    await api.db.pool.query('delete from concepts where name = any($1)', [whole.slice(45, 52)])
    const after = first.pageInfo.endCursor ?? null
    expect(names(await page({ search: 'agent', first: 3, after }))).toEqual(whole.slice(52, 55))
  })

  it('between two cursors is what stands between them', async () => {
    const whole = await page({ search: 'note', first: 100 })
    const [after, before] = [whole.edges[3]?.cursor ?? '', whole.edges[90]?.cursor ?? '']
    expect(names(await page({ search: 'note', first: 100, after, before }))).toEqual(
      names(whole).slice(4, 90),
    )
    expect(names(await page({ search: 'note', first: 100, after: before, before: after }))).toEqual(
      [],
    )
  })

  it('takes a forged cursor for a place or for none, and never fails over it', async () => {
    const names = ['beginning', 'words', 'part', 'text', 'alike 0', 'alike 999999999999999999', 'x']
    const key = fc.array(fc.constantFrom('0', '1', '0.5', '1e-400', 'note', '%', '\0'), {
      maxLength: 3,
    })
    const forged = fc.record({
      search: fc.constantFrom('note', 'notebok', '"a b" or -c', '%'),
      parts: fc.tuple(fc.constantFrom(...names), key),
      side: fc.constantFrom('after', 'before'),
    })
    await fc.assert(
      fc.asyncProperty(forged, async ({ search, parts: [name, rest], side }) => {
        const cursor = Buffer.from(JSON.stringify([`concept ${name}`, ...rest])).toString(
          'base64url',
        )
        expect([null, 'BAD_USER_INPUT']).toContain(
          await api.admin.verdict(Page, { search, [side]: cursor }),
        )
      }),
      { numRuns: 200 },
    )
  })

  it('counts no further than ten thousand', async () => {
    await api.db.pool.query(
      `insert into concepts (name) select 'counted ' || n from generate_series(1, 10050) n`,
    )
    expect((await page({ search: 'counted', first: 1 })).totalCount).toBe(10_000)
    expect((await page({ search: 'counted 10050', first: 1 })).totalCount).toBe(1)
  })
})

describe('names that look alike', () => {
  it('are found where nothing else is, the likest first', async () => {
    await api.db.pool.query(
      `insert into concepts (name) values ('Kubernetes cluster'), ('Cubernetes'), ('Kubernets')`,
    )
    const found = await page({ search: 'kubernettes' })
    expect(names(found)).toEqual(['Kubernetes cluster', 'Kubernets', 'Cubernetes'])
    expect(found.totalCount).toBe(3)
    expect(await walk({ search: 'kubernettes' }, 1)).toEqual(names(found))
    expect(await walk({ search: 'kubernettes' }, 1, true)).toEqual(names(found))
  })

  it('stay the list they were when the name itself is made meanwhile', async () => {
    const first = await page({ search: 'notebok', first: 5 })
    await api.db.pool.query(`insert into concepts (name) values ('notebok')`)
    const after = first.pageInfo.endCursor ?? null
    const rest = await page({ search: 'notebok', first: 100, after })
    expect(new Set([...names(first), ...names(rest)]).size).toBe(first.totalCount)
    expect(rest.totalCount).toBe(first.totalCount + 1)
    expect(names(await page({ search: 'notebok' }))).toEqual(['notebok'])
  })

  it('are never more than the newest two hundred', async () => {
    await api.db.pool.query(
      `insert into concepts (name) select 'frequent ' || n from generate_series(1, 500) n`,
    )
    const found = await page({ search: 'freqent' })
    expect(found.totalCount).toBe(200)
    expect(await walk({ search: 'freqent' }, 50)).toHaveLength(200)
  })
})
