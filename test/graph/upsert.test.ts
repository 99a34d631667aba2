import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())
beforeEach(() => api.db.pool.query('delete from concepts'))

const Upsert = graphql(`
  mutation Upsert($concepts: [ConceptUpsert!]!, $links: [LinkByName!]!) {
    upsertGraph(concepts: $concepts, links: $links) {
      conceptsCreated conceptsUpdated linksCreated
      concepts { name description }
      links { from { name } to { name } }
    }
  }
`)

const count = async () => {
  const { rows } = await api.db.pool.query(
    'select (select count(*)::int from concepts) as concepts, (select count(*)::int from links) as links',
  )
  return rows[0]
}

describe('writing a graph at once', () => {
  it('twice changes nothing the second time', async () => {
    const graph = {
      concepts: [
        { name: 'a', description: 'first' },
        { name: 'b ' },
        { name: 'a', description: 'last' },
      ],
      links: [
        { from: 'a', to: 'b', relationType: 'r' },
        { from: 'b', to: 'a', relationType: 'r' },
        { from: ' a', to: 'b', relationType: 'r' },
      ],
    }
    const first = (await api.admin.run(Upsert, graph)).upsertGraph
    expect(first).toMatchObject({ conceptsCreated: 2, conceptsUpdated: 0, linksCreated: 2 })
    expect(first.concepts).toEqual([
      { name: 'a', description: 'last' },
      { name: 'b', description: null },
      { name: 'a', description: 'last' },
    ])
    expect(first.links).toHaveLength(3)
    const second = (await api.admin.run(Upsert, graph)).upsertGraph
    expect(second).toMatchObject({ conceptsCreated: 0, conceptsUpdated: 0, linksCreated: 0 })
  })

  it('keeps a description that is left out and changes one that is given', async () => {
    await api.admin.run(Upsert, { concepts: [{ name: 'c', description: 'old' }], links: [] })
    const kept = await api.admin.run(Upsert, { concepts: [{ name: 'c' }], links: [] })
    expect(kept.upsertGraph).toMatchObject({
      conceptsUpdated: 0,
      concepts: [{ description: 'old' }],
    })
    const changed = await api.admin.run(Upsert, {
      concepts: [{ name: 'c', description: 'new' }],
      links: [],
    })
    expect(changed.upsertGraph).toMatchObject({
      conceptsUpdated: 1,
      concepts: [{ description: 'new' }],
    })
  })

  it('stores nothing when one link names a concept that is nowhere', async () => {
    await api.admin.run(Upsert, { concepts: [{ name: 'a' }], links: [] })
    const graph = {
      concepts: [{ name: 'd' }],
      links: [
        { from: 'd', to: 'a', relationType: 'r' },
        { from: 'd', to: 'nowhere', relationType: 'r' },
      ],
    }
    expect(await api.admin.refused(Upsert, graph)).toMatchObject({
      code: 'NOT_FOUND',
      field: 'links.1.to',
    })
    expect(await count()).toEqual({ concepts: 1, links: 0 })
  })

  it('names the item that is wrong', async () => {
    expect(
      await api.admin.refused(Upsert, { concepts: [{ name: 'ok' }, { name: '' }], links: [] }),
    ).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'concepts.1.name',
    })
  })

  it('takes 3,000 concepts with links', async () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `bulk ${index}`)
    const links = names
      .slice(1)
      .map((to, index) => ({ from: `bulk ${index}`, to, relationType: 'next' }))
    const { upsertGraph } = await api.admin.run(
      graphql(`
        mutation BulkUpsert($concepts: [ConceptUpsert!]!, $links: [LinkByName!]!) {
          upsertGraph(concepts: $concepts, links: $links) { conceptsCreated linksCreated }
        }
      `),
      { concepts: names.map(name => ({ name })), links },
    )
    expect(upsertGraph).toEqual({ conceptsCreated: 3_000, linksCreated: 2_999 })
  })

  it('by many at once, in opposite orders, makes everything once', async () => {
    const concepts = Array.from({ length: 50 }, (_, index) => ({
      name: `race ${index}`,
      description: `${index}`,
    }))
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        api.admin.run(Upsert, {
          concepts: index % 2 ? concepts : concepts.toReversed(),
          links: [],
        }),
      ),
    )
    const created = answers.reduce((sum, answer) => sum + answer.upsertGraph.conceptsCreated, 0)
    expect(created).toBe(50)
  })
})
