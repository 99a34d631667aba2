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
    // Files wait on databases and time limits, so that one more than the processors are keeps these busy;
    // and they share the connections of one database server.
    maxWorkers: Math.min(6, availableParallelism() + 1),
    // No test leans on another; the seed is printed, and `--sequence.seed` takes it again.
    sequence: { shuffle: { tests: true } },
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
