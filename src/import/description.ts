/**
 * A description as lines that are only ever added: whatever it holds stays, and an observation that
 * stands in it already, as a line or as several, is not added again.
 */
export class Description {
  #text: string
  #isExtended = false
  #lines: Set<string> | undefined

  constructor(text: string | null) {
    this.#text = text ?? ''
  }

  get text(): string {
    return this.#text
  }

  get isExtended(): boolean {
    return this.#isExtended
  }

  missing(observations: readonly string[]): string[] {
    return [...new Set(observations)].filter(observation => !this.#has(observation))
  }

  lengthWith(observations: readonly string[]): number {
    return observations.reduce((length, each) => length + 1 + each.length, this.#text.length)
  }

  append(observations: readonly string[]): void {
    if (observations.length === 0) return
    this.#text = [...(this.#text === '' ? [] : [this.#text]), ...observations].join('\n')
    this.#lines = undefined
    this.#isExtended = true
  }

  #has(observation: string): boolean {
    if (observation.includes('\n')) return `\n${this.#text}\n`.includes(`\n${observation}\n`)
    this.#lines ??= new Set(this.#text.split('\n'))
    return this.#lines.has(observation)
  }
}
