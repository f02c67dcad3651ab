import { defineConfig } from 'vitest/config'
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node'

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

/** Whole runs first: a long file that begins last leaves a processor idle while it ends. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => LONG.findIndex((folder) => moduleId.includes(folder))
    return files.toSorted((a, b) => rank(b) - rank(a) || a.moduleId.localeCompare(b.moduleId))
  }
}
/** From short to long. */
const LONG = [
  '/src/experiments/',
  '/tests/verbs/',
  '/tests/analytic/',
  '/tests/fuzz/',
  '/tests/swarm/',
  '/tests/cli/',
  '/tests/contract/',
  '/tests/docs/',
  '/tests/fidelity/',
  '/tests/golden/',
  '/tests/determinism/',
]

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    setupFiles: ['tests/support/lawful.setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', closingLine],
  },
})
