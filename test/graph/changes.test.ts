import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import type { GraphFeedSubscription } from '../generated/graphql.ts'
import { type Api, startApi } from '../support/api.ts'
import { hold, untilWaiting } from '../support/held-transaction.ts'
import { type Watch, watch } from '../support/watch.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Feed = graphql(`
  subscription GraphFeed($after: Cursor) {
    graphChanges(after: $after) {
      __typename
      cursor
      ... on ConceptChange { conceptId name }
      ... on LinkChange { linkId fromId toId relationType }
    }
  }
`)
const FeedWithRows = graphql(`
  subscription GraphFeedWithRows($after: Cursor) {
    graphChanges(after: $after) {
      __typename
      ... on ConceptCreated { concept { name description } }
      ... on ConceptUpdated { name concept { name } }
      ... on LinkCreated { fromId link { from { name } to { name } } }
      ... on LinkMoved { link { from { name } to { name } } }
    }
  }
`)
const Create = graphql(`
  mutation ToldCreate($input: CreateConceptInput!) { createConcept(input: $input) { id } }
`)
const Update = graphql(`
  mutation ToldUpdate($id: ID!, $input: UpdateConceptInput!) {
    updateConcept(id: $id, input: $input) { name description }
  }
`)
const Delete = graphql(`mutation ToldDelete($id: ID!) { deleteConcept(id: $id) }`)
const Link = graphql(`
  mutation ToldLinks($links: [LinkInput!]!) { linkConcepts(links: $links) { id } }
`)
const Unlink = graphql(`mutation ToldUnlink($ids: [ID!]!) { unlinkConcepts(ids: $ids) }`)
const Merge = graphql(`
  mutation ToldMerge($into: ID!, $from: [ID!]!) { mergeConcepts(into: $into, from: $from) { id } }
`)
const Upsert = graphql(`
  mutation ToldUpsert($concepts: [ConceptUpsert!]!, $links: [LinkByName!]!) {
    upsertGraph(concepts: $concepts, links: $links) {
      concepts { id name } links { id } conceptsUpdated
    }
  }
`)

type Triple = [from: string, relationType: string, to: string]
type Told = GraphFeedSubscription['graphChanges']

/** Names of the concepts of a test by their ids, so that what is told can be read. */
const nameOf = new Map<string, string>()

async function graph(names: string[], triples: Triple[] = []) {
  const { upsertGraph } = await api.admin.run(Upsert, {
    concepts: names.map(name => ({ name, description: `about ${name}` })),
    links: triples.map(([from, relationType, to]) => ({ from, relationType, to })),
  })
  const ids = new Map(upsertGraph.concepts.map(({ name, id }) => [name, id]))
  for (const [name, id] of ids) nameOf.set(id, name)
  return { id: (name: string) => ids.get(name) ?? '', links: upsertGraph.links.map(({ id }) => id) }
}

function text(change: Told): string {
  if ('name' in change) return `${change.__typename} ${change.name}`
  const { __typename, fromId, relationType, toId } = change
  return `${__typename} ${nameOf.get(fromId)} ${relationType} ${nameOf.get(toId)}`
}

let ends = 0

/** What the work tells the feed, and no more than that. */
async function toldOf(work: () => Promise<unknown>): Promise<string[]> {
  const feed = await watch(api.admin, Feed, {})
  await work()
  return untilEnd(feed)
}

async function untilEnd(feed: Watch<GraphFeedSubscription>): Promise<string[]> {
  const end = `end ${++ends}`
  await api.admin.run(Create, { input: { name: end } })
  const told: string[] = []
  for (;;) {
    const { graphChanges } = await feed.next()
    if ('name' in graphChanges && graphChanges.name === end) return told
    told.push(text(graphChanges))
  }
}

describe('the feed of the graph', () => {
  it('tells of concepts that are created, changed and deleted', async () => {
    const { id } = await graph(['c1'])
    const told = await toldOf(async () => {
      const { createConcept } = await api.admin.run(Create, { input: { name: 'c2' } })
      await api.admin.run(Update, { id: id('c1'), input: { name: 'c1 renamed' } })
      await api.admin.run(Update, { id: id('c1'), input: { description: null } })
      await api.admin.run(Delete, { id: createConcept.id })
    })
    expect(told).toEqual([
      'ConceptCreated c2',
      'ConceptUpdated c1 renamed',
      'ConceptUpdated c1 renamed',
      'ConceptDeleted c2',
    ])
  })

  it('tells of links that are made and removed', async () => {
    const { id } = await graph(['l1', 'l2'])
    const told = await toldOf(async () => {
      const { linkConcepts } = await api.admin.run(Link, {
        links: [
          { from: id('l1'), to: id('l2'), relationType: 'knows' },
          { from: id('l2'), to: id('l2'), relationType: 'knows' },
        ],
      })
      await api.admin.run(Unlink, { ids: linkConcepts.map(link => link.id).reverse() })
    })
    expect(told).toEqual([
      'LinkCreated l1 knows l2',
      'LinkCreated l2 knows l2',
      'LinkDeleted l1 knows l2',
      'LinkDeleted l2 knows l2',
    ])
  })

  it('tells of what an upsert made and changed, and not of what was there', async () => {
    const { id } = await graph(['u1', 'u2', 'u3'], [['u1', 'knows', 'u2']])
    nameOf.set(id('u1'), 'u1')
    const told = await toldOf(() =>
      api.admin.run(Upsert, {
        concepts: [
          { name: 'u1' },
          { name: 'u2', description: 'about u2' },
          { name: 'u3', description: 'more about u3' },
          { name: 'u4', description: 'about u4' },
        ],
        links: [
          { from: 'u1', relationType: 'knows', to: 'u2' },
          { from: 'u1', relationType: 'knows', to: 'u3' },
        ],
      }),
    )
    expect(told).toEqual(['ConceptCreated u4', 'ConceptUpdated u3', 'LinkCreated u1 knows u3'])
  })

  it('tells nothing of a write that changes nothing', async () => {
    const { id } = await graph(['n1', 'n2'], [['n1', 'knows', 'n2']])
    const told = await toldOf(async () => {
      await graph(['n1', 'n2'], [['n1', 'knows', 'n2']])
      await api.admin.run(Update, { id: id('n1'), input: {} })
      const same = { name: ' n1 ', description: 'about n1' }
      expect(await api.admin.run(Update, { id: id('n1'), input: same })).toEqual({
        updateConcept: { name: 'n1', description: 'about n1' },
      })
      await api.admin.run(Link, {
        links: [{ from: id('n1'), to: id('n2'), relationType: 'knows' }],
      })
      await api.admin.run(Merge, { into: id('n1'), from: [] })
      await api.admin.run(Upsert, { concepts: [], links: [] })
      await api.admin.run(Unlink, { ids: [] })
    })
    expect(told).toEqual([])
  })

  it('tells nothing of a write that is refused', async () => {
    const { id, links } = await graph(['r1', 'r2'], [['r1', 'knows', 'r2']])
    const missing = Buffer.from('Link:999999').toString('base64')
    const told = await toldOf(async () => {
      await api.admin.refused(Unlink, { ids: [...links, missing] })
      await api.admin.refused(Update, { id: id('r1'), input: { name: 'r2', description: null } })
      await api.admin.refused(Upsert, {
        concepts: [{ name: 'r3' }],
        links: [{ from: 'r3', to: 'nowhere', relationType: 'knows' }],
      })
    })
    expect(told).toEqual([])
  })

  it('tells of the links that go with a concept before the concept goes', async () => {
    const { id } = await graph(
      ['d1', 'd2', 'd3'],
      [
        ['d1', 'knows', 'd2'],
        ['d3', 'knows', 'd1'],
        ['d1', 'is', 'd1'],
        ['d2', 'knows', 'd3'],
      ],
    )
    const told = await toldOf(() => api.admin.run(Delete, { id: id('d1') }))
    expect(told).toEqual([
      'LinkDeleted d1 is d1',
      'LinkDeleted d1 knows d2',
      'LinkDeleted d3 knows d1',
      'ConceptDeleted d1',
    ])
  })

  it('tells of a merge: doubles that go, links that move, concepts that go, and what is left', async () => {
    const { id } = await graph(
      ['m1', 'm2', 'm3', 'x'],
      [
        ['m1', 'knows', 'x'],
        ['m2', 'knows', 'x'],
        ['x', 'knows', 'm3'],
        ['m2', 'likes', 'm3'],
      ],
    )
    const told = await toldOf(() =>
      api.admin.run(Merge, { into: id('m1'), from: [id('m3'), id('m2')] }),
    )
    expect(told).toEqual([
      'LinkDeleted m2 knows x',
      'LinkMoved m1 likes m1',
      'LinkMoved x knows m1',
      'ConceptDeleted m2',
      'ConceptDeleted m3',
      'ConceptUpdated m1',
    ])
  })

  it('tells with which ends a link was removed that a merge had just moved', async () => {
    const { id, links } = await graph(['w1', 'w2', 'far'], [['w1', 'knows', 'far']])
    const told = await toldOf(async () => {
      const other = await hold(api.db.pool, `select from concepts where name = 'w2' for key share`)
      const merging = api.admin.run(Merge, { into: id('w2'), from: [id('w1')] })
      await untilWaiting(api.db.pool, 1)
      const unlinking = api.admin.run(Unlink, { ids: links })
      await other.rollback()
      await Promise.allSettled([merging, unlinking])
    })
    expect([
      [
        'LinkMoved w2 knows far',
        'ConceptDeleted w1',
        'ConceptUpdated w2',
        'LinkDeleted w2 knows far',
      ],
      ['LinkDeleted w1 knows far', 'ConceptDeleted w1', 'ConceptUpdated w2'],
    ]).toContainEqual(told)
  })

  it('tells once of a description that two write at once', async () => {
    await graph(['both'])
    const feed = await watch(api.admin, Feed, {})
    const other = await hold(
      api.db.pool,
      `update concepts set description = 'the same' where name = 'both'`,
    )
    const upserting = api.admin.run(Upsert, {
      concepts: [{ name: 'both', description: 'the same' }],
      links: [],
    })
    await untilWaiting(api.db.pool, 1)
    await other.commit()
    expect((await upserting).upsertGraph.conceptsUpdated).toBe(0)
    expect(await untilEnd(feed)).toEqual([])
  })
})

describe('a change', () => {
  it('says what was true then, and shows the thing as it is now', async () => {
    const { upsertGraph } = await api.admin.run(
      graphql(`
        mutation ToldStart {
          upsertGraph(concepts: [{ name: "as it was" }, { name: "other" }], links: []) {
            concepts { id }
          }
        }
      `),
    )
    const [one, other] = upsertGraph.concepts.map(({ id }) => id)
    const after = (await api.admin.run(Position)).concepts.changesCursor
    await api.admin.run(Update, { id: one ?? '', input: { name: 'in between' } })
    await api.admin.run(Update, { id: one ?? '', input: { name: 'as it is' } })
    await api.admin.run(Link, {
      links: [{ from: one ?? '', to: other ?? '', relationType: 'knows' }],
    })
    await api.admin.run(Merge, { into: other ?? '', from: [one ?? ''] })
    const feed = await watch(api.admin, FeedWithRows, { after })
    const now = { link: { from: { name: 'other' }, to: { name: 'other' } } }
    // What came right before the cursor may be told again.
    const told: unknown[] = []
    while (told.length < 4) {
      const { graphChanges } = await feed.next()
      if (graphChanges.__typename !== 'ConceptCreated') told.push(graphChanges)
    }
    expect(told).toEqual([
      { __typename: 'ConceptUpdated', name: 'in between', concept: null },
      { __typename: 'ConceptUpdated', name: 'as it is', concept: null },
      { __typename: 'LinkCreated', fromId: one, ...now },
      { __typename: 'LinkMoved', ...now },
    ])
  })

  it.each(['ws', 'sse'] as const)('over %s brings a description of 2 MB', async over => {
    const description = Array.from({ length: 125_000 }, (_, n) => `слово${n}`).join(' ')
    const feed = await watch(api.admin, FeedWithRows, {}, { over })
    const name = `long over ${over}`
    await api.admin.run(Create, { input: { name, description } })
    const { graphChanges } = await feed.next()
    expect('concept' in graphChanges && graphChanges.concept).toEqual({ name, description })
  })
})

const Position = graphql(`query ToldFrom { concepts(first: 0) { changesCursor } }`)

describe.each(['ws', 'sse'] as const)('over %s', over => {
  it('three thousand concepts that are upserted at once are three thousand changes', async () => {
    const feed = await watch(api.admin, Feed, {}, { over })
    const names = Array.from({ length: 3_000 }, (_, n) => `${over} ${String(n).padStart(4, '0')}`)
    await api.admin.run(Upsert, { concepts: names.map(name => ({ name })), links: [] })
    const told = (await feed.take(3_000)).map(event => text(event.graphChanges))
    expect(told).toEqual(names.map(name => `ConceptCreated ${name}`))
    expect(await untilEnd(feed)).toEqual([])
  })

  it('the feed goes on in the midst of what was written at once', async () => {
    const { concepts } = await api.admin.run(Position)
    const names = ['a', 'b', 'c', 'd'].map(letter => `${over} at once ${letter}`)
    await api.admin.run(Upsert, { concepts: names.map(name => ({ name })), links: [] })
    const feed = await watch(api.admin, Feed, { after: concepts.changesCursor }, { over })
    const [, second] = await feed.take(2)
    feed.cut()
    const rest = await watch(api.admin, Feed, { after: second?.graphChanges.cursor }, { over })
    expect(await untilEnd(rest)).toEqual(names.slice(2).map(name => `ConceptCreated ${name}`))
  })
})

describe('whoever reads and then follows from there', () => {
  const Read = graphql(`
    query ReadThenFollow($id: ID!) {
      concepts(first: 1) { changesCursor }
      concept(id: $id) { outgoing { changesCursor } neighbors { changesCursor } }
      neighborhood(conceptId: $id) { cursor }
    }
  `)

  it('misses nothing that was written in between, wherever the cursor came from', async () => {
    const { id } = await graph(['read'])
    const read = await api.admin.run(Read, { id: id('read') })
    const after = [
      read.concepts.changesCursor,
      read.concept?.outgoing.changesCursor,
      read.concept?.neighbors.changesCursor,
      read.neighborhood.cursor,
    ]
    await api.admin.run(Update, { id: id('read'), input: { description: 'in between' } })
    for (const cursor of after) {
      expect(cursor).toBeTypeOf('string')
      const feed = await watch(api.admin, Feed, { after: cursor })
      const told = await untilEnd(feed)
      expect(told.filter(one => one === 'ConceptUpdated read')).toHaveLength(1)
    }
  })
})

describe('a worker', () => {
  it('is told nothing of the graph', async () => {
    const worker = await api.signUp('feed-robot', { kind: 'WORKER' })
    const feed = await watch(worker, Feed, {})
    await api.admin.run(Create, { input: { name: 'hidden from workers' } })
    await api.admin.run(
      graphql(`
        mutation ToldDisable { updateUser(login: "feed-robot", input: { disabled: true }) { id } }
      `),
    )
    expect((await feed.refusal()).extensions.code).toBe('UNAUTHENTICATED')
  })
})
