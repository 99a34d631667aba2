import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Answers an upgrade that is not taken. */
export function refuseUpgrade(stream: Duplex, status: number, message: string): void {
  stream.once('finish', () => stream.destroy())
  const body = JSON.stringify({ error: message })
  stream.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}

const ofUpgrade = /^(upgrade|connection|http2-settings)$/i

/**
 * Reads a request as if it had not offered to change the protocol. A server may ignore an offer, as of
 * HTTP/2 by Java's client, but Node gives up the connection on any; so it is given a new start.
 */
export function ignoreUpgrade(
  server: Server,
  { method, url, rawHeaders }: IncomingMessage,
  stream: Duplex,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/1.1`]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (!ofUpgrade.test(name)) lines.push(`${name}: ${rawHeaders[i + 1]}`)
  }
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', stream)
}
