import { randomBytes } from 'node:crypto'
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isAlive } from './pids.ts'

/**
 * Makes a folder whole or not at all: it is filled under another name and then renamed. False when
 * the folder is there already, or when another process was quicker. What processes that were cut
 * off have left half made is removed.
 */
export async function makeWhole(
  folder: string,
  fill: (draft: string) => Promise<void>,
): Promise<boolean> {
  if (await exists(folder)) return false
  await removeLeftovers(folder)
  const draft = `${folder}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  drafts.add(draft)
  try {
    await mkdir(draft)
    await fill(draft)
    await rename(draft, folder)
    return true
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (await exists(folder)) return false
    throw error
  } finally {
    drafts.delete(draft)
  }
}

export const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

const drafts = new Set<string>()

async function removeLeftovers(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.new-`
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix)) continue
    const path = join(dirname(folder), name)
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    // In a container every run may have the same process id: our own drafts are those we know of.
    const inUse = pid === process.pid ? drafts.has(path) : isAlive(pid)
    // A child of the dead process may write to it for a moment still.
    if (!inUse) await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}
