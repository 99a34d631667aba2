import type { Viewer, ViewerKind } from '../core/context.ts'

// The rows "users, groups" to "registries" of the table in docs/api.md: users and agents see and
// change themselves, workers nothing, administrators everything.

/** Which users, groups and tokens somebody can see. */
export function visibleIdentities(viewer: Viewer): 'all' | 'own' | 'none' {
  if (viewer.kind === 'ADMIN') return 'all'
  return viewer.kind === 'WORKER' ? 'none' : 'own'
}

export const canAdministrate = (viewer: Viewer) => viewer.kind === 'ADMIN'

/**
 * A person may make tokens for their own use. An agent must not: a token of another kind would free
 * it of the rules it is under. Nor may who came with a JWT, whose claims can be narrower than what
 * the person may do. Workers see everybody's runs, so only an administrator makes theirs.
 */
export function canCreateToken(
  viewer: Viewer,
  token: { kind: 'user' | 'agent' | 'worker'; userId: string },
): boolean {
  if (viewer.kind === 'ADMIN') return true
  if (viewer.kind !== 'USER' || viewer.tokenId === null) return false
  return token.kind === 'user' && token.userId === viewer.userId
}

/** An agent keeps its own entry of the registry up to date. */
export const canRegisterLlm = (viewer: Viewer, llmId: string) =>
  viewer.kind === 'ADMIN' || (viewer.kind === 'AGENT' && viewer.llmId === llmId)

/** An agent or worker has the rights of its kind, even where its user is an administrator. */
export function viewerKind(
  kind: 'user' | 'agent' | 'worker',
  role: 'member' | 'admin',
): ViewerKind {
  if (kind === 'agent') return 'AGENT'
  if (kind === 'worker') return 'WORKER'
  return role === 'admin' ? 'ADMIN' : 'USER'
}
