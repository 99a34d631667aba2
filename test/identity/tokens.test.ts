import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { clientOf } from '../support/client.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Create = graphql(`
  mutation CreateToken($input: CreateTokenInput!) {
    createToken(input: $input) { secret token { id name kind user { login } llm { llmId } expiresAt revokedAt } }
  }
`)
const Revoke = graphql(`mutation Revoke($id: ID!) { revokeToken(id: $id) { revokedAt } }`)
const MyTokens = graphql(`
  query MyTokens { viewer { kind llm { llmId } user { login tokens { totalCount edges { node { id name lastUsedAt } } } } } }
`)
const Node = graphql(`query TokenNode($id: ID!) { node(id: $id) { id } }`)

const unauthenticated = { code: 'UNAUTHENTICATED' }

describe('a token', () => {
  it('is kept as a hash, and shown once', async () => {
    const { createToken } = await api.admin.run(Create, { input: { name: 'mine' } })
    const { rows } = await api.db.pool.query('select * from core.api_tokens where name = $1', [
      'mine',
    ])
    expect(rows[0].secret_hash).toBe(createHash('sha256').update(createToken.secret).digest('hex'))
    expect(JSON.stringify(rows[0])).not.toContain(createToken.secret)
  })

  it('lets in whom it belongs to, and notes its use', async () => {
    const ann = await api.signUp('ann')
    const { viewer } = await ann.run(MyTokens)
    expect(viewer).toMatchObject({
      kind: 'USER',
      user: { login: 'ann', tokens: { totalCount: 1 } },
    })
    await expect
      .poll(async () => (await ann.run(MyTokens)).viewer.user.tokens.edges[0]?.node.lastUsedAt)
      .toEqual(expect.any(String))
  })

  it('that is revoked, expired, damaged or unknown lets nobody in, and all answer alike', async () => {
    const { createToken } = await api.admin.run(Create, { input: { name: 'short' } })
    const client = clientOf(api.url, createToken.secret)
    await client.run(MyTokens)
    const { revokeToken } = await client.run(Revoke, { id: createToken.token.id })
    expect(revokeToken.revokedAt).not.toBeNull()
    const expired = await api.admin.run(Create, { input: { name: 'expired' } })
    await api.db.pool.query(`update core.api_tokens set expires_at = now() where name = 'expired'`)
    const messages = new Set<string>()
    const secrets = [
      createToken.secret,
      expired.createToken.secret,
      `${api.admin.token}x`,
      'engraph_',
      'not.a.jwt',
      'x',
    ]
    for (const secret of secrets) {
      const refused = await clientOf(api.url, secret).refused(MyTokens)
      expect(refused).toMatchObject(unauthenticated)
      messages.add(refused.message)
    }
    expect(messages.size).toBe(1)
  })

  it('revoked twice keeps the first time', async () => {
    const { createToken } = await api.admin.run(Create, { input: { name: 'twice' } })
    const first = await api.admin.run(Revoke, { id: createToken.token.id })
    const second = await api.admin.run(Revoke, { id: createToken.token.id })
    expect(second).toEqual(first)
  })

  it('cannot be made to end in the past, nor without a registered LLM for an agent', async () => {
    const refuse = (input: object) => api.admin.refused(Create, { input: { name: 'x', ...input } })
    expect(await refuse({ expiresAt: '2020-01-01T00:00:00Z' })).toMatchObject({
      field: 'input.expiresAt',
    })
    expect(await refuse({ expiresAt: '2020-01-01' })).toMatchObject({ code: 'BAD_USER_INPUT' })
    expect(await refuse({ kind: 'AGENT' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.llmId',
    })
    expect(await refuse({ llmId: 'x' })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.llmId',
    })
    expect(await refuse({ kind: 'AGENT', llmId: 'x' })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'input.llmId',
    })
    expect(await refuse({ login: 'nobody' })).toMatchObject({
      code: 'NOT_FOUND',
      field: 'input.login',
    })
  })
})

describe('a person', () => {
  it('makes tokens for themselves, and learns nothing of who else there is', async () => {
    const bob = await api.signUp('bob')
    const { createToken } = await bob.run(Create, { input: { name: 'laptop' } })
    expect(createToken.token).toMatchObject({ kind: 'USER', user: { login: 'bob' } })
    for (const login of ['admin', 'nobody']) {
      expect(await bob.refused(Create, { input: { name: 'x', login } })).toMatchObject({
        code: 'FORBIDDEN',
      })
    }
    for (const kind of ['AGENT', 'WORKER'] as const) {
      expect(await bob.refused(Create, { input: { name: 'x', kind } })).toMatchObject({
        code: 'FORBIDDEN',
      })
    }
  })

  it("cannot see or revoke another's token: it is as if there were none", async () => {
    const carl = await api.signUp('carl')
    const { createToken } = await api.admin.run(Create, { input: { name: 'hidden' } })
    const { id } = createToken.token
    expect((await carl.run(Node, { id })).node).toBeNull()
    expect(await carl.refused(Revoke, { id })).toMatchObject({ code: 'NOT_FOUND' })
    expect((await api.admin.run(Node, { id })).node).toEqual({ id })
  })
})

describe('a token made with one that ends', () => {
  it('ends no later', async () => {
    const erin = await api.signUp('erin')
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    const short = await erin.run(Create, { input: { name: 'short', expiresAt: inAnHour } })
    const client = clientOf(api.url, short.createToken.secret)
    const { createToken } = await client.run(Create, { input: { name: 'child' } })
    expect(createToken.token.expiresAt).toBe(inAnHour)
    const later = new Date(Date.now() + 7_200_000).toISOString()
    expect(await client.refused(Create, { input: { name: 'x', expiresAt: later } })).toMatchObject({
      code: 'BAD_USER_INPUT',
      field: 'input.expiresAt',
    })
  })
})

describe('tokens made in one document', () => {
  it('are counted by the fields after them', async () => {
    const frank = await api.signUp('frank')
    const made = await frank.run(
      graphql(`
        mutation TwoTokens {
          a: createToken(input: { name: "a" }) { token { user { tokens { totalCount } } } }
          b: createToken(input: { name: "b" }) { token { user { tokens { totalCount } } } }
        }
      `),
    )
    expect(made.a.token.user.tokens.totalCount).toBe(2)
    expect(made.b.token.user.tokens.totalCount).toBe(3)
  })
})

describe('an agent', () => {
  it('acts as its LLM, sees its own token alone, makes none, and can end its own', async () => {
    const agent = await api.signUp('dora', { kind: 'AGENT' })
    await api.admin.run(Create, { input: { name: 'of the person', login: 'dora' } })
    const { viewer } = await agent.run(MyTokens)
    expect(viewer).toMatchObject({ kind: 'AGENT', llm: { llmId: 'dora-llm' } })
    expect(viewer.user.tokens.totalCount).toBe(1)
    expect(await agent.refused(Create, { input: { name: 'x' } })).toMatchObject({
      code: 'FORBIDDEN',
    })
    const own = viewer.user.tokens.edges[0]?.node.id ?? ''
    await agent.run(Revoke, { id: own })
    expect(await agent.refused(MyTokens)).toMatchObject(unauthenticated)
  })

  it('of an administrator is no administrator', async () => {
    await api.admin.run(
      graphql(`mutation RegisterForAdmin { registerLlm(llmId: "a", name: "A") { id } }`),
    )
    const { createToken } = await api.admin.run(Create, {
      input: { name: 'x', kind: 'AGENT', llmId: 'a' },
    })
    expect((await clientOf(api.url, createToken.secret).run(MyTokens)).viewer.kind).toBe('AGENT')
  })
})
