import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../src/core/postgres/pids.ts'
import { isPostmaster, readPidFile } from '../../src/core/postgres/postmaster-pid.ts'

const prefix = 'engraph-tests-'

/** A folder for the servers of this run; what runs that were killed have left behind is removed. */
export async function makeRunFolder(): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    if (isAlive(Number.parseInt(name.slice(prefix.length), 10))) continue
    // Another user's, when it fails.
    await removeRunFolder(join(tmpdir(), name)).catch(() => {})
  }
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  await chmod(folder, 0o755)
  return folder
}

export async function removeRunFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await killPostmaster(join(folder, name))
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** Its data are about to be removed, so it need not write them down. */
async function killPostmaster(directory: string): Promise<void> {
  const data = join(directory, 'postgres', 'data')
  const running = await readPidFile(data)
  if (running && (await isPostmaster(running.pid, data))) process.kill(running.pid, 'SIGQUIT')
}
