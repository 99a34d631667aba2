/**
 * Finds words in texts, all of them in one pass (Aho and Corasick, CACM 18/6, 1975). It takes as long
 * as the texts and the words are, whatever they have in common; an alternation of a regular expression
 * would try each word at each place.
 */
export class Echoes {
  /** The state behind a state and a character; the state 0 is that of no beginning of a word. */
  readonly #next = new Map<number, number>()
  /** Of each state the longest other one that its text ends with. */
  readonly #shorter: number[] = [0]
  /** The length of the longest word that the text of a state ends with, or 0. */
  readonly #found: number[] = [0]

  constructor(words: Iterable<string>) {
    const states = [{ from: 0, char: 0, depth: 0 }]
    for (const word of words) {
      let state = 0
      for (let at = 0; at < word.length; at++) {
        const char = word.charCodeAt(at)
        let next = this.#next.get(keyOf(state, char))
        if (next === undefined) {
          next = states.push({ from: state, char, depth: at + 1 }) - 1
          this.#next.set(keyOf(state, char), next)
          this.#found.push(0)
        }
        state = next
      }
      this.#found[state] = word.length
    }
    const byDepth = [...states.keys()].sort((a, b) => depthOf(states[a]) - depthOf(states[b]))
    for (const state of byDepth) {
      const { from, char, depth } = states[state] ?? { from: 0, char: 0, depth: 0 }
      const shorter = depth > 1 ? this.#step(this.#shorter[from] ?? 0, char) : 0
      this.#shorter[state] = shorter
      this.#found[state] ||= this.#found[shorter] ?? 0
    }
  }

  /** The text with `mark` in place of what is a word; of words that overlap, for them together. */
  replaceIn(text: string, mark: string): string {
    const places: [start: number, end: number][] = []
    let state = 0
    for (let at = 0; at < text.length; at++) {
      state = this.#step(state, text.charCodeAt(at))
      const length = this.#found[state] ?? 0
      if (length > 0) cover(places, at + 1 - length, at + 1)
    }
    let result = ''
    let done = 0
    for (const [start, end] of places) {
      result += text.slice(done, start) + mark
      done = end
    }
    return result + text.slice(done)
  }

  #step(state: number, char: number): number {
    for (let from = state; ; from = this.#shorter[from] ?? 0) {
      const next = this.#next.get(keyOf(from, char))
      if (next !== undefined) return next
      if (from === 0) return 0
    }
  }
}

const keyOf = (state: number, char: number) => state * 0x10000 + char
const depthOf = (state: { depth: number } | undefined) => state?.depth ?? 0

/** Adds a place that ends behind all others, and takes in those that it reaches back to. */
function cover(places: [start: number, end: number][], from: number, end: number): void {
  let start = from
  for (let last = places.at(-1); last && last[1] > start; last = places.at(-1)) {
    start = Math.min(start, last[0])
    places.pop()
  }
  places.push([start, end])
}
