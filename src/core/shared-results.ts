/** Results that many need at about the same moment, found out once for all of them. */
export class SharedResults<Result> {
  readonly #maxAgeMs: number
  readonly #maxEntries: number
  readonly #entries = new Map<string, { result: Result | Promise<Result>; at: number }>()

  constructor(options: { maxAgeMs: number; maxEntries: number }) {
    this.#maxAgeMs = options.maxAgeMs
    this.#maxEntries = options.maxEntries
  }

  /**
   * What `work` resolves to, or did for who asked with this key a moment ago: at once, where it is there.
   * A failure is not kept.
   */
  once(key: string, work: () => Promise<Result>): Result | Promise<Result> {
    const now = performance.now()
    const known = this.#entries.get(key)
    if (known && now - known.at <= this.#maxAgeMs) return known.result
    const result = work()
    this.#entries.delete(key)
    const entry: { result: Result | Promise<Result>; at: number } = { result, at: now }
    this.#entries.set(key, entry)
    result.then(
      found => {
        entry.result = found
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    this.#trim(now)
    return result
  }

  /** Entries stand in the order of their age. */
  #trim(now: number): void {
    for (const [key, { at }] of this.#entries) {
      if (now - at <= this.#maxAgeMs && this.#entries.size <= this.#maxEntries) return
      this.#entries.delete(key)
    }
  }
}
