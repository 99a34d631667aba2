import { DomainError } from '../core/errors.ts'
import { StartupError } from '../core/startup-error.ts'
import { openCaller, runTool } from '../core/tool.ts'
import { operator } from './operator.ts'
import { createToken } from './tokens.ts'

const [login = 'admin'] = process.argv.slice(2)

await runTool(async () => {
  const { caller, close } = await openCaller(operator)
  try {
    const { secret } = await createToken(caller, { login, kind: 'user', name: 'npm run token' })
    process.stdout.write(`${secret}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new StartupError(`${login}: ${error.message}`, { cause: error })
  } finally {
    await close()
  }
})
