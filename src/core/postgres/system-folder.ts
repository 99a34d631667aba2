import { chmod, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartupError } from '../startup-error.ts'

/** Where root may keep what other users must be able to reach: state, or at the worst a temporary folder. */
export const systemFolders = ['/var/lib/engraph', join(tmpdir(), 'engraph')]

/** The first of the folders that can be had, made when there is none. */
export async function makeSystemFolder(folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    await mkdir(folder, { recursive: true }).catch(() => {})
    if (!(await isRoots(folder))) continue
    await chmod(folder, 0o755)
    return folder
  }
  throw new StartupError(
    `PostgreSQL refuses to run as root, and there is no folder that another user could reach (${folders.join(', ')}): move the clone, or set DATABASE_URL.`,
  )
}

/** In a temporary folder anybody may have laid something of that name, for root to trust. */
export async function isRoots(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === 0
}
