import type pg from 'pg'
import { vi } from 'vitest'

/**
 * Does something right after the first statement that reads this, and before its answer is used. Restore
 * all mocks after the test.
 */
export function afterReading(pool: pg.Pool, read: RegExp, work: () => Promise<unknown>): void {
  const query = pool.query
  let isDone = false
  vi.spyOn(pool, 'query').mockImplementation(async (...args: unknown[]) => {
    const result = await Reflect.apply(query, pool, args)
    if (!isDone && read.test((args[0] as { text?: string }).text ?? '')) {
      isDone = true
      await work()
    }
    return result
  })
}
