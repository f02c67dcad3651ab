/**
 * Tests that judge the mutants of one file: its own, those that import it or a file that imports it, those of the endpoints
 * that drive it, and a few cases of the contracts; of the endpoints those of the whole transport. Of verbs: the stories of queue pairs and
 * a few random ones. Of the other rooms: the unit tests of the room, and a few of others that run in this process; what
 * starts the program runs no mutants. ROCELAB_MUTATED names the file.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** Seconds: a million packets, which are for its own file only; hundreds of random cases, of which verbs-cases.ts has
 * some; of random scenarios none. */
const SLOW = [
  'src/core/transport/recovery/go-back-0.test.ts',
  'tests/verbs/order.test.ts',
  'tests/verbs/hostile.test.ts',
  'src/lab/scenario/printed.test.ts',
]
const ALWAYS = ['tests/mutation/contract-cases.ts']
const VERBS = [
  'tests/verbs/operations.test.ts',
  'tests/verbs/irn.test.ts',
  'tests/verbs/flow.test.ts',
  'tests/verbs/errors.test.ts',
  'tests/verbs/silence.test.ts',
  'tests/verbs/rights.test.ts',
  'tests/verbs/completions.test.ts',
  'tests/verbs/events.test.ts',
  'tests/verbs/misuse.test.ts',
  'tests/mutation/verbs-cases.ts',
]
/** Rooms whose unit tests judge them, and stories from elsewhere, which judge the files that they import. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/cli': ['tests/cli/exchange.test.ts', 'tests/cli/run-cache.test.ts'],
  'src/core/fabric': [
    'src/lab/run/faults/arp-answers.test.ts',
    'tests/conformance/watchdog-cases.test.ts',
    'tests/conformance/watchdog-timing.test.ts',
  ],
  'src/core/results': [],
  'src/lab/scenario': [],
}
const ENDPOINTS = ['src/core/transport/send/sender.test.ts', 'src/core/transport/receive/receiver.test.ts']

const mutated = process.env['ROCELAB_MUTATED'] ?? ''
const testOf = (file: string): string => file.replace(/\.ts$/, '.test.ts')

const room = Object.keys(ROOMS).find((folder) => mutated.startsWith(`${folder}/`))
const FOLDERS = ['src/core/transport', 'src/core/verbs', 'tests/verbs', ...(room === undefined ? [] : [room])]
const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.posix.join(folder, name)),
).filter((name) => name.endsWith('.ts'))

/** Imports of a source by name; imports through an index file are left out, since they name everything. */
const importsOf = new Map(
  files
    .filter((name) => path.posix.basename(name) !== 'index.ts')
    .map((name) => {
      const specifiers = [...readFileSync(name, 'utf8').matchAll(/ from '(\..*)'/g)].map(([, specifier]) => specifier!)
      return [name, specifiers.map((specifier) => path.posix.join(path.posix.dirname(name), specifier))]
    }),
)
/** Importers of a file; for a test bench also the importers of the bench. */
const importersOf = (file: string): string[] =>
  files
    .filter((name) => importsOf.get(name)?.includes(file) === true)
    .flatMap((name) => (/\.test-\w+\.ts$/.test(name) ? [name, ...importersOf(name)] : [name]))
const isAboutIt = (story: string): boolean => readFileSync(story, 'utf8').includes(`${mutated.replace('src/', '/')}'`)
const isTest = (name: string): boolean => name.endsWith('.test.ts')

/** Users of an endpoint: every scheme, and everything tested through it. */
const schemes = files.filter((name) => isTest(name) && name.startsWith('src/core/transport/'))
/** The file, what imports it, and what imports that. */
const near = [mutated, ...importersOf(mutated), ...importersOf(mutated).flatMap(importersOf)]
const own = testOf(mutated)
const isOfVerbs = mutated.startsWith('src/core/verbs/')
/** Folders of the simulated transport and of verbs. */
const isShared = mutated === 'src/core/transport/arrivals.ts'
const isEndpoint = ENDPOINTS.includes(own)
const drivers = [...ENDPOINTS, ...(isEndpoint ? schemes : []), ...ALWAYS]
const tests =
  room === undefined
    ? new Set([
        ...near.map(testOf),
        ...near.flatMap(importersOf).filter(isTest),
        ...(isOfVerbs ? VERBS : drivers),
        ...(isShared ? VERBS : []),
      ])
    : new Set([
        ...files.filter((name) => isTest(name) && name.startsWith(`${room}/`)),
        ...(ROOMS[room] ?? []).filter(isAboutIt),
      ])

export default defineConfig({
  test: {
    include: [...tests].filter((file) => existsSync(file) && (file === own || !SLOW.includes(file))),
    exclude: ['**/node_modules/**'],
    // Planted faults ask whether the tests can fail; beside a mutant they say nothing.
    testNamePattern: '^(?!.*planted fault)',
    testTimeout: 120_000,
    isolate: false,
    fileParallelism: false,
  },
})
