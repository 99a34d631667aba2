import { setTimeout as sleep } from 'node:timers/promises'
import type { Change } from '../../../src/core/change.ts'
import { ChangeStream } from '../../../src/events/change-stream.ts'
import type { Interest } from '../../../src/events/changes.sql.ts'
import type { Position } from '../../../src/events/position.ts'
import type { Reader } from './reader.ts'

interface FollowerOptions {
  reader: Reader
  interest: Interest
  start: Position
  afterSeq?: number | undefined
}

/** Takes as many changes as it is allowed to, whenever they come. */
export class Follower {
  readonly interest: Interest
  readonly start: Position
  readonly afterSeq: number | undefined
  readonly taken: Change[] = []
  readonly #stream: ChangeStream
  #budget = 0
  #isTaking = false
  #failure: unknown

  constructor({ reader, interest, start, afterSeq }: FollowerOptions) {
    this.interest = interest
    this.start = start
    this.afterSeq = afterSeq
    this.#stream = new ChangeStream({
      log: reader.log,
      ...{ interest, start, afterSeq },
      accepts: async () => true,
      onPage() {},
    })
  }

  allow(more: number): void {
    this.#budget += more
    if (!this.#isTaking) void this.#take()
  }

  /** Resolves when it has taken the change of this id; fails where that does not come. */
  async upTo(id: bigint): Promise<Change[]> {
    this.allow(Number.POSITIVE_INFINITY)
    const limit = performance.now() + 10_000
    while (!this.taken.some(change => change.id === id)) {
      if (this.#failure) throw this.#failure
      if (performance.now() > limit) throw new Error('the last change did not come')
      await sleep(1)
    }
    await this.#stream.return()
    return this.taken
  }

  async #take(): Promise<void> {
    this.#isTaking = true
    try {
      while (this.#budget > 0) {
        this.#budget--
        const { done, value } = await this.#stream.next()
        if (done) break
        this.taken.push(value)
      }
    } catch (error) {
      this.#failure = error
    }
    this.#isTaking = false
  }
}
