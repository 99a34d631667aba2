/** Results that one subscriber may have waiting. */
const limit = 8

export interface Found<Result> {
  /** By what the client says where it was. */
  id: string
  result: Result | Promise<Result>
}

/**
 * Looks for the next results while the last one is on its way, so that where changes come faster than
 * one can be found out, they do not wait for each other and leave together.
 */
export class ResultsAhead<Result> {
  readonly #find: () => Promise<Found<Result> | undefined>
  readonly #found: Found<Result>[] = []
  #isLooking = false
  #end: { error?: unknown } | undefined
  #arrived = () => {}

  /** @param find answers undefined at the end */
  constructor(find: () => Promise<Found<Result> | undefined>) {
    this.#find = find
  }

  /** The next of them, in order; undefined at the end. */
  async next(): Promise<Found<Result> | undefined> {
    void this.#look()
    for (;;) {
      const next = this.#found.shift()
      if (next) {
        void this.#look()
        return next
      }
      if (this.#end) {
        if ('error' in this.#end) throw this.#end.error
        return undefined
      }
      await new Promise<void>(resolve => {
        this.#arrived = resolve
      })
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#end) return
    this.#isLooking = true
    try {
      while (this.#found.length < limit && !this.#end) {
        const found = await this.#find()
        if (found) this.#found.push(found)
        else this.#end = {}
        // Who takes it hears of its failure.
        if (found?.result instanceof Promise) found.result.catch(() => {})
        this.#arrived()
      }
    } catch (error) {
      this.#end = { error }
      this.#arrived()
    }
    this.#isLooking = false
  }
}
