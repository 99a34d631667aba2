import type { ChildProcess } from 'node:child_process'
import { open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { StartupError } from '../startup-error.ts'
import { isAlive } from './pids.ts'
import { openSession, type Role, type Session } from './postgres-session.ts'
import { type Installation, launch, sizeOf, stop } from './postmaster.ts'
import { isPostmaster, readPidFile, removePidFile } from './postmaster-pid.ts'

/** Replaying the log after a crash can take a while. */
const startLimit = 120_000
const patience = 3_000
/** A killed postmaster's last children hold on to the data until they notice. */
const launchLimit = 15_000
/** Between its making and its writing, postmaster.pid is empty; a power cut leaves it so. */
const emptyLimit = 2_000
/** A killed server's connection is open until PostgreSQL notices. */
const takeoverLimit = 2_000

export interface JoinOptions {
  password: string
  role: Role
  log: Pick<Logger, 'info'>
  /** The one that the postmaster must have; any, when it is not given. */
  port?: number
  /** Gives up when aborted, and leaves nothing running that it has started. */
  signal?: AbortSignal
}

/**
 * Joins the postmaster that runs on the data directory, which may be one that a killed Engraph left
 * behind, or starts one. Any number of processes may do this at once: PostgreSQL lets one postmaster
 * run on a data directory, and whoever does not get to start it joins it.
 */
export async function joinOrStart(
  installation: Installation,
  { password, role, log, port, signal }: JoinOptions,
): Promise<Session> {
  const { data, logFile } = installation
  const begin = Date.now()
  let told = false
  let child: ChildProcess | undefined
  let logStart = 0
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 250)) {
    if (signal?.aborted) {
      if (child?.pid && !hasEnded(child)) await stop(child.pid, installation)
      throw signal.reason
    }
    const running = await readPidFile(data)
    const answer =
      running?.port && running.port === (port ?? running.port)
        ? await openSession({ data, password, role, pid: running.pid, port: running.port })
        : undefined
    if (answer && 'client' in answer) {
      if (role === 'server') await becomeServer(answer, installation)
      return answer
    }
    const elapsed = Date.now() - begin
    const alive =
      answer?.busy ||
      (running?.pid === 0 && elapsed < emptyLimit) ||
      (running && (await isPostmaster(running.pid, data)))
    if (!alive && hasEnded(child)) {
      if (child) await checkEnd(logFile, logStart, elapsed)
      if (running?.pid === 0 || (running && isAlive(running.pid)))
        await removePidFile(data, running)
      logStart = await sizeOf(logFile)
      child = await launch(installation, port)
    }
    const reason = answer?.reason ?? 'it does not answer yet'
    if (elapsed > startLimit) {
      throw new StartupError(
        `The PostgreSQL of ${data} (process ${running?.pid}) does not let Engraph in: ${reason}. Stop it, or see ${logFile}.`,
      )
    }
    if (elapsed > patience && !told) {
      told = true
      log.info(`waiting for PostgreSQL: ${reason}`)
    }
    await delay(pause)
  }
}

async function becomeServer(session: Session, installation: Installation): Promise<void> {
  const begin = Date.now()
  let other: string | undefined
  do {
    other = await session.becomeServer()
    if (other === undefined) return
    await delay(50)
  } while (Date.now() - begin < takeoverLimit)
  if (await session.leave()) await stop(session.pid, installation)
  await session.client.end()
  throw new StartupError(
    `The database in ${installation.data} is in use by a running Engraph (${other}): stop it first, or set DATA_DIR to another folder.`,
  )
}

const hasEnded = (child: ChildProcess | undefined) =>
  child === undefined || child.exitCode !== null || child.signalCode !== null

/** Another start of ours, a port that was taken, or the remains of a killed postmaster: these pass. */
const passing = /lock file|shared memory block|TCP\/IP sockets/

async function checkEnd(logFile: string, from: number, elapsed: number): Promise<void> {
  const log = await readFrom(logFile, from)
  if (passing.test(log) && elapsed < launchLimit) return
  const lines = log.trim().split('\n')
  const complaint = lines.findLast(line => /FATAL|PANIC/.test(line)) ?? lines.at(-1)
  throw new StartupError(
    `PostgreSQL did not start: ${complaint?.replace(/^.*?(FATAL|PANIC): +/, '')}. See ${logFile}.`,
  )
}

async function readFrom(path: string, from: number): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return ''
  try {
    const { size } = await file.stat()
    const start = Math.min(from, size)
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(size - start),
      position: start,
    })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
