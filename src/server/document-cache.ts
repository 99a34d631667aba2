// A syntax tree takes some hundred times the memory of its text. So what is kept is bounded by
// characters and not by entries, and a document of unusual size is parsed each time.
const maxCharacters = 500_000
const maxDocument = 10_000

/** What was made of the documents that were used last, by their text. */
export class DocumentCache<Value> {
  readonly #entries = new Map<string, Value>()
  #characters = 0

  get(document: string): Value | undefined {
    const value = this.#entries.get(document)
    if (value !== undefined) {
      // A Map keeps the order of insertion: what is used moves to the end.
      this.#entries.delete(document)
      this.#entries.set(document, value)
    }
    return value
  }

  set(document: string, value: Value): void {
    if (document.length > maxDocument) return
    if (!this.#entries.has(document)) this.#characters += document.length
    this.#entries.set(document, value)
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= maxCharacters) break
      this.#entries.delete(oldest)
      this.#characters -= oldest.length
    }
  }
}
