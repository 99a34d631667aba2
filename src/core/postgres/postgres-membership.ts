import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { joinOrStart } from './postgres-join.ts'
import { openSession, type Role, type Session } from './postgres-session.ts'
import { type Installation, stop } from './postmaster.ts'
import { readPidFile } from './postmaster-pid.ts'

export interface MembershipOptions {
  password: string
  role: Role
  log: Pick<Logger, 'info' | 'error'>
}

/** A PostgreSQL that goes down more often has a reason that another start does not remove. */
const restartsPerMinute = 5
const pause = 1_000

/**
 * Keeps this process a user of PostgreSQL until the returned function is called, which stops
 * PostgreSQL when nobody else uses it. PostgreSQL drops every connection when one of its processes is
 * killed, and goes on: without joining again, the next tool to end would stop it under our feet. When
 * PostgreSQL itself is gone, a server starts it again, on the port that its URL names.
 */
export function keepMembership(
  first: Session,
  installation: Installation,
  options: MembershipOptions,
): () => Promise<void> {
  const { password, role, log } = options
  const { data, logFile } = installation
  const { port } = first
  const closing = new AbortController()
  const restarts = new Restarts()
  let session: Session | undefined
  let rejoining: Promise<void> | undefined
  let closed: Promise<void> | undefined

  function hold(held: Session) {
    session = held
    held.client.once('end', () => {
      session = undefined
      if (closing.signal.aborted) return
      log.error(`the embedded PostgreSQL dropped its connections; see ${logFile}`)
      rejoining = rejoin(held.pid)
    })
  }

  async function rejoin(lostPid: number) {
    while (!closing.signal.aborted) {
      if (restarts.areTooMany()) {
        return log.error('the embedded PostgreSQL does not stay up: it is not started again')
      }
      const next = await (role === 'server' ? restart() : join())
      if (next) {
        if (next.pid !== lostPid) restarts.note()
        hold(next)
        return log.info('the embedded PostgreSQL is back')
      }
      await delay(pause, undefined, { ref: false })
    }
  }

  /** Joins the PostgreSQL that is there; starts one where there is none. */
  async function restart(): Promise<Session | undefined> {
    try {
      return await joinOrStart(installation, { password, role, log, port, signal: closing.signal })
    } catch (error) {
      if (closing.signal.aborted) return undefined
      restarts.note()
      log.error((error as Error).message)
      return undefined
    }
  }

  async function join(): Promise<Session | undefined> {
    const running = await readPidFile(data)
    if (running?.port !== port) return undefined
    const answer = await openSession({ data, password, role, pid: running.pid, port })
    return 'client' in answer ? answer : undefined
  }

  async function close() {
    closing.abort()
    await rejoining
    const last = session ?? (await join())
    if (!last) return
    if (await last.leave().catch(() => false)) await stop(last.pid, installation)
    await last.client.end().catch(() => {})
  }

  hold(first)
  return () => {
    closed ??= close()
    return closed
  }
}

class Restarts {
  readonly #times: number[] = []

  note(): void {
    this.#times.push(Date.now())
  }

  areTooMany(): boolean {
    const earliest = this.#times.at(-restartsPerMinute)
    return earliest !== undefined && Date.now() - earliest < 60_000
  }
}
