import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { alarmAt } from '../../src/server/alarm.ts'

const day = 24 * 60 * 60 * 1_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([1, 100])('an alarm rings once, when its date has passed: in %d days', days => {
  const ring = vi.fn()
  alarmAt(new Date(Date.now() + days * day), ring)
  vi.advanceTimersByTime(days * day - 1)
  expect(ring).not.toHaveBeenCalled()
  vi.advanceTimersByTime(day)
  expect(ring).toHaveBeenCalledOnce()
})

test('of a date that is past, it rings at once', () => {
  const ring = vi.fn()
  alarmAt(new Date(Date.now() - 1), ring)
  expect(ring).toHaveBeenCalledOnce()
})

test('of a date that is none, it rings at once and does not tick', () => {
  const ring = vi.fn()
  alarmAt(new Date(Number.NaN), ring)
  expect(ring).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})

test('that is called off does not ring', () => {
  const ring = vi.fn()
  const callOff = alarmAt(new Date(Date.now() + 100 * day), ring)
  vi.advanceTimersByTime(50 * day)
  callOff()
  vi.advanceTimersByTime(100 * day)
  expect(ring).not.toHaveBeenCalled()
})
