import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Create = graphql(`
  mutation CreateConcept($name: String!, $description: String) {
    createConcept(input: { name: $name, description: $description }) { id name description llm { llmId } }
  }
`)
const ByName = graphql(
  `query ConceptByName($name: String!) { concept(name: $name) { id name description } }`,
)
const ById = graphql(
  `query ConceptById($id: ID!) { concept(id: $id) { id name } node(id: $id) { id } }`,
)
const Update = graphql(`
  mutation UpdateConcept($id: ID!, $input: UpdateConceptInput!) {
    updateConcept(id: $id, input: $input) { id name description }
  }
`)
const Delete = graphql(`mutation DeleteConcept($id: ID!) { deleteConcept(id: $id) }`)

const create = async (name: string, description?: string) =>
  (await api.admin.run(Create, { name, description: description ?? null })).createConcept

describe('a concept', () => {
  it('is one in all spellings that look the same, and found by each that is accepted', async () => {
    const { id } = await create('Agent')
    for (const spelling of ['Agent', 'Agent ', 'Agent\u00a0', ' Agent']) {
      expect((await api.admin.run(ByName, { name: spelling })).concept?.id).toBe(id)
      expect(await api.admin.refused(Create, { name: spelling })).toMatchObject({
        code: 'CONFLICT',
        field: 'input.name',
      })
    }
    expect(await api.admin.refused(Create, { name: 'Agent\u200b' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.name',
    })
    expect((await api.admin.run(ByName, { name: 'Agent\u200b' })).concept).toBeNull()
  })

  it('is told from another by the case of its letters', async () => {
    await create('case')
    expect((await create('Case')).name).toBe('Case')
  })

  it('created by twenty at once on two servers is created once, and nineteen are told of the conflict', async () => {
    const servers = [api.admin, await api.sibling()]
    const verdicts = await Promise.all(
      Array.from({ length: 10 }, () =>
        servers.map(server => server.verdict(Create, { name: 'DGIA' })),
      ).flat(),
    )
    expect(verdicts.toSorted()).toEqual([...Array(19).fill('CONFLICT'), null])
  })

  it('written by an agent names its LLM, written by a person none', async () => {
    const agent = await api.signUp('writer', { kind: 'AGENT' })
    const written = await agent.run(Create, { name: 'by an agent' })
    expect(written.createConcept.llm?.llmId).toBe('writer-llm')
    expect((await create('by a person')).llm).toBeNull()
  })

  it('keeps what an update leaves out, and loses a description that becomes null', async () => {
    const { id } = await create('kept', 'text')
    const renamed = await api.admin.run(Update, { id, input: { name: 'renamed ' } })
    expect(renamed.updateConcept).toMatchObject({ name: 'renamed', description: 'text' })
    const emptied = await api.admin.run(Update, { id, input: { description: null } })
    expect(emptied.updateConcept).toMatchObject({ name: 'renamed', description: null })
    expect(await api.admin.refused(Update, { id, input: { name: null } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.name',
    })
  })

  it('cannot take the name of another', async () => {
    await create('taken')
    const { id } = await create('free')
    expect(await api.admin.refused(Update, { id, input: { name: 'taken' } })).toMatchObject({
      code: 'CONFLICT',
      field: 'input.name',
    })
  })

  it('that is deleted is missing by every door', async () => {
    const { id } = await create('short-lived')
    expect((await api.admin.run(Delete, { id })).deleteConcept).toBe(id)
    expect(await api.admin.run(ById, { id })).toEqual({ concept: null, node: null })
    expect(await api.admin.refused(Delete, { id })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'id',
    })
    expect(await api.admin.refused(Update, { id, input: {} })).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('has a description of 2 MB of distinct words, and none of more than 2,500,000 characters', async () => {
    const text = Array.from({ length: 125_000 }, (_, index) => `слово${index}`).join(' ')
    expect(Buffer.byteLength(text)).toBeGreaterThan(2_000_000)
    await create('long text', text)
    const found = await api.admin.run(ByName, { name: 'long text' })
    expect(found.concept?.description).toBe(text)
    expect(
      await api.admin.refused(Create, { name: 'too long', description: 'a'.repeat(2_500_001) }),
    ).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.description' })
  })

  it('with U+0000 or a lone surrogate in its text is refused', async () => {
    for (const text of ['a\u0000b', '\ud800']) {
      expect(await api.admin.refused(Create, { name: 'broken', description: text })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'input.description',
      })
    }
  })

  it('has an id beyond 2^53 that every relation keeps exactly', async () => {
    await api.db.pool.query(
      `select setval('concepts_id_seq', 9007199254740993), setval('links_id_seq', 9007199254740993)`,
    )
    const [one, two] = [await create('beyond 1'), await create('beyond 2')]
    expect(Buffer.from(one.id, 'base64').toString()).toBe('Concept:9007199254740994')
    const ends = { from: { id: one.id }, to: { id: two.id } }
    const { linkConcepts } = await api.admin.run(Link, {
      links: [{ from: one.id, to: two.id, relationType: 'next' }],
    })
    const link = { id: Buffer.from('Link:9007199254740994').toString('base64'), ...ends }
    expect(linkConcepts).toEqual([link])
    const links = { edges: [{ node: link }] }
    const around = await api.admin.run(Around, { one: one.id, two: two.id, link: link.id })
    expect(around).toEqual({
      one: { outgoing: links, neighbors: { edges: [{ node: { id: two.id } }] } },
      two: { incoming: links, neighbors: { edges: [{ node: { id: one.id } }] } },
      neighborhood: {
        concepts: [{ concept: { id: one.id } }, { concept: { id: two.id } }],
        links: [link],
      },
      path: { concepts: [{ id: one.id }, { id: two.id }], links: [link] },
      node: { id: link.id },
    })
  })
})

const Link = graphql(`
  mutation LinkBeyond($links: [LinkInput!]!) { linkConcepts(links: $links) { id from { id } to { id } } }
`)
const Around = graphql(`
  query AroundBeyond($one: ID!, $two: ID!, $link: ID!) {
    one: concept(id: $one) {
      outgoing { edges { node { id from { id } to { id } } } }
      neighbors { edges { node { id } } }
    }
    two: concept(id: $two) {
      incoming { edges { node { id from { id } to { id } } } }
      neighbors { edges { node { id } } }
    }
    neighborhood(conceptId: $one) { concepts { concept { id } } links { id from { id } to { id } } }
    path(from: $one, to: $two) { concepts { id } links { id from { id } to { id } } }
    node(id: $link) { id }
  }
`)

describe('looking for one concept', () => {
  const Both = graphql(
    `query BothWays($id: ID, $name: String) { concept(id: $id, name: $name) { id } }`,
  )

  it('needs an id or a name, not both and not none', async () => {
    for (const variables of [{}, { id: 'Q29uY2VwdDox', name: 'Agent' }]) {
      expect(await api.admin.refused(Both, variables)).toMatchObject({ code: 'BAD_USER_INPUT' })
    }
  })

  it('by the id of another type, or by what is no id, is an error that names the field', async () => {
    for (const id of ['nonsense', Buffer.from('Link:1').toString('base64')]) {
      expect(await api.admin.refused(Both, { id })).toMatchObject({
        code: 'BAD_USER_INPUT',
        field: 'id',
      })
    }
  })

  it('by an id that no row can have finds nothing', async () => {
    for (const key of ['x', '0', '99999999999999999999', "1'; drop table links"]) {
      const id = Buffer.from(`Concept:${key}`).toString('base64')
      expect(await api.admin.run(ById, { id })).toEqual({ concept: null, node: null })
    }
  })
})
