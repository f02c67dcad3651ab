import { defineConfig } from 'vitest/config'
import type { Reporter, TestModule } from 'vitest/node'

/** One plain closing line for machines that read logs. */
const closingLine: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      for (const test of tests) {
        const state = test.result().state
        if (state !== 'pending') counts[state]++
      }
      if (module.state() === 'failed' && !tests.some((test) => test.result().state === 'failed')) counts.failed++
    }
    console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  },
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', closingLine],
  },
})
