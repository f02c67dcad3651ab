import { existsSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
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

const root = import.meta.dirname
/** Rooms that import only each other; a simulated run spends its time in them. */
const BUILT = [
  'base',
  'engine',
  'fabric',
  'metrics',
  'results',
  'scenario',
  'topology',
  'transport',
  'verbs',
  'wire',
  'workload',
]

/**
 * Tests use these rooms as they are built, with constants inlined and loaded by Node itself: a run of sources that the
 * test runner has rewritten takes six times as long. What is not built (tests and their benches) stays what it is.
 */
const builtRooms: Plugin = {
  name: 'built-rooms',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!source.endsWith('.ts')) return undefined
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
    const [room, ...rest] = path.relative(path.join(root, 'src'), resolved?.id ?? '').split(path.sep)
    if (!BUILT.includes(room ?? '')) return undefined
    const built = path.join(root, 'dist', room!, ...rest).replace(/\.ts$/, '.js')
    return existsSync(built) ? { id: built, external: true } : undefined
  },
}

export default defineConfig({
  plugins: [builtRooms],
  test: {
    server: { deps: { external: [/\/dist\//] } },
    sequence: { sequencer: LongFirst },
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['tests/support/build.setup.ts'],
    setupFiles: ['tests/support/lawful.setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', closingLine],
  },
})
