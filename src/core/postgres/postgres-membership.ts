import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openSession, type Session, type SessionOptions } from './postgres-session.ts'
import { type Installation, stop } from './postmaster.ts'

const rejoinPause = 1_000

/**
 * Keeps this process a user of the server until the returned function is called, which stops the
 * server when nobody else uses it. PostgreSQL drops every connection when one of its processes is
 * killed, and goes on: without joining again, the next tool to end would stop it under our feet.
 */
export function keepMembership(
  first: Session,
  options: SessionOptions,
  installation: Installation,
  log: Pick<Logger, 'info' | 'error'>,
): () => Promise<void> {
  let session: Session | undefined
  let closing: Promise<void> | undefined

  function hold(held: Session) {
    session = held
    held.client.once('end', () => {
      session = undefined
      if (closing) return
      log.error(`the embedded PostgreSQL dropped its connections; see ${installation.logFile}`)
      void rejoin()
    })
  }

  async function rejoin() {
    while (!closing) {
      await delay(rejoinPause, undefined, { ref: false })
      const next = await openSession(options)
      if (!('client' in next)) continue
      if (closing) return next.client.end()
      if (options.role === 'server') await next.becomeServer().catch(() => {})
      hold(next)
      return log.info('the embedded PostgreSQL is back')
    }
  }

  async function close() {
    const last = session ?? (await openSession(options))
    if (!('client' in last)) return
    if (await last.leave().catch(() => false)) await stop(last.pid, installation)
    await last.client.end().catch(() => {})
  }

  hold(first)
  return () => {
    closing ??= close()
    return closing
  }
}
