import { describe, expect, it } from 'vitest'
import type { Viewer, ViewerKind } from '../../src/core/context.ts'
import { canReadGraph, canWriteGraph } from '../../src/graph/permissions.ts'
import {
  canAdministrate,
  canCreateToken,
  canRegisterLlm,
  viewerKind,
  visibleIdentities,
} from '../../src/identity/permissions.ts'

const kinds = ['USER', 'AGENT', 'WORKER', 'ADMIN'] as const

const viewer = (kind: ViewerKind): Viewer => ({
  kind,
  userId: 'me',
  login: 'me',
  groups: [],
  llmId: kind === 'AGENT' ? 'my-llm' : null,
  tokenId: 'my-token',
  expiresAt: null,
})

/** One row of the permission table: what holds for each kind of viewer. */
function row<Answer>(
  title: string,
  rule: (viewer: Viewer) => Answer,
  answers: Record<ViewerKind, Answer>,
) {
  describe(title, () => {
    it.each(kinds)('%s', kind => {
      expect(rule(viewer(kind))).toEqual(answers[kind])
    })
  })
}

const all = (answer: boolean) => ({ USER: answer, AGENT: answer, WORKER: answer, ADMIN: true })

row('concepts and links are read by all but workers', canReadGraph, { ...all(true), WORKER: false })
row('concepts and links are written by all but workers', canWriteGraph, {
  ...all(true),
  WORKER: false,
})
row('users, groups and tokens show everybody themselves', visibleIdentities, {
  USER: 'own',
  AGENT: 'own',
  WORKER: 'none',
  ADMIN: 'all',
})
row('users and groups are changed by administrators', canAdministrate, all(false))
row("an agent's own LLM is registered by it", v => canRegisterLlm(v, 'my-llm'), {
  ...all(false),
  AGENT: true,
})
row('another LLM is registered by administrators', v => canRegisterLlm(v, 'other'), all(false))
row(
  'a token for oneself is made by people',
  v => canCreateToken(v, { kind: 'user', userId: 'me' }),
  {
    ...all(false),
    USER: true,
  },
)
row(
  'a token for another is made by administrators',
  v => canCreateToken(v, { kind: 'user', userId: 'other' }),
  all(false),
)
row(
  "an agent's token is made by administrators",
  v => canCreateToken(v, { kind: 'agent', userId: 'me' }),
  all(false),
)
row(
  "a worker's token is made by administrators",
  v => canCreateToken(v, { kind: 'worker', userId: 'me' }),
  all(false),
)

row(
  'a token for oneself is not made by who came with a JWT',
  v => canCreateToken({ ...v, tokenId: null }, { kind: 'user', userId: 'me' }),
  all(false),
)

describe('the kind of a viewer', () => {
  it.each([
    ['user', 'member', 'USER'],
    ['user', 'admin', 'ADMIN'],
    ['agent', 'member', 'AGENT'],
    ['agent', 'admin', 'AGENT'],
    ['worker', 'member', 'WORKER'],
    ['worker', 'admin', 'WORKER'],
  ] as const)('of a %s token of a %s is %s', (kind, role, expected) => {
    expect(viewerKind(kind, role)).toBe(expected)
  })
})
