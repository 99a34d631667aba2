import { promisify } from 'node:util'
import * as zlib from 'node:zlib'

const maxDecodedBytes = 32 << 20
/** In characters, of what is recorded. */
const maxText = 4 << 20

/** What of a body went by, up to a limit: it is watched and never held up. */
export class Captured {
  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  #kept = 0
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length
    if (this.#kept >= this.#maxBytes) return
    const kept = chunk.subarray(0, this.#maxBytes - this.#kept)
    this.#chunks.push(kept)
    this.#kept += kept.length
  }

  /**
   * As text, decoded by the header `content-encoding`, and read by `read`. Of what is too large it is a
   * JSON object that has its start and says so.
   */
  async text(encoding?: string, read = (text: string) => text): Promise<string> {
    const text = (await decoded(Buffer.concat(this.#chunks), encoding)).toString()
    const isWhole = this.#length <= this.#maxBytes
    const result = isWhole ? read(text) : text
    if (isWhole && result.length <= maxText) return result
    return JSON.stringify({ truncated: true, bytes: this.#length, start: text.slice(0, 100_000) })
  }
}

const options = {
  maxOutputLength: maxDecodedBytes,
  // What broke off is decoded as far as it goes.
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
}
const brotliOptions = {
  maxOutputLength: maxDecodedBytes,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
}
const decoders: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: bytes => promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)(bytes, options),
  deflate: bytes => promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate)(bytes, options),
  br: bytes =>
    promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)(bytes, brotliOptions),
}

async function decoded(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  const decode = decoders[encoding?.trim().toLowerCase() ?? '']
  if (!decode || bytes.length === 0) return bytes
  try {
    return await decode(bytes)
  } catch {
    return Buffer.from(`(${bytes.length} bytes of ${encoding} that cannot be read)`)
  }
}
