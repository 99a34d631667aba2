import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  for (let n = 0; n < 8; n++) {
    await api.admin.run(Row, { login: `u${n}`, llmId: `l${n}` })
  }
  // Made in one statement, rows share their time to the microsecond.
  await api.db.pool.query('update core.api_tokens set created_at = now()')
})
afterAll(() => api.close())

beforeEach(async () => {
  await api.db.pool.query('delete from concepts')
  await api.db.pool.query(`
    with made as (
      insert into concepts (name)
        select 'hub' union all select 'leaf ' || n from generate_series(0, 7) n returning id, name
    ), hub as (select id from made where name = 'hub'), leaf as (select id from made where name <> 'hub')
    insert into links (from_concept_id, to_concept_id, relation_type)
      select hub.id, leaf.id, 'r' from hub, leaf union all select leaf.id, hub.id, 'r' from hub, leaf`)
  const members = Array.from({ length: 8 }, (_, n) => `u${n}`)
  await api.admin.run(Crew, { members })
})

const Row = graphql(`
  mutation ConnectionRow($login: String!, $llmId: String!) {
    createUser(input: { login: $login }) { id }
    registerLlm(llmId: $llmId, name: $llmId) { id }
    createToken(input: { name: $login }) { token { id } }
  }
`)
const Crew = graphql(`
  mutation ConnectionCrew($members: [String!]!) { saveGroup(key: "crew", name: "Crew", members: $members) { id } }
`)
const Leave = graphql(`
  mutation ConnectionLeave($key: String!) { updateUser(login: $key, input: { groups: [] }) { id } }
`)
const Delete = graphql(`mutation ConnectionDelete($key: ID!) { deleteConcept(id: $key) }`)
const Unlink = graphql(`mutation ConnectionUnlink($key: ID!) { unlinkConcepts(ids: [$key]) }`)

const Concepts = graphql(`
  query ConceptsBySide($first: Int, $after: String, $last: Int, $before: String) {
    page: concepts(first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { key: id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)
const Outgoing = graphql(`
  query OutgoingBySide($first: Int, $after: String, $last: Int, $before: String) {
    concept(name: "hub") {
      page: outgoing(first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { key: id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`)
const Incoming = graphql(`
  query IncomingBySide($first: Int, $after: String, $last: Int, $before: String) {
    concept(name: "hub") {
      page: incoming(first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { key: id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`)
const Neighbors = graphql(`
  query NeighborsBySide($first: Int, $after: String, $last: Int, $before: String) {
    concept(name: "hub") {
      page: neighbors(first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { key: id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`)
const Users = graphql(`
  query UsersBySide($first: Int, $after: String, $last: Int, $before: String) {
    page: users(first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { key: login } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)
const Llms = graphql(`
  query LlmsBySide($first: Int, $after: String, $last: Int, $before: String) {
    page: llms(first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { key: llmId } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)
const Tokens = graphql(`
  query TokensBySide($first: Int, $after: String, $last: Int, $before: String) {
    viewer {
      user {
        page: tokens(first: $first, after: $after, last: $last, before: $before) {
          edges { cursor node { key: id } }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        }
      }
    }
  }
`)
const Members = graphql(`
  query MembersBySide($first: Int, $after: String, $last: Int, $before: String) {
    groups {
      page: members(first: $first, after: $after, last: $last, before: $before) {
        edges { cursor node { key: login } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`)

interface Sides {
  first?: number
  after?: string | null
  last?: number
  before?: string | null
}
interface Page {
  edges: { cursor: string; node: { key: string } }[]
  pageInfo: {
    hasNextPage: boolean
    hasPreviousPage: boolean
    startCursor?: string | null
    endCursor?: string | null
  }
}
interface Connection {
  read(sides: Sides): Promise<Page | undefined>
  /** Takes a row out of the list, where that can be done. */
  remove?: (key: string) => Promise<unknown>
}

const unlink = (key: string) => api.admin.run(Unlink, { key })
const remove = (key: string) => api.admin.run(Delete, { key })

const connections: Record<string, Connection> = {
  concepts: { read: async sides => (await api.admin.run(Concepts, sides)).page, remove },
  outgoing: {
    read: async sides => (await api.admin.run(Outgoing, sides)).concept?.page,
    remove: unlink,
  },
  incoming: {
    read: async sides => (await api.admin.run(Incoming, sides)).concept?.page,
    remove: unlink,
  },
  neighbors: { read: async sides => (await api.admin.run(Neighbors, sides)).concept?.page, remove },
  members: {
    read: async sides => (await api.admin.run(Members, sides)).groups[0]?.page,
    remove: key => api.admin.run(Leave, { key }),
  },
  users: { read: async sides => (await api.admin.run(Users, sides)).page },
  tokens: { read: async sides => (await api.admin.run(Tokens, sides)).viewer.user.page },
  llms: { read: async sides => (await api.admin.run(Llms, sides)).page },
}

const keys = (page: Page | undefined) => page?.edges.map(edge => edge.node.key) ?? []

describe.each(Object.entries(connections))('%s', (_name, { read, remove }) => {
  it.each([1, 3])('read %i at a time have each row once, from either end', async size => {
    const whole = keys(await read({ first: 100 }))
    expect(whole.length).toBeGreaterThanOrEqual(8)
    const forward: string[] = []
    for (let after: string | null | undefined = null, more = true; more; ) {
      const page: Page | undefined = await read({ first: size, after })
      forward.push(...keys(page))
      after = page?.pageInfo.endCursor
      more = page?.pageInfo.hasNextPage ?? false
    }
    expect(forward).toEqual(whole)
    const backward: string[] = []
    for (let before: string | null | undefined = null, more = true; more; ) {
      const page: Page | undefined = await read({ last: size, before })
      backward.unshift(...keys(page))
      before = page?.pageInfo.startCursor
      more = page?.pageInfo.hasPreviousPage ?? false
    }
    expect(backward).toEqual(whole)
  })

  if (!remove) return

  it('go on behind a row that is gone', async () => {
    const whole = keys(await read({ first: 100 }))
    const after = (await read({ first: 3 }))?.edges[2]?.cursor ?? ''
    await remove(whole[2] ?? '')
    const next = await read({ first: 3, after })
    expect(keys(next)).toEqual(whole.slice(3, 6))
    expect(next?.pageInfo.hasPreviousPage).toBe(true)
  })

  it('go on before a row that is gone', async () => {
    const whole = keys(await read({ first: 100 }))
    const before = (await read({ last: 3 }))?.edges[0]?.cursor ?? ''
    await remove(whole.at(-3) ?? '')
    const previous = await read({ last: 3, before })
    expect(keys(previous)).toEqual(whole.slice(-6, -3))
    expect(previous?.pageInfo.hasNextPage).toBe(true)
  })
})
