import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { Caller, Viewer } from '../core/context.ts'
import type { Database } from '../core/database.ts'
import { badInput, DomainError, type ErrorCode, limitExceeded } from '../core/errors.ts'
import { readBytes, sendJson } from '../core/http-json.ts'
import type { Json } from '../core/json.ts'
import { notHeld, unheldNumber } from '../core/json-text.ts'
import { Loaders } from '../core/loaders.ts'
import type { Mount, MountRequest } from '../core/mount.ts'
import { heartbeatRun, leaseLost } from '../processes/lease.ts'
import { type CallbackEvent, eventSchema } from './callback-events.ts'
import { noteExecution } from './n8n-runs.sql.ts'
import { report } from './report.ts'

export interface CallbackOptions {
  db: Database
  /** In whose name runs are handed to n8n. */
  viewer: Viewer
  maxBytes: number
}

/** `POST /n8n/callback`: where n8n reports of a run, with the token that it was handed with the run. */
export class Callback implements Mount {
  readonly prefix = '/n8n/'
  readonly #options: CallbackOptions

  constructor(options: CallbackOptions) {
    this.#options = options
  }

  async handle({ req, res, path, requestId }: MountRequest): Promise<void> {
    const { maxBytes } = this.#options
    let done = 0
    try {
      if (path !== '/n8n/callback') return sendJson(res, 404, { error: 'There is nothing here.' })
      if (req.method !== 'POST') return sendJson(res, 405, { error: 'Reports are sent by POST.' })
      const lease = tokenOf(req)
      const body = await readBytes(req, maxBytes, {
        tooLarge: () => limitExceeded(`The body is larger than ${maxBytes} bytes.`),
        brokenOff: () => badInput('The body broke off.'),
      })
      const { events, isList } = readEvents(Buffer.from(body).toString())
      for (const event of events) {
        await this.#take(lease, event)
        done++
      }
      sendJson(res, 200, { ok: true, ...(isList && { done }) })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      const { code, message, field } = error
      sendJson(res, statuses[code] ?? 400, { error: message, code, field, done, requestId })
    } finally {
      req.resume()
    }
  }

  async #take(lease: string, event: CallbackEvent): Promise<void> {
    const { db, viewer } = this.#options
    const caller: Caller = { db, viewer, loaders: new Loaders() }
    if (event.executionId !== undefined) await noteExecution(db, lease, event.executionId)
    await report(caller, lease, event)
    // Whoever reports is at work; a question and an end have given the lease up.
    if (event.type !== 'question' && event.type !== 'end') await heartbeatRun(caller, lease)
  }
}

function tokenOf({ headers }: IncomingMessage): string {
  const token = /^Bearer +(lease_\S+)$/i.exec(headers.authorization?.trim() ?? '')?.[1]
  if (token === undefined) throw leaseLost()
  return token
}

const maxEvents = 1_000

function readEvents(text: string): { events: CallbackEvent[]; isList: boolean } {
  let body: Json
  try {
    body = JSON.parse(text)
  } catch {
    throw badInput('The body is not valid JSON.')
  }
  const number = unheldNumber(text)
  if (number !== undefined) throw badInput(`JSON ${notHeld(number)}`)
  const isList = Array.isArray(body)
  const result = z
    .array(eventSchema)
    .max(maxEvents)
    .safeParse(isList ? body : [body])
  if (result.success) return { events: result.data, isList }
  const [issue] = result.error.issues
  const path = (isList ? issue?.path : issue?.path.slice(1))?.join('.')
  throw badInput(`${issue?.message ?? 'The event is wrong.'}`, path || undefined)
}

const statuses: Partial<Record<ErrorCode, number>> = {
  LEASE_LOST: 401,
  NOT_FOUND: 404,
  CONFLICT: 409,
  ILLEGAL_TRANSITION: 409,
  LIMIT_EXCEEDED: 413,
  SERVICE_BUSY: 503,
}
