import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { beforeAll, onTestFinished } from 'vitest'
import { build } from '../../scripts/build.mjs'
import type { Role } from '../../src/core/postgres/postgres-session.ts'

const script = fileURLToPath(new URL('embedded-user.mjs', import.meta.url))

beforeAll(build, 60_000)

/** Another process that uses the embedded PostgreSQL in the directory. */
export interface EmbeddedUser {
  pid: number
  url: string
  /** Ends it as Ctrl-C does. */
  close(): Promise<void>
  /** Ends it as a crash does. */
  kill(): Promise<void>
}

/** Rejects with what the process complains of. */
export async function startUser(directory: string, role: Role): Promise<EmbeddedUser> {
  const child = spawnUser(directory, role)
  let complaint = ''
  child.stderr.on('data', chunk => {
    complaint += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', chunk => resolve(String(chunk).trim()))
    child.once('close', () => reject(new Error(complaint)))
  })
  return {
    pid: child.pid ?? 0,
    url,
    close: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  }
}

/** Resolves before it is ready. */
export function spawnUser(directory: string, role: Role): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [script, directory, role])
  onTestFinished(() => end(child, 'SIGTERM'))
  return child
}

export async function end(
  child: ChildProcessWithoutNullStreams,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}
