/** So many of something at once for each holder, counted while they last. */
export class Slots {
  readonly #max: number
  readonly #taken = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** Takes a slot and answers how to give it back; undefined when the holder has none left. */
  take(holder: string): (() => void) | undefined {
    const taken = this.#taken.get(holder) ?? 0
    if (taken >= this.#max) return undefined
    this.#taken.set(holder, taken + 1)
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      const left = (this.#taken.get(holder) ?? 1) - 1
      if (left === 0) this.#taken.delete(holder)
      else this.#taken.set(holder, left)
    }
  }
}
