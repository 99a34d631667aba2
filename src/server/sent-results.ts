import type { ExecutionResult } from 'graphql'
import type { ResultStream } from './result-stream.ts'

/**
 * The results of a subscription on a socket. To the protocol it is a stream that only ends: it sends
 * them itself, since a result that a thousand subscribers share need not be written a thousand times.
 */
export class SentResults implements AsyncIterableIterator<never> {
  readonly #results: ResultStream
  readonly #start: string
  readonly #send: (message: string) => Promise<void> | undefined
  #isEnded = false

  /** @param id of the operation */
  constructor(
    results: ResultStream,
    id: string,
    send: (message: string) => Promise<void> | undefined,
  ) {
    this.#results = results
    this.#start = `{"id":${JSON.stringify(id)},"type":"next","payload":`
    this.#send = send
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Resolves at the end. */
  async next(): Promise<IteratorResult<never>> {
    for (;;) {
      const { done, value } = await this.#results.next()
      if (done || this.#isEnded) return { done: true, value: undefined }
      const full = this.#send(`${this.#start}${textOf(value)}}`)
      if (full) await full
    }
  }

  async return(): Promise<IteratorResult<never>> {
    this.#isEnded = true
    await this.#results.return()
    return { done: true, value: undefined }
  }

  throw(error: unknown): Promise<IteratorResult<never>> {
    return this.return().then(() => Promise.reject(error))
  }
}

const texts = new WeakMap<object, string>()

/** Of those that have data alone: errors are each client's own. */
function textOf(result: ExecutionResult): string {
  const { data, errors, extensions } = result
  if (!data || errors || extensions) return JSON.stringify(result)
  let text = texts.get(data)
  if (text === undefined) {
    text = JSON.stringify({ data })
    texts.set(data, text)
  }
  return text
}
