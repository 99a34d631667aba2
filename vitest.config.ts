import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    // Vite would take graphql's ES module, and the libraries in node_modules its CommonJS one.
    alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    // One less than the processors is usual, which of two leaves one idle: files wait on databases.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // No test leans on another; the seed is printed, and `--sequence.seed` takes it again.
    sequence: { shuffle: { tests: true } },
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
