import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { open, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { commandOf } from './pids.ts'
import { type Account, asAccount, giveTo } from './postgres-account.ts'
import type { Binaries } from './postgres-binaries.ts'
import { postgresEnvironment } from './postgres-environment.ts'

const run = promisify(execFile)

/** The data directory and what it takes to run a postmaster on it. */
export interface Installation {
  binaries: Binaries
  account: Account | undefined
  data: string
  logFile: string
  /** Settings of PostgreSQL over those that are always given. */
  settings: Record<string, string>
}

/**
 * Starts a postmaster on the loopback, on a free port unless one is given. It has a process group of
 * its own: a Ctrl-C at the terminal is for Node alone, which stops the postmaster when its own work
 * is at rest.
 */
export async function launch(installation: Installation, port?: number): Promise<ChildProcess> {
  const { binaries, account, data, logFile } = installation
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port ?? (await freePort())),
    unix_socket_directories: '',
    max_connections: '200',
    // The planner should know of a large import soon.
    autovacuum_naptime: '10s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...installation.settings,
  }
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const options = { ...asAccount(account), env: postgresEnvironment(), windowsHide: true }
  if (process.platform === 'win32') {
    // pg_ctl takes the administrator's rights away, which PostgreSQL refuses to run with.
    const quoted = words.map(word => `"${word}"`).join(' ')
    const arguments_ = ['start', '-W', '-D', data, '-l', logFile, '-o', quoted]
    return spawn(binaries.pgCtl, arguments_, { ...options, stdio: 'ignore' })
  }
  const log = await open(logFile, (await sizeOf(logFile)) > maxLogBytes ? 'w' : 'a', 0o600)
  try {
    await giveTo(account, logFile)
    const child = spawn(binaries.postgres, ['-D', data, ...words], {
      ...options,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    child.unref()
    return child
  } finally {
    await log.close()
  }
}

/** Stops a postmaster: its clients are disconnected, then it writes everything down. */
export async function stop(pid: number, installation: Installation): Promise<void> {
  const { binaries, account, data } = installation
  if (process.platform === 'win32') {
    await run(binaries.pgCtl, ['stop', '-D', data, '-m', 'fast', '-t', '20'], asAccount(account))
    return
  }
  // After an immediate shutdown, the next start replays the log: slower, and as safe.
  for (const [signal, milliseconds] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    const limit = Date.now() + milliseconds
    while (Date.now() < limit) {
      if ((await commandOf(pid)) === '') return
      await delay(10)
    }
  }
}

const maxLogBytes = 20 * 1024 * 1024

export const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Free now; whoever takes it in the next moment makes the start fail, which is then tried again. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
