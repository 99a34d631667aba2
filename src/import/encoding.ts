import { TextDecoder } from 'node:util'

/**
 * The stream in UTF-8. PowerShell and some editors write UTF-16, which its byte order mark gives
 * away; everything else passes as it is.
 */
export async function* toUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = Buffer.alloc(0)
  let decoder: TextDecoder | undefined
  for await (const chunk of chunks) {
    const bytes: Uint8Array = start === undefined ? chunk : Buffer.concat([start, chunk])
    if (start !== undefined && bytes.length < 2) {
      start = bytes
      continue
    }
    if (start !== undefined) decoder = utf16Decoder(bytes)
    start = undefined
    yield decoder === undefined ? bytes : Buffer.from(decoder.decode(bytes, { stream: true }))
  }
  if (start !== undefined) yield start
  if (decoder !== undefined) yield Buffer.from(decoder.decode())
}

function utf16Decoder(bytes: Uint8Array): TextDecoder | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le')
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be')
  return undefined
}
