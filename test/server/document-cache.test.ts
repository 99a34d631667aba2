import { expect, test } from 'vitest'
import { DocumentCache } from '../../src/server/document-cache.ts'

const document = (i: number, length = 5_000) => `${i}`.padEnd(length)

test('what was used last is kept, what was not used for long is dropped', () => {
  const cache = new DocumentCache<number>()
  for (let i = 0; i < 100; i++) cache.set(document(i), i)
  expect(cache.get(document(0))).toBe(0)
  cache.set(document(100), 100)
  expect(cache.get(document(0))).toBe(0)
  expect(cache.get(document(1))).toBeUndefined()
  expect(cache.get(document(100))).toBe(100)
})

test('however many documents come, the cache has a bound in characters', () => {
  const cache = new DocumentCache<number>()
  for (let i = 0; i < 1_000; i++) cache.set(document(i), i)
  const kept = Array.from({ length: 1_000 }, (_, i) => cache.get(document(i)))
  expect(kept.filter(value => value !== undefined)).toHaveLength(100)
})

test('a document of unusual size is not kept', () => {
  const cache = new DocumentCache<number>()
  cache.set(document(1, 10_001), 1)
  expect(cache.get(document(1, 10_001))).toBeUndefined()
})
