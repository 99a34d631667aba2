import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { commandOf } from './pids.ts'

/** What `postmaster.pid` in a data directory says. The port is there a moment after the process. */
export interface PidFile {
  /** 0 when the file is empty. */
  pid: number
  port: number | undefined
}

export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const text = await readFile(pathIn(data), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parse(text)
}

/** Whether the process is this data directory's postmaster, and not another that has its id now. */
export async function isPostmaster(pid: number, data: string): Promise<boolean> {
  const command = await commandOf(pid)
  // Windows tells the program's name only.
  return command.includes(process.platform === 'win32' ? 'postgres.exe' : `-D ${data}`)
}

/**
 * Takes the file of a postmaster that is gone out of the way. PostgreSQL does so itself, but not
 * when another process has got the id. A file that was replaced meanwhile is put back.
 */
export async function removePidFile(data: string, stale: PidFile): Promise<void> {
  const aside = `${pathIn(data)}.${randomBytes(4).toString('hex')}`
  try {
    await rename(pathIn(data), aside)
    const { pid, port } = parse(await readFile(aside, 'utf8'))
    if (pid !== stale.pid || port !== stale.port) await link(aside, pathIn(data))
  } catch {
    // Another start was quicker.
  }
  await rm(aside, { force: true })
}

const pathIn = (data: string) => join(data, 'postmaster.pid')

function parse(text: string): PidFile {
  const lines = text.split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]) || undefined }
}
