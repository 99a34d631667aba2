import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** What needs a browser, which `npm test` does without. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/browser/**/*.browser.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
