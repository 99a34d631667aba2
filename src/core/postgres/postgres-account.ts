import { execFile } from 'node:child_process'
import { chown } from 'node:fs/promises'
import { promisify } from 'node:util'
import { StartupError } from '../startup-error.ts'

const run = promisify(execFile)

/** The operating system's user that PostgreSQL runs as, where that is not ourselves. */
export interface Account {
  uid: number
  gid: number
}

const name = 'postgres'

/** PostgreSQL refuses to run as root; it then runs as user postgres, made when there is none. */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  return (await lookUp()) ?? (await create())
}

/** What `spawn` needs to run a program as the account. No folder of ours need be open to it. */
export const asAccount = (account: Account | undefined) => ({ cwd: '/', ...account })

/** Whether the account can enter the folder: asked of the system, as the account. */
export async function canEnter(account: Account | undefined, folder: string): Promise<boolean> {
  if (account === undefined) return true
  try {
    await run('test', ['-x', folder], asAccount(account))
    return true
  } catch (error) {
    const { code, signal } = error as NodeJS.ErrnoException & { signal?: string }
    if (code === 'EPERM') throw cannotSwitch(error)
    // A Ctrl-C at the terminal ends the question too, and is no answer to it.
    if (signal) throw new StartupError('The start was broken off.', { cause: error })
    return false
  }
}

export async function giveTo(account: Account | undefined, path: string): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid)
}

async function lookUp(): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}

async function create(): Promise<Account> {
  let reason: unknown
  // Another start may be making the user now: it holds the lock on /etc/passwd, or is done by then.
  for (let attempt = 0; attempt < 5; attempt++) {
    await run('groupadd', ['--system', name]).catch(() => {})
    await run('useradd', [
      ...['--system', '--gid', name, '--no-create-home'],
      ...['--shell', '/usr/sbin/nologin', name],
    ]).catch(error => {
      reason = error
    })
    const account = await lookUp()
    if (account !== undefined) return account
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  throw new StartupError(
    'PostgreSQL refuses to run as root, and a user postgres to run it as could not be made: make one, start Engraph as another user, or set DATABASE_URL.',
    { cause: reason },
  )
}

function cannotSwitch(cause: unknown): StartupError {
  return new StartupError(
    'PostgreSQL refuses to run as root, and this root may not start a program as user postgres: start Engraph as another user, or set DATABASE_URL.',
    { cause },
  )
}
