import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The id that a proxy gave the request, when it is one that can be logged as it is; else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID()
}
