import { byId } from '../core/by-id.ts'
import { type Connection, childPage, listPage } from '../core/connection.ts'
import type { Caller } from '../core/context.ts'
import { violatedConstraint } from '../core/database-errors.ts'
import { badInput, conflict, notFound } from '../core/errors.ts'
import { uuidKey } from '../core/ids.ts'
import { normalizeName } from '../core/names.ts'
import type { Order, PageArgs } from '../core/paging.ts'
import type { Tx } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import { isStorable } from '../core/text.ts'
import { containsText } from '../core/text-search.ts'
import { noteChanges, transaction } from '../core/transaction.ts'
import type { Role, User } from '../generated/prisma/client.ts'
import { requireAdmin } from './guards.ts'
import { userColumns, visibleUsers } from './identity.sql.ts'
import { playerHash } from './players.ts'

const byLogin: Order = {
  name: 'login',
  columns: [
    { expression: raw('u.login'), type: 'text' },
    { expression: raw('u.id'), type: 'uuid' },
  ],
}

/** The user with this id, or null where the viewer may not see one. */
export async function userById(caller: Caller, id: string): Promise<User | null> {
  const key = uuidKey(id)
  if (key === undefined) return null
  return byId<string, User>(caller, {
    name: 'user',
    columns: userColumns,
    from: raw('core.users u'),
    key: raw('u.id'),
    keyType: 'uuid',
    visible: visibleUsers(caller.viewer),
  }).load(key)
}

/** By the login to the letter, or null where the viewer may not see such a user. */
export const userByLogin = (caller: Caller, login: string): Promise<User | null> =>
  byId<string, User>(caller, {
    name: 'user by login',
    columns: userColumns,
    from: raw('core.users u'),
    key: raw('u.login'),
    keyType: 'text',
    visible: visibleUsers(caller.viewer),
  }).load(login)

/** The viewer's own user, whom everybody sees, a worker too. */
export async function ownUser({ viewer, db }: Caller): Promise<User> {
  return db.prisma.user.findUniqueOrThrow({ where: { id: viewer.userId } })
}

/** @throws FORBIDDEN for whom is no administrator */
export async function listUsers(
  caller: Caller,
  args: PageArgs & { search?: string | null | undefined },
): Promise<Connection<User>> {
  requireAdmin(caller, 'Only an administrator lists users.')
  const found = args.search
    ? containsText([raw('u.login'), raw('u.display_name')], args.search)
    : raw('true')
  return listPage(
    caller,
    {
      columns: userColumns,
      from: raw('core.users u'),
      where: sql`${visibleUsers(caller.viewer)} and ${found}`,
    },
    byLogin,
    args,
  )
}

/** The members of a group, of whom somebody who is no administrator sees only themselves. */
export function membersOf(caller: Caller, groupKey: string, args: PageArgs) {
  return childPage<User>(
    caller,
    groupKey,
    {
      name: 'group members',
      parentType: 'text',
      columns: userColumns,
      from: raw('core.group_members m join core.users u on u.id = m.user_id'),
      where: sql`m.group_key = parent.id and ${visibleUsers(caller.viewer)}`,
    },
    byLogin,
    args,
  )
}

export interface CreateUser {
  login: string
  displayName?: string | null | undefined
  role: Role
  groups?: readonly string[] | null | undefined
}

/** @throws FORBIDDEN, BAD_USER_INPUT, CONFLICT for a login that is taken in any letter case */
export async function createUser(caller: Caller, input: CreateUser): Promise<User> {
  requireAdmin(caller, 'Only an administrator creates users.')
  const login = normalizeLogin(input.login, 'input.login')
  const displayName = normalizeName(input.displayName ?? login, 'input.displayName')
  return transaction(caller, async tx => {
    await lockIdentities(tx)
    const user = await insertUser(tx, { login, displayName, role: input.role })
    await joinGroups(tx, user.id, input.groups ?? [])
    return user
  }).catch(loginTaken)
}

export interface UpdateUser {
  displayName?: string | null | undefined
  role?: Role | null | undefined
  groups?: readonly string[] | null | undefined
  disabled?: boolean | null | undefined
}

/** @throws FORBIDDEN, NOT_FOUND, BAD_USER_INPUT where the last administrator would be lost */
export async function updateUser(caller: Caller, login: string, input: UpdateUser): Promise<User> {
  requireAdmin(caller, 'Only an administrator changes users.')
  const { displayName, role, groups, disabled } = input
  return transaction(caller, async tx => {
    await lockIdentities(tx)
    const found = await findUser(tx, login)
    if (!found) throw notFound('user', 'login')
    const user = await tx.user.update({
      where: { id: found.id },
      data: {
        ...(displayName != null && {
          displayName: normalizeName(displayName, 'input.displayName'),
        }),
        ...(role != null && { role }),
        ...(disabled != null && { disabledAt: disabled ? (found.disabledAt ?? new Date()) : null }),
      },
    })
    if (groups != null) {
      await tx.groupMember.deleteMany({ where: { userId: user.id } })
      await joinGroups(tx, user.id, groups)
    }
    const admins = await tx.user.count({ where: { role: 'admin', disabledAt: null } })
    if (admins === 0) throw badInput('The last administrator must stay one.', 'input')
    return user
  })
}

/**
 * Changes of users and groups wait for one another: two administrators who demote each other at once
 * must not both succeed, and a membership must not be written from both of its sides.
 */
export function lockIdentities(tx: Tx) {
  // Triggers note in the change log what a user may do from now on.
  noteChanges(tx)
  return tx.$executeRaw`select pg_advisory_xact_lock(hashtext('engraph:identities'))`
}

/** By the login to the letter; text that PostgreSQL cannot keep is nobody's. */
export const findUser = async (on: Pick<Tx, 'user'>, login: string): Promise<User | null> =>
  isStorable(login) ? on.user.findUnique({ where: { login } }) : null

/** A user with the player that stands for it in messages. */
export async function insertUser(
  tx: Tx,
  data: { login: string; displayName: string; role: Role },
): Promise<User> {
  const user = await tx.user.create({ data })
  await tx.player.create({
    data: { hash: playerHash('user', user.id), kind: 'user', userId: user.id },
  })
  return user
}

async function joinGroups(tx: Tx, userId: string, keys: readonly string[]): Promise<void> {
  const wanted = [...new Set(keys)]
  if (!wanted.every(isStorable)) throw notFound('group', 'input.groups')
  const groups = await tx.group.findMany({ where: { key: { in: wanted } } })
  if (groups.length < wanted.length) throw notFound('group', 'input.groups')
  await tx.groupMember.createMany({ data: wanted.map(groupKey => ({ groupKey, userId })) })
}

/**
 * Logins and group keys stand in lists that are split at spaces, commas and semicolons, so they hold
 * none of these.
 */
export function normalizeLogin(text: string, field: string): string {
  const name = normalizeName(text, field)
  if (/[\s,;]/u.test(name)) {
    throw badInput('It cannot contain spaces, commas or semicolons.', field)
  }
  return name
}

function loginTaken(error: unknown): never {
  const constraint = violatedConstraint(error)
  if (constraint === 'users_login_key' || constraint === 'users_login_lower_key') {
    throw conflict('There is a user with this login.', 'input.login')
  }
  throw error
}
