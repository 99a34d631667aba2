import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graphql } from '../generated/gql.ts'
import { type Api, startApi } from '../support/api.ts'
import { type Result, transports } from '../support/raw-transports.ts'

let api: Api
let tokens: Record<string, string | undefined>
let adminId: string

beforeAll(async () => {
  api = await startApi()
  tokens = {
    anonymous: undefined,
    user: (await api.signUp('ann')).token,
    agent: (await api.signUp('bot', { kind: 'AGENT' })).token,
    worker: (await api.signUp('robot', { kind: 'WORKER' })).token,
    admin: api.admin.token,
  }
  await api.admin.run(
    graphql(`mutation TakenName { createConcept(input: { name: "taken" }) { id } }`),
  )
  const { viewer } = await api.admin.run(graphql(`query AdminId { viewer { user { id } } }`))
  adminId = viewer.user.id
})
afterAll(() => api.close())

const bad = 'BAD_USER_INPUT'
const hidden = 'null'

// Each operation ends at once and leaves everything as it was, so that all can ask it everywhere.
const table: [title: string, operation: () => string, verdicts: string[]][] = [
  ['who asks', () => '{ viewer { kind } }', ['ok', 'ok', 'ok', 'ok']],
  ['one person', () => `{ node(id: "${adminId}") { id } }`, [hidden, hidden, hidden, 'ok']],
  ['all people', () => '{ users { totalCount } }', ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'ok']],
  [
    'a person whose login is taken',
    () => 'mutation { createUser(input: { login: "admin" }) { id } }',
    ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'CONFLICT'],
  ],
  ['all concepts', () => '{ concepts { totalCount } }', ['ok', 'ok', 'ok', 'ok']],
  ['one concept', () => '{ concept(name: "taken") { id } }', ['ok', 'ok', hidden, 'ok']],
  [
    'a concept whose name is taken',
    () => 'mutation { createConcept(input: { name: "taken" }) { id } }',
    ['CONFLICT', 'CONFLICT', 'FORBIDDEN', 'CONFLICT'],
  ],
  ['what is no id', () => '{ node(id: "nonsense") { id } }', [bad, bad, bad, bad]],
  ['a page of less than nothing', () => '{ llms(first: -1) { totalCount } }', [bad, bad, bad, bad]],
  [
    'a clock that never ticks',
    () => 'subscription { clock(everySeconds: 0) }',
    [bad, bad, bad, bad],
  ],
]

describe.each(transports)('over %s', (transport, ask) => {
  const asked = table.filter(
    ([, operation]) => transport !== 'HTTP' || !operation().startsWith('subscription'),
  )

  it.each(asked)('everybody gets the same verdict on %s', async (_title, operation, verdicts) => {
    const [user, agent, worker, admin] = verdicts
    const expected = { anonymous: 'UNAUTHENTICATED', user, agent, worker, admin }
    const server = { url: api.url, wsUrl: api.url.replace('http', 'ws') }
    const found = Object.entries(tokens).map(async ([who, token]) => [
      who,
      verdict(await ask(server, { query: operation() }, token)),
    ])
    expect(Object.fromEntries(await Promise.all(found))).toEqual(expected)
  })
})

/** The code of the error, or else whether there is an answer. */
function verdict([result]: Result[]): string {
  const code = result?.errors?.[0]?.extensions.code
  if (code) return code
  return Object.values(result?.data ?? {}).includes(null) ? hidden : 'ok'
}
