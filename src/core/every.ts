import type { Log } from './log.ts'

/**
 * Does work every so often, never twice at once. A failure is told once, until the work succeeds again.
 * @param failing what the log says of a failure
 */
export function every(
  ms: number,
  work: () => Promise<unknown>,
  { log, failing }: { log: Log; failing: string },
): { close(): Promise<void> } {
  let running: Promise<void> | undefined
  let isFailing = false
  const once = async () => {
    try {
      await work()
      isFailing = false
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, failing)
      isFailing = true
    }
  }
  const timer = setInterval(() => {
    running ??= once().finally(() => {
      running = undefined
    })
  }, ms)
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
