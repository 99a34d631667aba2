import type { IncomingMessage, ServerResponse } from 'node:http'

export function sendJson(to: ServerResponse, status: number, body: unknown): void {
  to.statusCode = status
  to.setHeader('content-type', 'application/json; charset=utf-8')
  to.end(JSON.stringify(body))
}

export interface BodyRefusals {
  tooLarge(): Error
  brokenOff(): Error
}

/**
 * The bytes of a request's body. One over the limit is refused as soon as its length is known: by its
 * header, or by the bytes that have come, whatever a header claims.
 */
export function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  { tooLarge, brokenOff }: BodyRefusals,
): Promise<Uint8Array> {
  if (Number(request.headers['content-length']) > maxBytes) return Promise.reject(tooLarge())

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) {
        // The rest is read and dropped: a closed connection would lose the client the answer.
        request.removeAllListeners('data').resume()
        reject(tooLarge())
      } else {
        chunks.push(chunk)
      }
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => reject(brokenOff()))
  })
}
