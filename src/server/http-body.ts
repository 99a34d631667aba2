import type { IncomingMessage } from 'node:http'
import { unheldNumber } from '../core/json-text.ts'
import { refusal, unheld } from './graphql-errors.ts'

/**
 * Reads a request's JSON. A body over the limit is refused as soon as its length is known: by its
 * header, or by the bytes that have come, whatever a header claims.
 */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw refusal('BAD_USER_INPUT', 'The body must not be compressed.', 415)
  }
  return parseJson(await readBytes(request, maxBytes), 'The body')
}

/** Refuses numbers that JavaScript would change, wherever they stand. */
export function parseJson(bytes: Uint8Array | string, what: string): unknown {
  const { text, value } = read(bytes, what)
  const number = unheldNumber(text)
  if (number !== undefined) throw unheld(number)
  return value
}

function read(bytes: Uint8Array | string, what: string): { text: string; value: unknown } {
  try {
    const text = typeof bytes === 'string' ? bytes : utf8.decode(bytes)
    return { text, value: JSON.parse(text) }
  } catch {
    throw refusal('BAD_USER_INPUT', `${what} is not valid JSON in UTF-8.`, 400)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    refusal('LIMIT_EXCEEDED', `The body is larger than ${maxBytes} bytes.`, 413)
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
    request.on('close', () => reject(refusal('BAD_USER_INPUT', 'The body broke off.', 400)))
  })
}
