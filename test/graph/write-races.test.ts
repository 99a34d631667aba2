import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { hold, untilWaiting } from '../support/held-transaction.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Upsert = graphql(`
  mutation RacingUpsert($concepts: [ConceptUpsert!]!, $links: [LinkByName!]!) {
    upsertGraph(concepts: $concepts, links: $links) {
      conceptsCreated conceptsUpdated linksCreated
      concepts { id name description }
      links { id relationType from { name } to { name } }
    }
  }
`)
const LinkThem = graphql(`
  mutation RacingLinks($links: [LinkInput!]!) {
    linkConcepts(links: $links) { id relationType from { name } to { name } }
  }
`)
const Unlink = graphql(`mutation RacingUnlink($ids: [ID!]!) { unlinkConcepts(ids: $ids) }`)
const Merge = graphql(`
  mutation RacingMerge($into: ID!, $from: [ID!]!) {
    mergeConcepts(into: $into, from: $from) { name degree }
  }
`)
const Delete = graphql(`mutation RacingDelete($id: ID!) { deleteConcept(id: $id) }`)
const Rename = graphql(`
  mutation RacingRename($id: ID!, $name: String!) {
    updateConcept(id: $id, input: { name: $name }) { name }
  }
`)

type Triple = [from: string, relationType: string, to: string]

/** A graph of its own for a test, whose ids are known by name. */
async function graph(names: string[], triples: Triple[] = []) {
  const { upsertGraph } = await api.admin.run(Upsert, {
    concepts: names.map(name => ({ name })),
    links: triples.map(([from, relationType, to]) => ({ from, relationType, to })),
  })
  return {
    ids: Object.fromEntries(upsertGraph.concepts.map(({ name, id }) => [name, id])),
    links: upsertGraph.links.map(link => link.id),
  }
}

const idOf = (ids: Record<string, string>, name: string) => ids[name] ?? ''

const triplesAmong = async (names: string[]) => {
  const { rows } = await api.db.pool.query(
    `select f.name as a, l.relation_type as b, t.name as c from links l
      join concepts f on f.id = l.from_concept_id join concepts t on t.id = l.to_concept_id
      where f.name = any($1) or t.name = any($1) order by l.id`,
    [names],
  )
  return rows.map(row => [row.a, row.b, row.c])
}

describe('writing a graph at once', () => {
  const both = {
    concepts: [{ name: 'u there' }, { name: 'u new', description: 'ours' }],
    links: [{ from: 'u there', to: 'u new', relationType: 'r' }],
  }
  const complete = [{ name: 'u there' }, { name: 'u new', description: 'ours' }]

  /** Starts it and stops it after it has found what is there and before it makes what is not. */
  async function startUpsert() {
    await api.db.pool.query(`delete from concepts where name like 'u %'`)
    const { ids } = await graph(['u there'])
    const other = await hold(
      api.db.pool,
      `insert into concepts (name, description) values ('u new', 'theirs')`,
    )
    const upserting = api.admin.run(Upsert, both)
    await untilWaiting(api.db.pool, 1)
    return { id: idOf(ids, 'u there'), other, upserting }
  }

  it('answers every concept and link, though one is deleted while it goes on', async () => {
    const { id, other, upserting } = await startUpsert()
    const deleting = api.admin.run(Delete, { id })
    await untilWaiting(api.db.pool, 2)
    await other.rollback()
    expect((await upserting).upsertGraph).toMatchObject({
      concepts: complete,
      links: [{ from: { name: 'u there' }, to: { name: 'u new' } }],
      conceptsCreated: 1,
    })
    await deleting
    expect(await triplesAmong(['u there', 'u new'])).toEqual([])
  })

  it('answers every concept and link, though one is renamed while it goes on', async () => {
    const { id, other, upserting } = await startUpsert()
    const renaming = api.admin.run(Rename, { id, name: 'u moved' })
    await untilWaiting(api.db.pool, 2)
    await other.rollback()
    expect((await upserting).upsertGraph).toMatchObject({ concepts: complete, conceptsCreated: 1 })
    await renaming
    expect(await triplesAmong(['u moved'])).toEqual([['u moved', 'r', 'u new']])
  })

  it('brings up to date what somebody else made while it went on', async () => {
    const { other, upserting } = await startUpsert()
    await other.commit()
    expect((await upserting).upsertGraph).toMatchObject({
      concepts: complete,
      conceptsCreated: 0,
      conceptsUpdated: 1,
      linksCreated: 1,
    })
  })

  it('makes a concept anew that was merged away just before', async () => {
    const { ids } = await graph(['v kept', 'v gone'])
    const other = await hold(api.db.pool, `select from concepts where name = 'v kept' for update`)
    const merging = api.admin.run(Merge, {
      into: idOf(ids, 'v kept'),
      from: [idOf(ids, 'v gone')],
    })
    await untilWaiting(api.db.pool, 1)
    const upserting = api.admin.run(Upsert, {
      concepts: [{ name: 'v kept' }, { name: 'v gone' }],
      links: [{ from: 'v gone', to: 'v kept', relationType: 'r' }],
    })
    await untilWaiting(api.db.pool, 2)
    await other.rollback()
    await merging
    expect((await upserting).upsertGraph).toMatchObject({ conceptsCreated: 1, linksCreated: 1 })
    expect(await triplesAmong(['v gone'])).toEqual([['v gone', 'r', 'v kept']])
  })
})

describe('linking', () => {
  it('answers as many links as it was asked for, though one is removed while it goes on', async () => {
    const { ids, links } = await graph(['l1', 'l2'], [['l1', 'old', 'l2']])
    const [from, to] = [idOf(ids, 'l1'), idOf(ids, 'l2')]
    const other = await hold(
      api.db.pool,
      `insert into links (from_concept_id, relation_type, to_concept_id)
        select f.id, 'new', t.id from concepts f, concepts t where f.name = 'l1' and t.name = 'l2'`,
    )
    const linking = api.admin.run(LinkThem, {
      links: ['old', 'new', 'old'].map(relationType => ({ from, to, relationType })),
    })
    await untilWaiting(api.db.pool, 1)
    const unlinking = api.admin.run(Unlink, { ids: links })
    await untilWaiting(api.db.pool, 2)
    await other.commit()
    const { linkConcepts } = await linking
    expect(linkConcepts.map(link => link.relationType)).toEqual(['old', 'new', 'old'])
    await unlinking
    expect(await triplesAmong(['l1'])).toEqual([['l1', 'new', 'l2']])
  })

  it('makes a link anew that was removed just before', async () => {
    const { ids, links } = await graph(['l3', 'l4'], [['l3', 'r', 'l4']])
    const other = await hold(api.db.pool, `delete from links where relation_type = 'r'`)
    const linking = api.admin.run(LinkThem, {
      links: [{ from: idOf(ids, 'l3'), to: idOf(ids, 'l4'), relationType: 'r' }],
    })
    await untilWaiting(api.db.pool, 1)
    await other.commit()
    const { linkConcepts } = await linking
    expect(linkConcepts).toMatchObject([{ from: { name: 'l3' }, to: { name: 'l4' } }])
    expect(linkConcepts[0]?.id).not.toBe(links[0])
  })
})

describe('merging', () => {
  it('both ends of a link at once leaves one link where there were two', async () => {
    const { ids } = await graph(
      ['a', 'x', 'b', 'y'],
      [
        ['a', 'r', 'b'],
        ['x', 'r', 'y'],
      ],
    )
    const other = await hold(
      api.db.pool,
      `select from links l join concepts c on c.id = l.from_concept_id where c.name = 'a'
        for update of l`,
    )
    const first = api.admin.run(Merge, { into: idOf(ids, 'x'), from: [idOf(ids, 'a')] })
    await untilWaiting(api.db.pool, 1)
    const second = api.admin.run(Merge, { into: idOf(ids, 'y'), from: [idOf(ids, 'b')] })
    await untilWaiting(api.db.pool, 2)
    await other.rollback()
    await Promise.all([first, second])
    expect(await triplesAmong(['a', 'b', 'x', 'y'])).toEqual([['x', 'r', 'y']])
  })

  it('while the far end of a link is deleted takes the link away', async () => {
    const { ids } = await graph(
      ['m1', 'm2', 'far'],
      [
        ['m1', 'r', 'far'],
        ['m1', 's', 'm2'],
      ],
    )
    const other = await hold(
      api.db.pool,
      `select from links l join concepts c on c.id = l.to_concept_id where c.name = 'far'
        for update of l`,
    )
    const merging = api.admin.run(Merge, { into: idOf(ids, 'm2'), from: [idOf(ids, 'm1')] })
    await untilWaiting(api.db.pool, 1)
    const deleting = api.admin.run(Delete, { id: idOf(ids, 'far') })
    await untilWaiting(api.db.pool, 2)
    await other.rollback()
    await Promise.all([merging, deleting])
    expect(await triplesAmong(['m1', 'm2', 'far'])).toEqual([['m2', 's', 'm2']])
  })
})

describe('deleting', () => {
  it('two concepts that link to each other at once deletes both', async () => {
    const { ids } = await graph(
      ['d1', 'd2'],
      [
        ['d1', 'r', 'd2'],
        ['d2', 'r', 'd1'],
      ],
    )
    const other = await hold(
      api.db.pool,
      `select from links l join concepts c on c.id = l.from_concept_id where c.name = 'd1'
        for update of l`,
    )
    const first = api.admin.run(Delete, { id: idOf(ids, 'd1') })
    await untilWaiting(api.db.pool, 1)
    const second = api.admin.run(Delete, { id: idOf(ids, 'd2') })
    await untilWaiting(api.db.pool, 2)
    await other.rollback()
    await Promise.all([first, second])
    expect(await triplesAmong(['d1', 'd2'])).toEqual([])
  })
})

describe('renaming', () => {
  it('two concepts to each other’s names at once is refused to both', async () => {
    const { ids } = await graph(['n1', 'n2'])
    const refused = await Promise.all([
      api.admin.refused(Rename, { id: idOf(ids, 'n1'), name: 'n2' }),
      api.admin.refused(Rename, { id: idOf(ids, 'n2'), name: 'n1' }),
    ])
    expect(refused.map(({ code }) => code)).toEqual(['CONFLICT', 'CONFLICT'])
  })
})
