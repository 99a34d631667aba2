import { createHash } from 'node:crypto'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { StartupError } from '../startup-error.ts'
import { type Account, canEnter, postgresAccount } from './postgres-account.ts'
import { isRoots, makeSystemFolder, systemFolders } from './system-folder.ts'

/** Where an embedded PostgreSQL lives, and as whom. */
export interface Home {
  folder: string
  account: Account | undefined
  /** A folder for copies of PostgreSQL's programs, which the account can enter. */
  copies: () => Promise<string>
}

/** The databases' folder in a home. */
export const clusterFolder = (home: string) => join(home, 'postgres')

/**
 * The directory itself, unless PostgreSQL has to run as another user who cannot enter it, as in a
 * clone under root's own home: then a folder of the system's, always the same one for the directory.
 */
export async function chooseHome(
  directory: string,
  log: Pick<Logger, 'info'>,
  folders: readonly string[] = systemFolders,
): Promise<Home> {
  const wanted = resolve(directory)
  const account = await postgresAccount()
  if (account === undefined) return ownHome(wanted)

  const copies = () => makeSystemFolder(folders)
  const home = (await existingHome(wanted, folders)) ?? (await newHome(wanted, account, copies))
  await checkAccess(home)
  if (home.folder !== wanted) {
    log.info(`the database is kept in ${home.folder}: user postgres cannot enter ${wanted}`)
  }
  return { ...home, copies }
}

type Place = Omit<Home, 'copies'>

async function ownHome(folder: string): Promise<Home> {
  await mkdir(folder, { recursive: true })
  const owner = await ownerOf(folder)
  if (owner !== undefined && owner.uid !== process.getuid?.()) {
    throw new StartupError(
      `The database in ${folder} belongs to another user (uid ${owner.uid}): start Engraph as that user or as root, or set DATA_DIR to another folder.`,
    )
  }
  return { folder, account: undefined, copies: async () => folder }
}

/** Whoever began a database, PostgreSQL goes on as its owner. */
async function existingHome(
  wanted: string,
  folders: readonly string[],
): Promise<Place | undefined> {
  const places = [wanted]
  for (const folder of folders) if (await isRoots(folder)) places.push(placeIn(folder, wanted))
  for (const folder of places) {
    const account = await ownerOf(folder)
    if (account !== undefined) return { folder, account }
  }
  return undefined
}

async function newHome(
  wanted: string,
  account: Account,
  systemFolder: () => Promise<string>,
): Promise<Place> {
  if ((await mkdir(wanted, { recursive: true })) !== undefined) await chmod(wanted, 0o755)
  if (await canEnter(account, wanted)) return { folder: wanted, account }
  const folder = placeIn(await systemFolder(), wanted)
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  return { folder, account }
}

async function checkAccess({ folder, account }: Place): Promise<void> {
  if (account?.uid === 0) {
    throw new StartupError(
      `The database in ${folder} belongs to root, and PostgreSQL refuses to run as root: give it to user postgres by chown -R postgres ${clusterFolder(folder)}`,
    )
  }
  if (!(await canEnter(account, folder))) {
    throw new StartupError(
      `The database in ${folder} cannot be reached by its owner (uid ${account?.uid}): let that user pass through the folders above it.`,
    )
  }
}

async function ownerOf(home: string): Promise<Account | undefined> {
  // Windows has no such owners.
  if (process.getuid === undefined) return undefined
  const found = await stat(clusterFolder(home)).catch(() => undefined)
  return found && { uid: found.uid, gid: found.gid }
}

function placeIn(folder: string, directory: string): string {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 12)
  return join(folder, `${basename(dirname(directory))}-${hash}`)
}
