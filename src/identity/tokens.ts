import { byId } from '../core/by-id.ts'
import { childPage } from '../core/connection.ts'
import type { Caller, Viewer } from '../core/context.ts'
import { badInput, forbidden, notFound } from '../core/errors.ts'
import { uuidKey } from '../core/ids.ts'
import { normalizeName } from '../core/names.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import { transaction } from '../core/transaction.ts'
import type { ApiToken, TokenKind } from '../generated/prisma/client.ts'
import { tokenColumns, visibleTokens } from './identity.sql.ts'
import { llmById } from './llms.ts'
import { canCreateToken } from './permissions.ts'
import { hashSecret, newSecret } from './secrets.ts'
import { findUser } from './users.ts'

const newestFirst: Order = {
  name: 'token',
  columns: [
    { expression: raw('t.created_at'), type: 'timestamptz', descending: true },
    { expression: raw('t.id'), type: 'uuid', descending: true },
  ],
}

/** The token with this id, or null where the viewer may not see one. */
export async function tokenById(caller: Caller, id: string): Promise<ApiToken | null> {
  const key = uuidKey(id)
  if (key === undefined) return null
  return byId<string, ApiToken>(caller, {
    name: 'token',
    columns: tokenColumns,
    from: raw('core.api_tokens t'),
    key: raw('t.id'),
    keyType: 'uuid',
    visible: visibleTokens(caller.viewer),
  }).load(key)
}

export const tokensOf = (caller: Caller, userId: string, args: PageArgs) =>
  childPage<ApiToken>(
    caller,
    userId,
    {
      name: 'tokens of a user',
      parentType: 'uuid',
      columns: tokenColumns,
      from: raw('core.api_tokens t'),
      where: sql`t.user_id = parent.id and ${visibleTokens(caller.viewer)}`,
    },
    newestFirst,
    args,
  )

export interface CreateToken {
  name: string
  kind: TokenKind
  login?: string | null | undefined
  llmId?: string | null | undefined
  expiresAt?: Date | null | undefined
}

/**
 * A new token and its secret, which is not kept and cannot be shown again.
 * @throws FORBIDDEN, BAD_USER_INPUT, NOT_FOUND for an unknown login or LLM
 */
export async function createToken(
  caller: Caller,
  input: CreateToken,
): Promise<{ token: ApiToken; secret: string }> {
  const { viewer, db } = caller
  const { kind } = input
  const llmId = input.llmId ?? null
  const login = input.login ?? viewer.login
  const user = login === viewer.login ? { id: viewer.userId } : await findUser(db.prisma, login)
  // Whom it may not make a token for, the viewer does not learn to exist either.
  if (!canCreateToken(viewer, { kind, userId: user?.id ?? '' })) {
    throw forbidden(
      'With an API token people make tokens of kind USER for themselves; others are made by administrators.',
    )
  }
  if (!user) throw notFound('user', 'input.login')
  if ((kind === 'agent') !== (llmId !== null)) {
    throw badInput('A token of kind AGENT, and no other, names its LLM.', 'input.llmId')
  }
  const expiresAt = readExpiry(viewer, input.expiresAt ?? null)
  if (llmId !== null && !(await llmById(caller, llmId))) {
    throw notFound('LLM', 'input.llmId')
  }
  const name = normalizeName(input.name, 'input.name')
  const secret = newSecret()
  const secretHash = hashSecret(secret)
  const data = { kind, userId: user.id, llmId, name, expiresAt, secretHash }
  const token = await transaction(caller, tx => tx.apiToken.create({ data }))
  return { token, secret }
}

/** A token does not outlive the one that it was made with, but for administrators. */
function readExpiry(viewer: Viewer, asked: Date | null): Date | null {
  if (asked && asked <= new Date()) throw badInput('This time is over already.', 'input.expiresAt')
  const latest = viewer.kind === 'ADMIN' ? null : viewer.expiresAt
  if (asked && latest && asked > latest) {
    throw badInput('The token cannot outlive the one it is made with.', 'input.expiresAt')
  }
  return asked ?? latest
}

/**
 * Ends a token at once. A second call leaves the first time standing.
 * @throws NOT_FOUND for a token that the viewer may not see
 */
export async function revokeToken(caller: Caller, id: string): Promise<ApiToken> {
  const key = uuidKey(id)
  const [token] = key
    ? await query<ApiToken>(
        caller.db.pool,
        sql`update core.api_tokens t set revoked_at = coalesce(t.revoked_at, now())
          where t.id = ${key}::uuid and ${visibleTokens(caller.viewer)} returning ${tokenColumns}`,
      )
    : []
  if (!token) throw notFound('token', 'id')
  caller.loaders.clear()
  // A trigger has noted it in the change log, so that the token's open streams end.
  caller.db.committed.ring(undefined)
  return token
}
