import type { ChangeRecord } from './change-record.ts'
import type { Interest } from './changes.sql.ts'
import type { Position } from './position.ts'

/** Where in memory to go on; undefined where memory does not have all that has come. */
export interface WakePlace {
  /** The number of the first change to look at. */
  number: number
  /** Right before it. */
  position: Position
}

type Wake = (place: WakePlace | undefined) => void

/** Those who have read everything and wait for a change that interests them. */
export class Waiters {
  readonly #byInterest = new Map<string, Set<Wake>>()

  /** Answers how to stop waiting. A waiter that is woken has stopped. */
  add(interest: Interest, wake: Wake): () => void {
    const key = keyOf(interest)
    const others = this.#byInterest.get(key)
    if (others) others.add(wake)
    else this.#byInterest.set(key, new Set([wake]))
    return () => {
      const waiting = this.#byInterest.get(key)
      waiting?.delete(wake)
      if (waiting?.size === 0) this.#byInterest.delete(key)
    }
  }

  /** @param place before the first of the changes */
  wake(changes: readonly ChangeRecord[], place: WakePlace): void {
    const keys = new Set<string>()
    for (const { topic, subject } of changes) keys.add(topic).add(keyOf({ topic, subject }))
    for (const key of keys) this.#wakeAll(key, place)
  }

  /** To go and look in the table. */
  wakeEverybody(): void {
    for (const key of [...this.#byInterest.keys()]) this.#wakeAll(key, undefined)
  }

  #wakeAll(key: string, place: WakePlace | undefined): void {
    const waiting = this.#byInterest.get(key)
    if (!waiting) return
    this.#byInterest.delete(key)
    for (const wake of waiting) wake(place)
  }
}

const keyOf = ({ topic, subject }: Interest) =>
  subject === undefined ? topic : `${topic}\0${subject}`
