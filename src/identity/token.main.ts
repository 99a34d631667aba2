import { readEnv } from '../core/env.ts'
import { DomainError } from '../core/errors.ts'
import { Loaders } from '../core/loaders.ts'
import { createLog } from '../core/log.ts'
import { StartupError } from '../core/startup-error.ts'
import { openStorage } from '../core/storage.ts'
import { operator } from './operator.ts'
import { createToken } from './tokens.ts'

const [login = 'admin'] = process.argv.slice(2)

try {
  const env = readEnv()
  const storage = await openStorage(env, {
    log: createLog({ ...env, LOG_LEVEL: 'warn' }),
    role: 'tool',
  })
  try {
    const caller = { viewer: operator, db: storage.db, loaders: new Loaders() }
    const { secret } = await createToken(caller, { login, name: 'npm run token' })
    process.stdout.write(`${secret}\n`)
  } finally {
    await storage.close()
  }
} catch (error) {
  if (!(error instanceof DomainError || error instanceof StartupError)) throw error
  const reason = error instanceof DomainError ? `${login}: ${error.message}` : error.message
  process.stderr.write(`${reason}\n`)
  process.exitCode = 1
}
