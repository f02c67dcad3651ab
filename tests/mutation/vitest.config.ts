/**
 * Tests that judge the mutants of one file: its own, others that import it, those of the files that import it, those of the
 * endpoints that drive it, and a few cases of the contracts; of the endpoints those of all schemes. Of verbs: the stories of queue pairs and
 * a few random ones. ROCELAB_MUTATED names the file.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** A million packets: seconds, for its own file only. */
const SLOW = ['src/transport/recovery/go-back-0.test.ts']
const ALWAYS = ['tests/mutation/contract-cases.ts']
const VERBS = [
  'tests/verbs/operations.test.ts',
  'tests/verbs/irn.test.ts',
  'tests/verbs/flow.test.ts',
  'tests/verbs/errors.test.ts',
  'tests/verbs/hostile.test.ts',
  'tests/mutation/verbs-cases.ts',
]
const ENDPOINTS = ['src/transport/sender.test.ts', 'src/transport/receiver.test.ts']

const mutated = process.env['ROCELAB_MUTATED'] ?? ''
const testOf = (file: string): string => file.replace(/\.ts$/, '.test.ts')

/** Sources that import the file by name, not through a table of contents. */
function importersOf(file: string): string[] {
  const folder = path.posix.dirname(file)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'index.ts')
    .map((name) => path.posix.join(folder, name))
    .filter((other) => readFileSync(other, 'utf8').includes(`'./${path.posix.basename(file)}'`))
}

/** Tests beside the file, or of verbs, that import it by name. */
function testsWith(file: string): string[] {
  return [path.posix.dirname(file), 'tests/verbs']
    .flatMap((folder) => readdirSync(folder).map((name) => path.posix.join(folder, name)))
    .filter((test) => test.endsWith('.test.ts') && readFileSync(test, 'utf8').includes(`/${path.posix.basename(file)}'`))
}

/** What drives an endpoint: every scheme. */
const schemes = ['src/transport/recovery', 'src/transport/congestion'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.posix.join(folder, name)),
)
const near = mutated === '' ? [] : [mutated, ...importersOf(mutated), ...importersOf(mutated).flatMap(importersOf)]
const own = testOf(mutated)
const isEndpoint = ENDPOINTS.includes(own)
const drivers = [...ENDPOINTS, ...(isEndpoint ? schemes : []), ...ALWAYS]
const tests = [
  ...new Set([
    ...near.map(testOf),
    ...(mutated === '' ? [] : testsWith(mutated)),
    ...(mutated.startsWith('src/verbs/') ? VERBS : drivers),
  ]),
]

export default defineConfig({
  test: {
    include: tests.filter((file) => existsSync(file) && (file === own || !SLOW.includes(file))),
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    isolate: false,
    fileParallelism: false,
  },
})
