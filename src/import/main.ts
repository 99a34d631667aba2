import { readEnv } from '../core/env.ts'
import { Loaders } from '../core/loaders.ts'
import { createLog } from '../core/log.ts'
import { openStorage } from '../core/storage.ts'
import { operator } from '../identity/operator.ts'
import { runImport } from './run.ts'

// The second Ctrl-C ends the process at once.
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())

process.exitCode = await runImport(process.argv.slice(2), {
  async open() {
    const env = readEnv()
    const storage = await openStorage(env, {
      log: createLog({ ...env, LOG_LEVEL: 'warn' }),
      role: 'tool',
    })
    const caller = { viewer: operator, db: storage.db, loaders: new Loaders() }
    return { caller, close: () => storage.close() }
  },
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
})
