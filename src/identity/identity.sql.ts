import type { Viewer } from '../core/context.ts'
import { raw, type Sql, sql } from '../core/sql.ts'
import { visibleIdentities } from './permissions.ts'

// Columns under the names of the Prisma model, so that a row is one whichever way it was read.

export const userColumns = raw(
  'u.id, u.login, u.display_name as "displayName", u.role, u.created_at as "createdAt", u.disabled_at as "disabledAt"',
)

export const tokenColumns = raw(
  't.id, t.kind, t.user_id as "userId", t.llm_id as "llmId", t.name, t.created_at as "createdAt", t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt", t.revoked_at as "revokedAt", t.secret_hash as "secretHash"',
)

export const llmColumns = raw('l.id, l.name, l.description, l.registered_at as "registeredAt"')

export const playerColumns = raw('p.hash, p.kind, p.user_id as "userId", p.llm_id as "llmId"')

/** Users of alias `u` that the viewer may see. */
export function visibleUsers(viewer: Viewer): Sql {
  return byVisibility(viewer, sql`u.id = ${viewer.userId}::uuid`)
}

/** Groups of alias `g` that the viewer may see. */
export function visibleGroups(viewer: Viewer): Sql {
  return byVisibility(viewer, sql`g.key = any(${viewer.groups}::text[])`)
}

/** Tokens of alias `t` that the viewer may see: of their own an agent sees the one it came with. */
export function visibleTokens(viewer: Viewer): Sql {
  const own =
    viewer.kind === 'AGENT'
      ? sql`t.id = ${viewer.tokenId}::uuid`
      : sql`t.user_id = ${viewer.userId}::uuid`
  return byVisibility(viewer, own)
}

function byVisibility(viewer: Viewer, own: Sql): Sql {
  switch (visibleIdentities(viewer)) {
    case 'all':
      return raw('true')
    case 'own':
      return own
    case 'none':
      return raw('false')
  }
}
