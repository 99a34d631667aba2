/** Tells who listens that something has happened, and of what. */
export class Signal<Subject = void> {
  readonly #listeners = new Set<(subject: Subject) => void>()

  /** Answers how to stop listening. */
  listen(listener: (subject: Subject) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  ring(subject: Subject): void {
    for (const listener of this.#listeners) listener(subject)
  }
}
