import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The command line; empty for a process that is gone, or dead and not yet buried. */
export async function commandOf(pid: number): Promise<string> {
  if (!isAlive(pid)) return ''
  try {
    if (process.platform === 'linux') {
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim()
    }
    const { stdout } =
      process.platform === 'win32'
        ? await run('tasklist', ['/fo', 'csv', '/nh', '/fi', `PID eq ${pid}`])
        : await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
    return stdout.trim()
  } catch {
    return ''
  }
}
