import { byId } from '../core/by-id.ts'
import type { Caller } from '../core/context.ts'
import { notFound } from '../core/errors.ts'
import { normalizeName } from '../core/names.ts'
import { query } from '../core/query.ts'
import { raw, sql } from '../core/sql.ts'
import { isStorable } from '../core/text.ts'
import { transaction } from '../core/transaction.ts'
import type { Group } from '../generated/prisma/client.ts'
import { requireAdmin } from './guards.ts'
import { visibleGroups } from './identity.sql.ts'
import { lockIdentities, normalizeLogin } from './users.ts'

/** The group with this key, or null where the viewer may not see one. */
export const groupByKey = (caller: Caller, key: string) =>
  byId<string, Group>(caller, {
    name: 'group',
    columns: raw('g.key, g.name'),
    from: raw('core.groups g'),
    key: raw('g.key'),
    keyType: 'text',
    visible: visibleGroups(caller.viewer),
  }).load(key)

/** The groups that the viewer may see: its own, or all for an administrator. */
export const listGroups = ({ viewer, db }: Caller) =>
  query<Group>(
    db.pool,
    sql`select g.key, g.name from core.groups g where ${visibleGroups(viewer)} order by g.key`,
  )

/** The groups that count for the viewer: of a JWT with groups, those that it names. */
export const ownGroups = ({ viewer, db }: Caller) =>
  query<Group>(
    db.pool,
    sql`select g.key, g.name from core.groups g where g.key = any(${viewer.groups}::text[])
      order by g.key`,
  )

/** The groups of a user, of those that the viewer may see. */
export function groupsOf({ viewer, db, loaders }: Caller, userId: string): Promise<Group[]> {
  const groups = loaders.use('groups of a user', async (ids: readonly string[]) => {
    const rows = await query<Group & { userId: string }>(
      db.pool,
      sql`select g.key, g.name, m.user_id as "userId"
        from core.group_members m join core.groups g on g.key = m.group_key
        where m.user_id = any(${ids}::uuid[]) and ${visibleGroups(viewer)} order by g.key`,
    )
    return ids.map(id => rows.filter(row => row.userId === id))
  })
  return groups.load(userId)
}

/**
 * Makes the group, or gives an existing one this name and exactly these members.
 * @throws FORBIDDEN, BAD_USER_INPUT, NOT_FOUND naming a login that nobody has
 */
export async function saveGroup(
  caller: Caller,
  input: { key: string; name: string; members: readonly string[] },
): Promise<Group> {
  requireAdmin(caller, 'Only an administrator saves groups.')
  const key = normalizeLogin(input.key, 'key')
  const name = normalizeName(input.name, 'name')
  const logins = [...new Set(input.members)]
  return transaction(caller, async tx => {
    await lockIdentities(tx)
    const group = await tx.group.upsert({ where: { key }, create: { key, name }, update: { name } })
    const users = await tx.user.findMany({ where: { login: { in: logins.filter(isStorable) } } })
    const known = new Set(users.map(user => user.login))
    const missing = input.members.findIndex(login => !known.has(login))
    if (missing !== -1) throw notFound('user', `members.${missing}`)
    await tx.groupMember.deleteMany({ where: { groupKey: key } })
    await tx.groupMember.createMany({
      data: users.map(user => ({ groupKey: key, userId: user.id })),
    })
    return group
  })
}
