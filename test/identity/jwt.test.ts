import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { clientOf } from '../support/client.ts'

const secret = 'a secret of more than thirty-two characters'
const key = new TextEncoder().encode(secret)
const Me = graphql(`
  query JwtViewer { viewer { kind user { login displayName role player { kind } } groups { key } llm { llmId name } } }
`)

const sign = (claims: object, signingKey: Uint8Array | CryptoKey = key, alg = 'HS256') =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg })
    .setIssuedAt()
    .sign(signingKey as Uint8Array)
const soon = () => Math.floor(Date.now() / 1000) + 60

describe('a JWT signed with the shared secret', () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi({
      JWT_SECRET: secret,
      JWT_ISSUER: 'https://id.example',
      JWT_AUDIENCE: 'engraph',
    })
  })
  afterAll(() => api.close())

  const base = () => ({ sub: 'ann', iss: 'https://id.example', aud: 'engraph', exp: soon() })
  const viewer = async (claims: object) =>
    (await clientOf(api.url, await sign({ ...base(), ...claims })).run(Me)).viewer
  const refused = async (token: string) => clientOf(api.url, token).refused(Me)

  it('creates its user on first sight, once, however many requests come at once', async () => {
    const viewers = await Promise.all(Array.from({ length: 8 }, () => viewer({ sub: 'newcomer' })))
    for (const seen of viewers) {
      expect(seen).toMatchObject({
        kind: 'USER',
        user: { login: 'newcomer', role: 'MEMBER', player: { kind: 'USER' } },
      })
    }
    const { rows } = await api.db.pool.query(
      `select count(*)::int from core.users where login = 'newcomer'`,
    )
    expect(rows[0].count).toBe(1)
  })

  it('tells role, groups, kind and LLM by its claims', async () => {
    await api.admin.run(
      graphql(`mutation JwtGroup { saveGroup(key: "ops", name: "Ops", members: []) { key } }`),
    )
    expect(await viewer({ role: 'admin', groups: ['ops', 'unknown'] })).toMatchObject({
      kind: 'ADMIN',
      groups: [{ key: 'ops' }],
    })
    expect(await viewer({ kind: 'agent', llm: 'gpt' })).toMatchObject({
      kind: 'AGENT',
      llm: { llmId: 'gpt' },
    })
    expect(await viewer({ kind: 'worker' })).toMatchObject({ kind: 'WORKER' })
    expect(await viewer({})).toMatchObject({ kind: 'USER', groups: [] })
  })

  it.each([
    ['expired', { exp: 1 }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another audience', { aud: 'other' }],
    ['without a login', { sub: '' }],
    ['of a login that cannot be', { sub: 'a b' }],
    ['of a login with a space behind it', { sub: 'admin ' }],
    ['of a login with an invisible character', { sub: 'admin\ufeff' }],
    ['of a time that no calendar has', { exp: 1e300 }],
    ['of a group that cannot be', { groups: ['a\u0000'] }],
    ['of a role that is none', { role: 'root' }],
    ['of an agent without an LLM', { kind: 'agent' }],
    ['whose groups are no list', { groups: 'ops' }],
    ['not valid yet', { nbf: soon() }],
    ['whose login differs by case from another', { sub: 'ADMIN' }],
  ])('%s is refused', async (_what, claims) => {
    expect(await refused(await sign({ ...base(), ...claims }))).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })

  it('signed with another secret, or with none, is refused', async () => {
    const other = new TextEncoder().encode('another secret of thirty-two characters')
    expect(await refused(await sign(base(), other))).toMatchObject({ code: 'UNAUTHENTICATED' })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    expect(await refused(`${part({ alg: 'none' })}.${part(base())}.`)).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })

  it('that narrows an administrator to a member makes no token that is wider again', async () => {
    const client = clientOf(api.url, await sign({ ...base(), sub: 'admin', role: 'member' }))
    expect((await client.run(Me)).viewer.kind).toBe('USER')
    const Create = graphql(`
      mutation JwtToken { createToken(input: { name: "wide" }) { secret } }
    `)
    expect(await client.refused(Create)).toMatchObject({ code: 'FORBIDDEN' })
  })

  it('of a disabled user is refused', async () => {
    await viewer({ sub: 'leaver' })
    await api.admin.run(
      graphql(
        `mutation DisableLeaver { updateUser(login: "leaver", input: { disabled: true }) { login } }`,
      ),
    )
    expect(await refused(await sign({ ...base(), sub: 'leaver' }))).toMatchObject({
      code: 'UNAUTHENTICATED',
    })
  })
})

describe('a JWT verified by the keys of an identity provider', () => {
  let api: Api
  let provider: Server
  let privateKey: CryptoKey
  let publicPem: Uint8Array

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256', { extractable: true })
    privateKey = pair.privateKey
    const jwk = { ...(await exportJWK(pair.publicKey)), alg: 'ES256' }
    publicPem = new TextEncoder().encode(JSON.stringify(jwk))
    provider = createServer((_req, res) => res.end(JSON.stringify({ keys: [jwk] })))
    await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
    const { port } = provider.address() as AddressInfo
    api = await startApi({ JWKS_URL: `http://127.0.0.1:${port}/jwks.json` })
  })
  afterAll(async () => {
    await api.close()
    provider.close()
    provider.closeAllConnections()
  })

  it('is accepted', async () => {
    const token = await sign({ sub: 'bob' }, privateKey, 'ES256')
    expect((await clientOf(api.url, token).run(Me)).viewer).toMatchObject({
      kind: 'USER',
      user: { login: 'bob' },
    })
  })

  it('cannot be judged while the provider is out of order, and that is not its fault', async () => {
    const token = await sign({ sub: 'bob' }, privateKey, 'ES256')
    const broken = createServer((_req, res) => res.writeHead(500).end('<html>'))
    await new Promise<void>(resolve => broken.listen(0, '127.0.0.1', resolve))
    const { port } = broken.address() as AddressInfo
    const other = await startApi({ JWKS_URL: `http://127.0.0.1:${port}/jwks.json` })
    expect(await clientOf(other.url, token).refused(Me)).toMatchObject({ code: 'SERVICE_BUSY' })
    broken.close()
    broken.closeAllConnections()
    expect(await clientOf(other.url, token).refused(Me)).toMatchObject({ code: 'SERVICE_BUSY' })
    await other.close()
  })

  it('is refused when the public key served as its secret', async () => {
    const token = await sign({ sub: 'bob', role: 'admin' }, publicPem)
    expect(await clientOf(api.url, token).refused(Me)).toMatchObject({ code: 'UNAUTHENTICATED' })
  })
})

describe('without a secret or keys', () => {
  it('no JWT is accepted', async () => {
    const api = await startApi()
    const token = await sign({ sub: 'admin', role: 'admin' })
    expect(await clientOf(api.url, token).refused(Me)).toMatchObject({ code: 'UNAUTHENTICATED' })
    await api.close()
  })
})
