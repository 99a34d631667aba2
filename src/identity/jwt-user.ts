import type { Viewer } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { violatedConstraint } from '../core/database-errors.ts'
import { DomainError, unauthenticated } from '../core/errors.ts'
import { Loaders } from '../core/loaders.ts'
import { normalizeName } from '../core/names.ts'
import { transaction } from '../core/transaction.ts'
import type { JwtClaims } from './jwt.ts'
import { upsertLlm } from './llms.ts'
import { viewerKind } from './permissions.ts'
import { insertUser, normalizeLogin } from './users.ts'

/**
 * The viewer of a verified JWT. Its claims outrank what the database holds of role and groups, for
 * this request; a user, or an agent's LLM, that is not known yet is created.
 */
export async function viewerOfClaims(db: Database, claims: JwtClaims): Promise<Viewer> {
  const login = claimed('sub', claims.sub, normalizeLogin)
  const kind = claims.kind ?? 'user'
  const user = (await findUser(db, login)) ?? (await createUser(db, login))
  if (user.disabledAt) throw unauthenticated('The user is disabled.')
  const llmId = kind === 'agent' ? await knownLlm(db, claims.llm ?? '') : null
  return {
    kind: viewerKind(kind, claims.role ?? user.role),
    userId: user.id,
    login,
    groups: claims.groups ?? user.memberships.map(membership => membership.groupKey),
    llmId,
    tokenId: null,
    expiresAt: claims.exp === undefined ? null : new Date(claims.exp * 1000),
  }
}

const findUser = (db: Database, login: string) =>
  db.prisma.user.findUnique({
    where: { login },
    include: { memberships: { orderBy: { groupKey: 'asc' } } },
  })

async function createUser(db: Database, login: string) {
  try {
    await transaction({ db, loaders: new Loaders() }, tx =>
      insertUser(tx, { login, displayName: login, role: 'member' }),
    )
  } catch (error) {
    // Another request of the same user may have been first.
    if (violatedConstraint(error) === undefined) throw error
  }
  const user = await findUser(db, login)
  if (!user)
    throw unauthenticated('There is a user whose login differs from the claim sub by case.')
  return user
}

async function knownLlm(db: Database, claim: string): Promise<string> {
  const id = claimed('llm', claim, normalizeName)
  if (!(await db.prisma.llm.findUnique({ where: { id }, select: { id: true } }))) {
    await transaction({ db, loaders: new Loaders() }, tx => upsertLlm(tx, { id, name: id }))
  }
  return id
}

/** A name in the one spelling that it has here: another spelling may be somebody else to the issuer. */
function claimed(
  claim: string,
  value: string,
  read: (text: string, field: string) => string,
): string {
  const wrong = () => unauthenticated(`The JWT's claim ${claim} is wrong.`)
  let name: string
  try {
    name = read(value, claim)
  } catch (error) {
    throw error instanceof DomainError ? wrong() : error
  }
  if (name !== value) throw wrong()
  return name
}
