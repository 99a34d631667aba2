import type { Viewer } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { unauthenticated } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import { type JwtSettings, jwtVerifier, type VerifyJwt } from './jwt.ts'
import { viewerOfClaims } from './jwt-user.ts'
import { viewerKind } from './permissions.ts'
import { hashSecret, isSecret } from './secrets.ts'

/** Who shows this `Authorization` header; null where there is none. */
export type Authenticate = (authorization: string | null | undefined) => Promise<Viewer | null>

/**
 * Reads `Bearer <API token or JWT>`. Rights are read anew each time, so a change of role or groups,
 * a revocation and a disabled user count from the next operation on.
 * @throws UNAUTHENTICATED for every header that is there and does not hold
 */
export function authenticator(db: Database, settings: JwtSettings, log: Log): Authenticate {
  const verify = jwtVerifier(settings)
  return async authorization => {
    if (authorization == null) return null
    const token = /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1]
    if (token === undefined) throw unauthenticated('Authorization must be «Bearer» and a token.')
    return isSecret(token) ? viewerOfSecret(db, token, log) : viewerOfJwt(db, token, verify)
  }
}

async function viewerOfJwt(db: Database, token: string, verify: VerifyJwt | undefined) {
  if (!verify) throw notValid()
  return viewerOfClaims(db, await verify(token))
}

const notValid = () => unauthenticated('The token is not known, has expired or has been revoked.')

const unnoted = raw(`coalesce(t.last_used_at < now() - interval '1 minute', true)`)

interface TokenRow {
  id: string
  kind: 'user' | 'agent' | 'worker'
  llmId: string | null
  expiresAt: Date | null
  userId: string
  login: string
  role: 'member' | 'admin'
  groups: string[]
  isUnnoted: boolean
}

async function viewerOfSecret(db: Database, secret: string, log: Log): Promise<Viewer> {
  const [row] = await query<TokenRow>(
    db.pool,
    sql`select t.id, t.kind, t.llm_id as "llmId", t.expires_at as "expiresAt",
        u.id as "userId", u.login, u.role,
        array(select m.group_key from core.group_members m where m.user_id = u.id order by 1) as groups,
        ${unnoted} as "isUnnoted"
      from core.api_tokens t join core.users u on u.id = t.user_id
      where t.secret_hash = ${hashSecret(secret)}::bpchar and t.revoked_at is null
        and (t.expires_at is null or t.expires_at > now()) and u.disabled_at is null`,
  )
  if (!row) throw notValid()
  if (row.isUnnoted) noteUse(db, row.id, log)
  const { userId, login, groups, llmId, expiresAt } = row
  return {
    kind: viewerKind(row.kind, row.role),
    userId,
    login,
    groups,
    llmId,
    tokenId: row.id,
    expiresAt,
  }
}

/** To the minute, and beside the operation: it must neither wait for this nor fail with it. */
function noteUse(db: Database, id: string, log: Log): void {
  query(
    db.pool,
    sql`update core.api_tokens t set last_used_at = now() where id = ${id}::uuid and ${unnoted}`,
  ).catch(error => log.warn({ err: error }, 'the use of a token could not be noted'))
}
