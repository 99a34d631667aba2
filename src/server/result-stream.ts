import type { ExecutionResult } from 'graphql'

interface ResultStreamOptions {
  /** What a client sees of a result. */
  present(result: ExecutionResult): ExecutionResult
  /** The result that says why a stream has broken off. */
  fail(error: unknown): ExecutionResult
  /** Called once, whichever way the stream ended. */
  onEnd(): void
}

/**
 * The results of one subscription. It can be ended at any moment: by its reader, or from outside
 * with an error, which then is its last result. It never waits for a source that hangs.
 */
export class ResultStream implements AsyncIterableIterator<ExecutionResult> {
  readonly #source: AsyncIterator<ExecutionResult>
  readonly #options: ResultStreamOptions
  #lastWords: ExecutionResult | undefined
  #isEnded = false
  /** Answers the reader that waits for the next result. */
  #answer: ((result: IteratorResult<ExecutionResult>) => void) | undefined

  constructor(source: AsyncIterable<ExecutionResult>, options: ResultStreamOptions) {
    this.#source = source[Symbol.asyncIterator]()
    this.#options = options
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<ExecutionResult>> {
    if (this.#isEnded) return Promise.resolve(this.#farewell())
    return new Promise(resolve => {
      this.#answer = resolve
      this.#source.next().then(
        ({ done, value }) => {
          if (this.#isEnded) return
          if (done) this.#finish()
          else this.#reply({ done: false, value: this.#options.present(value) })
        },
        error => this.end(error),
      )
    })
  }

  /** Ends the stream with an error as its last result. */
  end(error: unknown): void {
    if (!this.#isEnded) this.#finish(this.#options.fail(error))
  }

  return(): Promise<IteratorResult<ExecutionResult>> {
    this.#finish()
    return Promise.resolve({ done: true, value: undefined })
  }

  throw(error: unknown): Promise<IteratorResult<ExecutionResult>> {
    this.#finish()
    return Promise.reject(error)
  }

  #finish(lastWords?: ExecutionResult): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#lastWords = lastWords
    // A generator that waits takes note of this only at its next step, so it is not waited for.
    Promise.resolve(this.#source.return?.()).catch(() => {})
    if (this.#answer) this.#reply(this.#farewell())
    this.#options.onEnd()
  }

  #farewell(): IteratorResult<ExecutionResult> {
    const value = this.#lastWords
    this.#lastWords = undefined
    return value ? { done: false, value } : { done: true, value: undefined }
  }

  #reply(result: IteratorResult<ExecutionResult>): void {
    this.#answer?.(result)
    this.#answer = undefined
  }
}
