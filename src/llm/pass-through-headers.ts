import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

/** What a client says to Engraph, and the model server never hears. */
export const ownHeaders = {
  token: 'x-engraph-token',
  scope: 'x-engraph-scope',
  processCode: 'x-engraph-process',
  lease: 'x-engraph-lease',
  step: 'x-engraph-step',
} as const

/** Those of one connection alone: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const ofClient = new Set(['host', 'expect', 'cookie', 'origin', 'referer', 'forwarded'])

/** The headers of a request as they go on. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  authorization: string | undefined,
): OutgoingHttpHeaders {
  const sent = passed(
    headers,
    name => ofClient.has(name) || name.startsWith('x-engraph-') || name.startsWith('x-forwarded-'),
  )
  delete sent.authorization
  return {
    ...sent,
    ...(authorization !== undefined && { authorization }),
    // Node would send the body of a DELETE without a word of its length.
    ...(headers['transfer-encoding'] && { 'transfer-encoding': 'chunked' }),
    ...(headers['accept-encoding'] && { 'accept-encoding': readable(headers['accept-encoding']) }),
  }
}

/** Of the encodings that a client takes, those that a record can be read from. */
const readable = (encodings: string) =>
  encodings
    .split(',')
    .filter(encoding => /^\s*(?:gzip|deflate|br|identity)\b/i.test(encoding))
    .join(',') || 'identity'

/** What concerns the model server's own address alone, or the server says itself. */
const ofServer = new Set([
  'x-request-id',
  'set-cookie',
  'strict-transport-security',
  'alt-svc',
  'clear-site-data',
])

/** Those of an answer. */
export const responseHeaders = (headers: IncomingHttpHeaders): OutgoingHttpHeaders =>
  passed(headers, name => ofServer.has(name) || name.startsWith('access-control-'))

function passed(
  headers: IncomingHttpHeaders,
  isLeftOut: (name: string) => boolean,
): OutgoingHttpHeaders {
  const named = new Set(
    headers.connection
      ?.toLowerCase()
      .split(',')
      .map(name => name.trim()),
  )
  // Without its length a body would be taken for the next request.
  named.delete('content-length')
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !ofConnection.has(name) && !named.has(name) && !isLeftOut(name),
    ),
  )
}
