import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'

let api: Api
let ann: Client
let bob: Client

beforeAll(async () => {
  api = await startApi()
  await api.admin.run(SaveGroup, { key: 'ops', name: 'Operations', members: [] })
  ann = await api.signUp('ann', { groups: ['ops'] })
  bob = await api.signUp('bob', { groups: ['ops'] })
})
afterAll(() => api.close())

const Create = graphql(`
  mutation CreateUser($input: CreateUserInput!) {
    createUser(input: $input) { id login displayName role groups { key } player { kind name hash } disabledAt }
  }
`)
const Update = graphql(`
  mutation UpdateUser($login: String!, $input: UpdateUserInput!) {
    updateUser(login: $login, input: $input) { login displayName role groups { key } disabledAt }
  }
`)
const SaveGroup = graphql(`
  mutation SaveGroup($key: String!, $name: String!, $members: [String!]!) {
    saveGroup(key: $key, name: $name, members: $members) {
      id key name members { totalCount edges { node { login } } }
    }
  }
`)
const Users = graphql(`
  query Users($search: String) { users(search: $search) { totalCount edges { node { login } } } }
`)
const Me = graphql(`
  query Me {
    viewer { kind user { id login groups { key members { totalCount edges { node { login } } } } } groups { key } llm { llmId } }
    groups { id key }
  }
`)
const Nodes = graphql(`query SomeNodes($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }`)

describe('a user', () => {
  it('has a player from the beginning, and a login that is unique in any case', async () => {
    const { createUser } = await api.admin.run(Create, {
      input: { login: 'Cleo', displayName: 'Cleo C.' },
    })
    expect(createUser).toMatchObject({
      login: 'Cleo',
      role: 'MEMBER',
      groups: [],
      player: { kind: 'USER', name: 'Cleo C.', hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    for (const login of ['Cleo', 'cleo', ' CLEO ']) {
      expect(await api.admin.refused(Create, { input: { login } })).toMatchObject({
        code: 'CONFLICT',
        field: 'input.login',
      })
    }
  })

  it.each(['a b', 'a,b', 'a;b', '', 'a\u200bb'])('cannot be called %j', async login => {
    expect(await api.admin.refused(Create, { input: { login } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.login',
    })
  })

  it('that would join a group which is not there is not created', async () => {
    const input = { login: 'dora', groups: ['ops', 'nowhere'] }
    expect(await api.admin.refused(Create, { input })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'input.groups',
    })
    expect((await api.admin.run(Users, { search: 'dora' })).users.totalCount).toBe(0)
  })

  it('is found by part of the login or the name, without case and accents, wildcards literal', async () => {
    await api.admin.run(Create, { input: { login: 'jose', displayName: 'José 100%' } })
    const found = async (search: string) =>
      (await api.admin.run(Users, { search })).users.edges.map(edge => edge.node.login)
    expect(await found('JOSE')).toEqual(['jose'])
    expect(await found('0%')).toEqual(['jose'])
    expect(await found('_')).toEqual([])
  })
})

describe('the last administrator', () => {
  it('stays one, also when two demote each other at once', async () => {
    expect(
      await api.admin.refused(Update, { login: 'admin', input: { role: 'MEMBER' } }),
    ).toMatchObject({
      code: 'BAD_USER_INPUT',
    })
    expect(
      await api.admin.refused(Update, { login: 'admin', input: { disabled: true } }),
    ).toMatchObject({
      code: 'BAD_USER_INPUT',
    })
    const deputy = await api.signUp('deputy')
    await api.admin.run(Update, { login: 'deputy', input: { role: 'ADMIN' } })
    const results = await Promise.allSettled([
      api.admin.run(Update, { login: 'deputy', input: { role: 'MEMBER' } }),
      deputy.run(Update, { login: 'admin', input: { role: 'MEMBER' } }),
    ])
    const { rows } = await api.db.pool.query(
      `select count(*)::int from core.users where role = 'admin'`,
    )
    expect(rows[0].count).toBe(1)
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1)
    await api.db.pool.query(
      `update core.users set role = (case login when 'admin' then 'admin' else 'member' end)::core.role`,
    )
  })
})

describe('a change of rights', () => {
  it('counts from the next operation on', async () => {
    const eve = await api.signUp('eve')
    expect(await eve.refused(Users, {})).toMatchObject({ code: 'FORBIDDEN' })
    await api.admin.run(Update, { login: 'eve', input: { role: 'ADMIN', groups: ['ops'] } })
    expect((await eve.run(Me)).viewer).toMatchObject({ kind: 'ADMIN', groups: [{ key: 'ops' }] })
    await api.admin.run(Update, { login: 'eve', input: { disabled: true } })
    expect(await eve.refused(Me)).toMatchObject({ code: 'UNAUTHENTICATED' })
    await api.admin.run(Update, { login: 'eve', input: { disabled: false, role: 'MEMBER' } })
    expect((await eve.run(Me)).viewer.kind).toBe('USER')
  })
})

describe('a person who is no administrator', () => {
  it('sees of all people only themselves, by every door, and counts no others', async () => {
    const { viewer, groups } = await ann.run(Me)
    expect(viewer.user.groups[0]?.members).toEqual({
      totalCount: 1,
      edges: [{ node: { login: 'ann' } }],
    })
    expect(groups.map(group => group.key)).toEqual(['ops'])
    expect(await ann.refused(Users, {})).toMatchObject({ code: 'FORBIDDEN' })
    const other = (await bob.run(Me)).viewer.user.id
    const { nodes } = await ann.run(Nodes, { ids: [viewer.user.id, other, groups[0]?.id ?? ''] })
    expect(nodes.map(node => node?.__typename ?? null)).toEqual(['User', null, 'Group'])
  })

  it('does not see a group that they are not in', async () => {
    const { saveGroup } = await api.admin.run(SaveGroup, {
      key: 'secret',
      name: 'S',
      members: ['bob'],
    })
    expect((await ann.run(Nodes, { ids: [saveGroup.id] })).nodes).toEqual([null])
    expect((await bob.run(Nodes, { ids: [saveGroup.id] })).nodes).toEqual([
      { __typename: 'Group', id: saveGroup.id },
    ])
  })

  it('changes no users, groups and registries', async () => {
    const Registry = graphql(`
      mutation Registry { saveRegistryEntry(code: "C", key: "k", value: "v") { position } }
    `)
    expect(await ann.refused(Create, { input: { login: 'x' } })).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await ann.refused(Update, { login: 'ann', input: { role: 'ADMIN' } })).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await ann.refused(SaveGroup, { key: 'ops', name: 'x', members: [] })).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await ann.refused(Registry)).toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('a group', () => {
  it('gets exactly the members that are named, or stays as it is when one is unknown', async () => {
    const key = 'crew'
    await api.admin.run(SaveGroup, { key, name: 'Crew', members: ['ann', 'bob', 'ann'] })
    const { saveGroup } = await api.admin.run(SaveGroup, { key, name: 'Crew', members: ['bob'] })
    expect(saveGroup.members).toEqual({ totalCount: 1, edges: [{ node: { login: 'bob' } }] })
    expect(
      await api.admin.refused(SaveGroup, { key, name: 'New', members: ['ann', 'nobody'] }),
    ).toMatchObject({
      code: 'NOT_FOUND',
      field: 'members.1',
    })
    const { rows } = await api.db.pool.query(`select name from core.groups where key = 'crew'`)
    expect(rows[0].name).toBe('Crew')
  })
})

describe('memberships', () => {
  it('that two administrators write from both sides at once are never half-written', async () => {
    await api.admin.run(SaveGroup, { key: 'both', name: 'Both', members: [] })
    await api.admin.run(Create, { input: { login: 'joiner' } })
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2
          ? api.admin.run(SaveGroup, { key: 'both', name: 'Both', members: ['joiner', 'bob'] })
          : api.admin.run(Update, { login: 'joiner', input: { groups: ['ops', 'both'] } }),
      ),
    )
    const { updateUser } = await api.admin.run(Update, { login: 'joiner', input: {} })
    expect(updateUser.groups.map(group => group.key)).toContain('both')
  })

  it('of a login that differs by a lone surrogate are nobody’s', async () => {
    await api.admin.run(Create, { input: { login: 'a\ufffdb' } })
    expect(
      await api.admin.refused(Update, { login: 'a\ud800b', input: { disabled: true } }),
    ).toMatchObject({
      code: 'NOT_FOUND',
    })
    const members = ['a\ud800b']
    expect(await api.admin.refused(SaveGroup, { key: 'odd', name: 'Odd', members })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'members.0',
    })
  })
})

describe('a worker', () => {
  it('knows itself and sees nothing of users, players and concepts', async () => {
    const worker = await api.signUp('robot', { kind: 'WORKER', groups: ['ops'] })
    const { viewer, groups } = await worker.run(Me)
    expect(viewer).toMatchObject({ kind: 'WORKER', user: { login: 'robot' } })
    expect(groups).toEqual([])
    expect((await worker.run(Nodes, { ids: [viewer.user.id] })).nodes).toEqual([null])
  })
})
