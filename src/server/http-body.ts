import type { IncomingMessage } from 'node:http'
import { readBytes } from '../core/http-json.ts'
import { unheldNumber } from '../core/json-text.ts'
import { refusal, unheld } from './graphql-errors.ts'

/** Reads a request's JSON. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw refusal('BAD_USER_INPUT', 'The body must not be compressed.', 415)
  }
  const bytes = await readBytes(request, maxBytes, {
    tooLarge: () => refusal('LIMIT_EXCEEDED', `The body is larger than ${maxBytes} bytes.`, 413),
    brokenOff: () => refusal('BAD_USER_INPUT', 'The body broke off.', 400),
  })
  return parseJson(bytes, 'The body')
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
