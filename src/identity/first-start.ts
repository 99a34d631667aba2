import type { Database } from '../core/database.ts'
import { Loaders } from '../core/loaders.ts'
import { transaction } from '../core/transaction.ts'
import { hashSecret, newSecret } from './secrets.ts'
import { serviceLogin } from './service-user.ts'
import { insertUser } from './users.ts'

/**
 * On a database without users but the server's own, makes the user `admin` and a token for it.
 * @returns the secret, once: several instances that start at once get one admin and one secret
 */
export async function ensureAdmin(db: Database): Promise<string | null> {
  const somebody = { where: { login: { not: serviceLogin } }, select: { id: true } }
  if (await db.prisma.user.findFirst(somebody)) return null
  return transaction({ db, loaders: new Loaders() }, async tx => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtext('engraph:first-start'))`
    if (await tx.user.findFirst(somebody)) return null
    const data = { login: 'admin', displayName: 'Administrator', role: 'admin' as const }
    const user = await insertUser(tx, data)
    const secret = newSecret()
    const token = { kind: 'user' as const, userId: user.id, name: 'first start' }
    await tx.apiToken.create({ data: { ...token, secretHash: hashSecret(secret) } })
    return secret
  })
}
