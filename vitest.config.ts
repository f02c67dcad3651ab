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

/** Rooms that simulate have a process for each test file, so that memory and compiled code are not those of other runs. */
const SIMULATING = ['core/fabric/**', 'papers/**', 'lab', 'lab/!(metrics|scenario)/**'].map(
  (folder) => `src/${folder}/*.test.ts`,
)
/** But not what replaces a module of Node, or needs the whole memory of a thread. */
const UNSHARED = ['src/cli/heap-room.test.ts', 'src/core/base/memory.test.ts']
/** Files of the other rooms share one for each worker: a new one costs a third of a second, more than most of them take. */
const SHARED = ['src/**/*.test.ts']
const ALONE = ['tests/**/*.test.ts', ...SIMULATING, ...UNSHARED]

/**
 * Suites that `npm test` leaves to `npm run test:all`: commands as people run them (those of the docs are run by both), random
 * worlds, other programs (guests, clusters, browsers, readers of captures), damaged and hostile input, runs of every parameter
 * and recorded runs.
 */
const REST = [
  'tests/browser/*.test.ts',
  'tests/capture/*.test.ts',
  'tests/cli/*.test.ts',
  'tests/cluster/*.test.ts',
  'tests/contract/*.test.ts',
  'tests/damage/*.test.ts',
  'tests/fuzz/*.test.ts',
  'tests/guests/*.test.ts',
  'tests/hostile/**/*.test.ts',
  'tests/instruments/*.test.ts',
  'tests/mix/*.test.ts',
  'tests/score/*.test.ts',
  'tests/swarm/*.test.ts',
  'tests/determinism/params.test.ts',
  'tests/docs/recorded-runs.test.ts',
]
/** "first" or "rest"; absent: all tests, among which arguments choose. */
const SUITE = process.env['ROCELAB_SUITE']
const alone = SUITE === 'rest' ? REST : ALONE
const shared = SUITE === 'rest' ? [] : SHARED
const never = ['**/node_modules/**', ...(SUITE === 'first' ? REST : [])]

/** Long files first: one that begins last leaves a processor idle while it ends. Then those with a process of their own. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    if (isChoosing) {
      isChoosing = false
      for (const { vite } of this.ctx.projects) vite.environments.ssr.moduleGraph.invalidateAll()
    }
    const length = ({ moduleId }: TestSpecification): number => LONG.findIndex((part) => moduleId.includes(part))
    const isShared = ({ project }: TestSpecification): number => Number(!project.config.isolate)
    return files.toSorted(
      (a, b) => isShared(a) - isShared(b) || length(b) - length(a) || a.moduleId.localeCompare(b.moduleId),
    )
  }
}
/** From short to long. */
const LONG = [
  '/src/papers/',
  '/tests/verbs/',
  '/tests/analytic/',
  '/tests/cli/',
  '/tests/fuzz/',
  '/tests/fidelity/',
  '/tests/contract/',
  '/tests/swarm/',
  '/tests/guests/',
  '/tests/docs/',
  '/tests/golden/',
  '/tests/determinism/',
  '/tests/cluster/',
  '/tests/docs/console',
]

const root = import.meta.dirname
/** Rooms that import only each other; a simulated run spends its time in them. */
const BUILT = ['core/', 'lab/metrics/', 'lab/scenario/']

/** The plain program is there only as it is built (scripts/inline.mjs). Tests whose own code reaches into classes need the full one. */
const PLAIN = process.env['ROCELAB_PLAIN'] === '1' ? path.join('lab', 'simulation', 'plain-run.ts') : ''

/**
 * Tests use these rooms as they are built, with all assertions, with constants inlined and loaded by Node itself: a run of
 * sources that the test runner has rewritten takes six times as long. What is not built (tests and their benches) stays what it is.
 * While `--changed` chooses tests by what they import, all rooms are sources, and a test that uses dist/ imports the whole program.
 */
const builtRooms: Plugin = {
  name: 'built-rooms',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (isChoosing || !source.endsWith('.ts')) return undefined
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
    const file = path.relative(path.join(root, 'src'), resolved?.id ?? '')
    if (!BUILT.some((room) => file.startsWith(path.normalize(room))) && file !== PLAIN) return undefined
    const built = path.join(root, 'dist-checked', file).replace(/\.ts$/, '.js')
    return existsSync(built) ? { id: built, external: true } : undefined
  },
  transform(code, id) {
    const isTest = /^tests\/|\.test\.ts$/.test(path.relative(root, id))
    return isChoosing && isTest && code.includes("'dist'")
      ? PROGRAM.map((file) => `import ${JSON.stringify(path.join(root, file))}\n`).join('') + code
      : undefined
  },
}
/** Until the chosen files are sorted. */
let isChoosing = process.argv.some((word) => /^--changed(=|$)/.test(word))
const PROGRAM = ['src/cli/main.ts', 'src/cli/workers/worker.ts', 'src/index.ts']

/** Of every test, whether its process is its own or not. */
const each = {
  server: { deps: { external: [/\/dist(-checked)?\//] } },
  setupFiles: ['tests/support/lawful.setup.ts'],
  pool: 'forks' as const,
  testTimeout: 120_000,
  hookTimeout: 120_000,
}
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    globalSetup: ['tests/support/build.setup.ts'],
    maxWorkers: 2,
    reporters: ['default', closingLine],
    // What is built, and what decides how: a change of these runs all tests.
    forceRerunTriggers: ['scripts', 'types', 'scenarios']
      .map((folder) => `${root}/${folder}/**`)
      .concat(
        ['package.json', 'package-lock.json', 'tsconfig*.json', 'vitest.config.ts', 'tests/support/*.setup.ts'].map(
          (name) => `${root}/${name}`,
        ),
      ),
    projects: [
      {
        plugins: [builtRooms],
        test: {
          ...each,
          name: 'alone',
          include: alone,
          exclude: never,
        },
      },
      {
        plugins: [builtRooms],
        test: {
          ...each,
          name: 'shared',
          isolate: false,
          include: shared,
          exclude: [...never, ...SIMULATING, ...UNSHARED],
        },
      },
    ],
  },
})
