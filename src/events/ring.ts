import type { ChangeRecord } from './change-record.ts'
import type { Position } from './position.ts'

export interface RingLimits {
  changes: number
  bytes: number
}

interface Pushed {
  readonly changes: readonly ChangeRecord[]
  /** Where the reader stood before them and behind them. */
  readonly from: Position
  /** The number of the first of them, counted from the start of the instance. */
  readonly first: number
  readonly bytes: number
}

/** The latest changes, batch by batch, so that those who keep up need not read the table. */
export class Ring {
  readonly #limits: RingLimits
  #batches: Pushed[] = []
  #count = 0
  #bytes = 0
  #end: Position
  /** The number that the next change gets. */
  #next = 0

  constructor(start: Position, limits: RingLimits) {
    this.#limits = limits
    this.#end = start
  }

  /** Right before the first change that is kept. */
  get start(): Position {
    return this.#batches[0]?.from ?? this.#end
  }

  get first(): number {
    return this.#batches[0]?.first ?? this.#next
  }

  /** Right behind the last change. */
  get end(): Position {
    return this.#end
  }

  get next(): number {
    return this.#next
  }

  push(changes: readonly ChangeRecord[], end: Position): void {
    if (changes.length > 0) {
      const bytes = changes.reduce((sum, change) => sum + change.bytes + overheadBytes, 0)
      this.#batches.push({ changes, from: this.#end, first: this.#next, bytes })
      this.#next += changes.length
      this.#count += changes.length
      this.#bytes += bytes
      this.#trim()
    }
    this.#end = end
  }

  /** Forgets everything: the reader goes on from somewhere else. */
  restart(at: Position): void {
    this.#batches = []
    this.#count = 0
    this.#bytes = 0
    this.#end = at
  }

  /** The change of this number; undefined for one that is not kept or has not come yet. */
  at(number: number): ChangeRecord | undefined {
    const batch = this.#batchOf(number)
    return batch?.changes[number - batch.first]
  }

  #batchOf(number: number): Pushed | undefined {
    let [low, high] = [0, this.#batches.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const batch = this.#batches[middle]
      if (!batch) return undefined
      if (number < batch.first) high = middle - 1
      else if (number >= batch.first + batch.changes.length) low = middle + 1
      else return batch
    }
    return undefined
  }

  /** The last batch stays, however large. */
  #trim(): void {
    let gone = 0
    while (
      gone < this.#batches.length - 1 &&
      (this.#count > this.#limits.changes || this.#bytes > this.#limits.bytes)
    ) {
      const batch = this.#batches[gone++]
      this.#count -= batch?.changes.length ?? 0
      this.#bytes -= batch?.bytes ?? 0
    }
    if (gone > 0) this.#batches.splice(0, gone)
  }
}

/** What a change takes besides its payload, roughly. */
const overheadBytes = 300
