import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ResultsAhead } from '../../src/server/results-ahead.ts'

/** Numbers from 1 on, each found at once, with a result that is told when it is there. */
function numbers({
  end = Number.POSITIVE_INFINITY,
  failure,
}: {
  end?: number
  failure?: Error
} = {}) {
  const settle = new Map<number, { resolve(): void; reject(error: Error): void }>()
  let found = 0
  const ahead = new ResultsAhead<number>(async () => {
    if (found === end) {
      if (failure) throw failure
      return undefined
    }
    const number = ++found
    const result = new Promise<number>((resolve, reject) => {
      settle.set(number, { resolve: () => resolve(number), reject })
    })
    return { id: `${number}`, result }
  })
  return { ahead, settle, found: () => found }
}

it('looks for a few results at the same time, and no further than somebody takes them', async () => {
  const { ahead, settle, found } = numbers()
  const first = await ahead.next()
  await sleep(10)
  expect(found()).toBe(9)
  settle.get(2)?.resolve()
  settle.get(1)?.resolve()
  expect(await first?.result).toBe(1)
  const second = await ahead.next()
  expect([second?.id, await second?.result]).toEqual(['2', 2])
  await sleep(10)
  expect(found()).toBe(10)
})

it('fails where the one that failed has its place, after those before it', async () => {
  const { ahead, settle } = numbers()
  const first = await ahead.next()
  await sleep(10)
  settle.get(2)?.reject(new Error('the second'))
  settle.get(1)?.resolve()
  expect(await first?.result).toBe(1)
  const second = await ahead.next()
  await expect(second?.result).rejects.toThrow('the second')
})

it('gives what was found before the end, and before a failure to find more', async () => {
  const { ahead } = numbers({ end: 2 })
  expect((await ahead.next())?.id).toBe('1')
  expect((await ahead.next())?.id).toBe('2')
  expect(await ahead.next()).toBeUndefined()
  const failing = numbers({ end: 1, failure: new Error('gone') }).ahead
  expect((await failing.next())?.id).toBe('1')
  await expect(failing.next()).rejects.toThrow('gone')
})
