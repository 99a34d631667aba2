/**
 * Wakes the readers of all instances: something has been committed, go and look. A wake-up carries no
 * data and can be lost, since every reader looks by itself too.
 */
export interface Bus {
  /** Tells the other instances. Never fails, and is dropped where it cannot be sent. */
  publish(): void
  /** Throws where the others cannot be heard. */
  check(): Promise<void>
  close(): Promise<void>
}

/** How a bus is made: it calls `wake` for the others' wake-ups, and when it may have missed some. */
export interface BusOptions {
  wake(): void
}

/** How often a bus asks whether its connection still leads anywhere, and how long it waits for an answer. */
export const pulse = { everyMs: 5_000, answerMs: 4_000 }

const gapMs = 5

/** Calls at once, then at most once in so many milliseconds, and a last time after the last call. */
export function coalesced(call: () => void): () => void {
  let isWaiting = false
  let isWanted = false
  const run = () => {
    if (isWaiting) {
      isWanted = true
      return
    }
    isWaiting = true
    call()
    setTimeout(() => {
      isWaiting = false
      if (!isWanted) return
      isWanted = false
      run()
    }, gapMs).unref()
  }
  return run
}
