import type { Caller, Viewer } from './context.ts'
import { type Env, readEnv } from './env.ts'
import { DomainError } from './errors.ts'
import { Loaders } from './loaders.ts'
import { createLog, type Log } from './log.ts'
import { StartupError } from './startup-error.ts'
import { openStorage } from './storage.ts'

/**
 * Runs a command that is used beside the server, or without it; what the work answers is the exit
 * code. What the person at the terminal can mend is told in one line.
 */
export async function runTool(
  work: (signal: AbortSignal) => Promise<number | undefined>,
): Promise<void> {
  const signal = stopSignal()
  try {
    process.exitCode = await work(signal)
  } catch (error) {
    if (signal.aborted && error === signal.reason) {
      process.exitCode = stopped
      return
    }
    if (!(error instanceof DomainError || error instanceof StartupError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** The configuration, and a log that keeps quiet of what goes well. */
export function toolSettings(): { env: Env; log: Log } {
  const env = readEnv()
  return { env, log: createLog({ ...env, LOG_LEVEL: 'warn' }) }
}

/** The migrated database, with the rights of the viewer. */
export async function openCaller(
  viewer: Viewer,
): Promise<{ caller: Caller; close(): Promise<void> }> {
  const { env, log } = toolSettings()
  const { db, close } = await openStorage(env, { log, role: 'tool' })
  return { caller: { viewer, db, loaders: new Loaders() }, close }
}

/** As a shell reports what Ctrl-C has ended. */
const stopped = 130

/** Aborted by the first Ctrl-C, so that the work can leave in order; the second one ends the process. */
function stopSignal(): AbortSignal {
  const stop = new AbortController()
  let first: number | undefined
  const onSignal = () => {
    first ??= performance.now()
    // A terminal sends Ctrl-C to npm as well, and npm passes it on.
    if (performance.now() - first > 500) process.exit(stopped)
    stop.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal)
  return stop.signal
}
