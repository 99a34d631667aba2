import type { Viewer } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { Loaders } from '../core/loaders.ts'
import { transaction } from '../core/transaction.ts'
import { insertUser, lockIdentities } from './users.ts'

/** Reserved: what the server itself carries out is done in this name. */
export const serviceLogin = 'engraph'

/** The server as a worker of its own, whose user is made where it is not there. It has no token. */
export async function serviceWorker(db: Database): Promise<Viewer> {
  const user = await transaction({ db, loaders: new Loaders() }, async tx => {
    const found = await tx.user.findUnique({ where: { login: serviceLogin } })
    if (found) return found
    await lockIdentities(tx)
    return (
      (await tx.user.findUnique({ where: { login: serviceLogin } })) ??
      (await insertUser(tx, { login: serviceLogin, displayName: 'Engraph', role: 'member' }))
    )
  })
  const none = { llmId: null, tokenId: null, expiresAt: null }
  return { kind: 'WORKER', userId: user.id, login: serviceLogin, groups: [], ...none }
}
