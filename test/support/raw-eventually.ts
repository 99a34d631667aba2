import { expect } from 'vitest'

/** Expects of a value what need not be so at once. The time is for a machine that is busy. */
export const eventually = <Value>(read: () => Value | Promise<Value>) =>
  expect.poll(read, { timeout: 15_000, interval: 20 })
