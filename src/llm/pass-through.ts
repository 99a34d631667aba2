import type { IncomingMessage } from 'node:http'
import type { Database } from '../core/database.ts'
import type { Env } from '../core/env.ts'
import {
  DomainError,
  type ErrorCode,
  limitExceeded,
  notFound,
  unauthenticated,
} from '../core/errors.ts'
import { sendJson } from '../core/http-json.ts'
import { Loaders } from '../core/loaders.ts'
import type { Mount, MountRequest } from '../core/mount.ts'
import { normalizeName } from '../core/names.ts'
import { Slots } from '../core/slots.ts'
import type { Authenticate } from '../identity/authenticate.ts'
import { findCallPlace, type NamedPlace } from '../processes/call-place.ts'
import { forward } from './forward.ts'
import { ownHeaders, requestHeaders } from './pass-through-headers.ts'
import { recordPassed } from './record-passed.ts'
import { addressBelow, baseOf, type ModelServer, type ModelServers } from './upstream.ts'

export interface PassThroughOptions {
  env: ModelServers & Pick<Env, 'MAX_OPERATIONS_PER_VIEWER'>
  db: Database
  authenticate: Authenticate
}

/**
 * `/llm/ollama/*` and `/llm/openai/*`: hands requests on to the configured model server, and its answers
 * back as they come, and records each call when it has ended.
 */
export class PassThrough implements Mount {
  readonly prefix = '/llm/'
  readonly #options: PassThroughOptions
  readonly #slots: Slots
  readonly #recording = new Set<Promise<void>>()

  constructor(options: PassThroughOptions) {
    this.#options = options
    this.#slots = new Slots(options.env.MAX_OPERATIONS_PER_VIEWER)
  }

  async handle({ req, res, log, requestId }: MountRequest): Promise<void> {
    const refuse = (status: number, message: string, code?: ErrorCode) => {
      req.resume()
      // Clients of the OpenAI API would try a conflict again.
      if (status === 409) res.setHeader('x-should-retry', 'false')
      // Each kind of client shows an error that has the shape of its own server's.
      const isOllama = req.url?.startsWith('/llm/ollama/')
      const error = isOllama ? message : { message, code, requestId }
      sendJson(res, status, { error, ...(isOllama && { code, requestId }) })
    }
    try {
      // An answer to TRACE has the headers of the request, and with them the key.
      if (req.method === 'TRACE') return refuse(405, 'This method is not passed on.')
      const { address, server } = this.#addressOf(req)
      const { caller, authorization } = await this.#asker(req, server)
      const { scope, ...named } = namedPlace(req)
      const place = await findCallPlace(caller, named, ownHeaders)
      const giveBack = this.#slots.take(caller.viewer.userId)
      if (!giveBack) throw limitExceeded('Too many calls of this user run at once.')
      const headers = requestHeaders(req.headers, authorization)
      const silenceMs = this.#options.env.LLM_TIMEOUT_MS
      const passing = forward(req, res, { address, headers, silenceMs, refuse }).finally(giveBack)
      if (req.method === 'GET' || req.method === 'HEAD') return
      const recording = passing
        .then(passed =>
          recordPassed(caller, { ...passed, address, scope, lease: named.lease, place }),
        )
        .catch(error => log.error({ err: error }, 'a call of a model could not be recorded'))
        .finally(() => this.#recording.delete(recording))
      this.#recording.add(recording)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      refuse(statuses[error.code] ?? 400, error.message, error.code)
    }
  }

  /** Waits until all that was passed on is recorded. */
  async close(): Promise<void> {
    await Promise.all(this.#recording)
  }

  #addressOf({ url = '' }: IncomingMessage): { address: URL; server: ModelServer } {
    const [, server, path = '/'] = /^\/llm\/(ollama|openai)(\/.*)?$/s.exec(url) ?? []
    if (server !== 'ollama' && server !== 'openai') throw notFound('model server')
    const base = baseOf(this.#options.env, server)
    if (base === undefined) {
      throw new DomainError('NOT_FOUND', `${server.toUpperCase()}_URL is not set.`)
    }
    const address = addressBelow(base, path)
    if (!address) throw notFound('path')
    return { address, server }
  }

  /** Who calls, and with what authorisation the call goes on. */
  async #asker({ headers }: IncomingMessage, server: ModelServer) {
    const { authenticate, db, env } = this.#options
    const token = headers[ownHeaders.token]
    const viewer = await authenticate(token ? `Bearer ${token}` : headers.authorization)
    if (!viewer) {
      throw unauthenticated(`Send a token of Engraph as Authorization, or as ${ownHeaders.token}.`)
    }
    const key = server === 'openai' && env.OPENAI_API_KEY
    const own = key ? `Bearer ${key}` : undefined
    return {
      caller: { viewer, db, loaders: new Loaders() },
      authorization: token ? headers.authorization : own,
    }
  }
}

/** What the client says of its call. */
function namedPlace({ headers }: IncomingMessage): NamedPlace & { scope: string } {
  const said = (name: string) => {
    const value = headers[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  return {
    scope: normalizeName(said(ownHeaders.scope) ?? 'pass-through', ownHeaders.scope, 200),
    processCode: said(ownHeaders.processCode),
    lease: said(ownHeaders.lease),
    step: said(ownHeaders.step),
  }
}

const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  LEASE_LOST: 409,
  LIMIT_EXCEEDED: 429,
  SERVICE_BUSY: 503,
}
