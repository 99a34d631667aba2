import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import type { Client } from '../support/client.ts'
import { watch } from '../support/watch.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const Changes = graphql(`
  subscription AccessChanges { graphChanges { ... on ConceptCreated { name } } }
`)
const Clock = graphql(`subscription AccessClock { clock(everySeconds: 3600) }`)
const Create = graphql(`
  mutation AccessConcept($name: String!) { createConcept(input: { name: $name }) { id } }
`)
const Revoke = graphql(`mutation AccessRevoke($id: ID!) { revokeToken(id: $id) { id } }`)
const Tokens = graphql(`
  query AccessTokens { viewer { user { tokens { edges { node { id } } } } } }
`)
const Update = graphql(`
  mutation AccessUpdate($login: String!, $input: UpdateUserInput!) {
    updateUser(login: $login, input: $input) { id }
  }
`)

let count = 0
const newLogin = () => `reader-${++count}`

async function revoke(client: Client): Promise<void> {
  const { viewer } = await client.run(Tokens)
  for (const { node } of viewer.user.tokens.edges) await api.admin.run(Revoke, { id: node.id })
}

const ways: [string, (client: Client, login: string) => Promise<unknown>][] = [
  ['its token is revoked', revoke],
  [
    'its token is revoked by SQL',
    (_client, login) =>
      api.db.pool.query(
        `update core.api_tokens set revoked_at = now()
          where user_id = (select id from core.users where login = $1)`,
        [login],
      ),
  ],
  [
    'its user is disabled',
    (_client, login) => api.admin.run(Update, { login, input: { disabled: true } }),
  ],
]

describe.each(['ws', 'sse'] as const)('an open stream over %s', over => {
  it.each(ways)('ends with a code when %s, and brings nothing from then on', async (_way, end) => {
    const login = newLogin()
    const client = await api.signUp(login)
    const feed = await watch(client, Changes, {}, { over })
    const clock = await watch(client, Clock, {}, { over })
    await clock.next()
    await api.admin.run(Create, { name: `${over} ${login} before` })
    expect((await feed.next()).graphChanges).toEqual({ name: `${over} ${login} before` })
    await end(client, login)
    await api.admin.run(Create, { name: `${over} ${login} after` })
    expect((await feed.refusal()).extensions.code).toBe('UNAUTHENTICATED')
    expect((await clock.refusal()).extensions.code).toBe('UNAUTHENTICATED')
  })

  it('goes on when another of its user’s tokens is revoked, and with other rights of the same user', async () => {
    const login = newLogin()
    const client = await api.signUp(login)
    const feed = await watch(client, Changes, {}, { over })
    await api.admin.run(Update, { login, input: { role: 'ADMIN' } })
    await api.admin.run(Update, { login, input: { role: 'MEMBER' } })
    await api.admin.run(Create, { name: `${over} ${login}` })
    expect((await feed.next()).graphChanges).toEqual({ name: `${over} ${login}` })
  })

  it('ends on another server of the same database too', async () => {
    const login = newLogin()
    const client = await api.signUp(login)
    const other = { ...client, url: (await api.sibling()).url }
    const feed = await watch(other, Changes, {}, { over })
    await api.admin.run(Create, { name: `${over} ${login}` })
    await feed.next()
    await revoke(client)
    expect((await feed.refusal()).extensions.code).toBe('UNAUTHENTICATED')
  })
})
