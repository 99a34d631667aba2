import type { Viewer } from '../core/context.ts'

/** Whoever may start the server's commands has the rights of an administrator, and is nobody's user. */
export const operator: Viewer = {
  kind: 'ADMIN',
  userId: '00000000-0000-0000-0000-000000000000',
  login: 'operator',
  groups: [],
  llmId: null,
  tokenId: null,
  expiresAt: null,
}
