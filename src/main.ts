import { type App, startApp } from './app.ts'
import { readEnv } from './core/env.ts'
import { createLog } from './core/log.ts'
import { StartupError } from './core/startup-error.ts'

// A reader that goes away, as `npm start | head` does, is no reason to leave the database running.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  const env = readEnv()
  const starting = startApp(env, createLog(env))
  stopOnSignal(starting)
  announce(await starting)
} catch (error) {
  report(error)
  exit()
}

function announce({ url, firstToken }: App): void {
  const lines = [`Engraph is running at ${url}`]
  if (!firstToken) lines.push('npm run token makes a token for it.')
  if (firstToken) {
    lines.push(
      '',
      'This is the first start: the user admin was made. Its token is shown this once:',
      '',
      `  ${firstToken}`,
      '',
      'GraphiQL, with that token:',
      '',
      `  ${url}#token=${firstToken}`,
      '',
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** The first signal stops what was started, or is starting; a second one ends the process at once. */
function stopOnSignal(starting: Promise<App>): void {
  let firstSignal: number | undefined
  const stop = async () => {
    if (firstSignal !== undefined) {
      // A terminal sends Ctrl-C to npm as well, and npm passes it on.
      if (performance.now() - firstSignal > 500) process.exit(1)
      return
    }
    firstSignal = performance.now()
    try {
      // What did not start has stopped by itself, and has been reported.
      const app = await starting.catch(() => undefined)
      await app?.close()
    } catch (error) {
      report(error)
    }
    exit()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
}

function report(error: unknown): void {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
}

/** Leaves when all is printed; by itself, the process would wait for timers that Prisma has left. */
function exit(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()))
}

function reasonOf(error: unknown): string {
  if (error instanceof StartupError) return error.message
  const { code, port, message, stack } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is in use: set PORT to another one.`
  // The system says in words what it refuses; anything else is a fault of ours.
  return code ? `Engraph cannot go on: ${message}` : String(stack ?? error)
}
