import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeGlobalId } from '../../src/core/ids.ts'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { watch } from '../support/watch.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Around = graphql(`
  subscription FeedAround($around: ID!, $depth: Int, $after: Cursor) {
    graphChanges(around: $around, depth: $depth, after: $after) {
      __typename
      cursor
      ... on ConceptChange { name }
      ... on LinkChange { relationType }
    }
  }
`)
const AroundByDefault = graphql(`
  subscription FeedAroundByDefault($around: ID!) {
    graphChanges(around: $around) { __typename ... on ConceptChange { name } }
  }
`)
const Describe = graphql(`
  mutation AroundDescribe($id: ID!, $description: String!) {
    updateConcept(id: $id, input: { description: $description }) { id }
  }
`)
const Delete = graphql(`mutation AroundDelete($id: ID!) { deleteConcept(id: $id) }`)
const Unlink = graphql(`mutation AroundUnlink($ids: [ID!]!) { unlinkConcepts(ids: $ids) }`)
const Merge = graphql(`
  mutation AroundMerge($into: ID!, $from: [ID!]!) { mergeConcepts(into: $into, from: $from) { id } }
`)
const Upsert = graphql(`
  mutation AroundUpsert($concepts: [ConceptUpsert!]!, $links: [LinkByName!]!) {
    upsertGraph(concepts: $concepts, links: $links) { concepts { id name } links { id relationType } }
  }
`)

type Triple = [from: string, relationType: string, to: string]

const upsert = (names: string[], triples: Triple[]) =>
  api.admin.run(Upsert, {
    concepts: names.map(name => ({ name })),
    links: triples.map(([from, relationType, to]) => ({ from, relationType, to })),
  })

/** A chain of concepts, each linked with the next, whichever way: `p0` → `p1` ← `p2` → … */
async function chain(prefix: string, length: number) {
  const names = Array.from({ length }, (_, n) => `${prefix}${n}`)
  const { upsertGraph } = await upsert(
    names,
    names.slice(1).map((name, n): Triple => {
      const previous = `${prefix}${n}`
      return n % 2 === 0 ? [previous, `r${n}`, name] : [name, `r${n}`, previous]
    }),
  )
  const concepts = new Map(upsertGraph.concepts.map(({ name, id }) => [name, id]))
  const links = new Map(upsertGraph.links.map(({ relationType, id }) => [relationType, id]))
  return {
    id: (n: number) => concepts.get(`${prefix}${n}`) ?? '',
    link: (n: number) => links.get(`r${n}`) ?? '',
    describe: (n: number) =>
      api.admin.run(Describe, {
        id: concepts.get(`${prefix}${n}`) ?? '',
        description: `${++count}`,
      }),
  }
}

let count = 0

async function follow(around: string, depth: number, over: 'ws' | 'sse' = 'ws') {
  const feed = await watch(api.admin, Around, { around, depth }, { over })
  return {
    async told(events: number) {
      return (await feed.take(events)).map(({ graphChanges: change }) =>
        'name' in change
          ? `${change.__typename} ${change.name}`
          : `${change.__typename} ${change.relationType}`,
      )
    },
  }
}

describe('the feed around a concept', () => {
  it.each(['ws', 'sse'] as const)(
    'over %s tells of concepts so many links away, either way',
    async over => {
      const { id, describe } = await chain(`${over} a`, 5)
      const feed = await follow(id(1), 2, over)
      for (const n of [4, 3, 2, 1, 0]) await describe(n)
      const names = [3, 2, 1, 0].map(n => `ConceptUpdated ${over} a${n}`)
      expect(await feed.told(4)).toEqual(names)
    },
  )

  it('is one link wide where nothing else is said, and can be of the concept alone', async () => {
    const { id, describe } = await chain('b', 4)
    const usual = await watch(api.admin, AroundByDefault, { around: id(0) })
    const alone = await follow(id(0), 0)
    for (const n of [2, 1, 0]) await describe(n)
    expect((await usual.take(2)).map(event => event.graphChanges)).toEqual([
      { __typename: 'ConceptUpdated', name: 'b1' },
      { __typename: 'ConceptUpdated', name: 'b0' },
    ])
    expect(await alone.told(1)).toEqual(['ConceptUpdated b0'])
  })

  it('tells of links that are made and removed between what is within', async () => {
    const { id, link, describe } = await chain('c', 5)
    const feed = await follow(id(0), 2)
    await upsert(
      ['c new'],
      [
        ['c1', 'inward', 'c new'],
        ['c3', 'outside', 'c4'],
        ['c3', 'across', 'c2'],
      ],
    )
    await api.admin.run(Unlink, { ids: [link(3)] })
    await api.admin.run(Unlink, { ids: [link(1)] })
    await describe(2)
    await describe(0)
    expect(await feed.told(4)).toEqual([
      'ConceptCreated c new',
      'LinkCreated inward',
      'LinkDeleted r1',
      'ConceptUpdated c0',
    ])
  })

  it('tells of a concept within that is deleted, with the links that were within', async () => {
    const { id } = await chain('d', 5)
    const feed = await follow(id(0), 2)
    await api.admin.run(Delete, { id: id(4) })
    await api.admin.run(Delete, { id: id(2) })
    expect(await feed.told(2)).toEqual(['LinkDeleted r1', 'ConceptDeleted d2'])
  })

  it('tells of a merge that takes a concept away, or brings a link near', async () => {
    const { id } = await chain('e', 3)
    await upsert(['e far', 'e farther'], [['e far', 'to farther', 'e farther']])
    const far = (await upsert(['e far'], [])).upsertGraph.concepts[0]?.id ?? ''
    const feed = await follow(id(0), 2)
    await api.admin.run(Merge, { into: id(1), from: [far] })
    expect(await feed.told(1)).toEqual(['LinkMoved to farther'])
    await api.admin.run(Merge, { into: id(1), from: [id(2)] })
    expect(await feed.told(2)).toEqual(['LinkMoved r1', 'ConceptDeleted e2'])
  })

  it('ends in what it tells, and stays open, when the concept itself is merged away', async () => {
    const { id, describe } = await chain('f', 3)
    const feed = await watch(api.admin, Around, { around: id(0), depth: 2 })
    await api.admin.run(Merge, { into: id(2), from: [id(0)] })
    await describe(1)
    await describe(2)
    const told = (await feed.take(2)).map(event => event.graphChanges)
    expect(told).toMatchObject([
      { __typename: 'LinkMoved', relationType: 'r0' },
      { __typename: 'ConceptDeleted', name: 'f0' },
    ])
    const next = feed.next().then(
      () => 'more',
      () => 'cut',
    )
    const sentinel = await chain('f again ', 1)
    const other = await follow(sentinel.id(0), 0)
    await sentinel.describe(0)
    expect(await other.told(1)).toEqual(['ConceptUpdated f again 0'])
    feed.cut()
    expect(await next).toBe('cut')
  })

  it('goes on behind the cursor of an event', async () => {
    const { id, describe } = await chain('g', 3)
    const feed = await watch(api.admin, Around, { around: id(0), depth: 1 })
    for (const n of [0, 2, 1, 2, 0]) await describe(n)
    const [first] = await feed.take(3)
    const rest = await watch(api.admin, Around, {
      around: id(0),
      depth: 1,
      after: first?.graphChanges.cursor,
    })
    expect((await rest.take(2)).map(event => event.graphChanges)).toMatchObject([
      { name: 'g1' },
      { name: 'g0' },
    ])
  })
})

describe('to follow around a concept', () => {
  const refusal = async (around: string, depth: number, client = api.admin) =>
    (await (await watch(client, Around, { around, depth })).refusal()).extensions

  it('that is not there, or that the viewer may not see, is refused', async () => {
    const { id } = await chain('h', 1)
    const missing = { code: 'NOT_FOUND', field: 'around' }
    expect(await refusal(writeGlobalId('Concept', 999_999), 1)).toMatchObject(missing)
    expect(await refusal(writeGlobalId('Concept', '9'.repeat(30)), 1)).toMatchObject(missing)
    const worker = await api.signUp('around-robot', { kind: 'WORKER' })
    expect(await refusal(id(0), 1, worker)).toMatchObject(missing)
  })

  it.each([-1, 7])('with a depth of %i is refused', async depth => {
    const { id } = await chain(`i${depth}`, 1)
    expect(await refusal(id(0), depth)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'depth' })
  })

  it('by what is no id of a concept is refused', async () => {
    const wrong = { code: 'BAD_USER_INPUT', field: 'around' }
    expect(await refusal('nonsense', 1)).toMatchObject(wrong)
    expect(await refusal(writeGlobalId('Link', 1), 1)).toMatchObject(wrong)
  })
})
