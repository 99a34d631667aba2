/** Tells who listens that something has happened, and nothing more. */
export class Signal {
  readonly #listeners = new Set<() => void>()

  /** Answers how to stop listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  ring(): void {
    for (const listener of this.#listeners) listener()
  }
}
