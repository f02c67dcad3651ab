/**
 * Mutation testing of one file: `npm run mutation -- FILE`; scripts/mutation.mjs has the folders.
 * All mutants are in the code at once and switched on one by one; a mutant is judged by the tests that reach it, which
 * vitest.config.ts chooses. Declared values (defaults, help, sources) are not mutated: they are run once, when a module is
 * loaded, and are held by the golden digests and by the tests of `list`.
 */
import { mkdirSync } from 'node:fs'

const mutated = process.env.ROCELAB_MUTATED
const name = mutated
  .replace(/^src\//, '')
  .replaceAll('/', '-')
  .replace(/\.ts$/, '')
const folder = '.tmp/mutation'
mkdirSync(folder, { recursive: true })

export default {
  mutate: [mutated],
  testRunner: 'vitest',
  plugins: [new URL('node_modules/@stryker-mutator/vitest-runner/dist/src/index.js', import.meta.url).href],
  vitest: { configFile: 'tests/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: Number(process.env.ROCELAB_JOBS ?? 1),
  incremental: true,
  incrementalFile: `${folder}/${name}.incremental.json`,
  tempDirName: `${folder}/sandbox-${name}`,
  ignorePatterns: [
    '/dist*',
    '/docs',
    '/scenarios',
    '/schema',
    '/results*',
    '/bench',
    '.tmp',
    'tests/second-node',
    'tests/fidelity/ns3',
  ],
  reporters: ['json', 'clear-text'],
  jsonReporter: { fileName: `${folder}/${name}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  timeoutMS: 4_000,
  disableTypeChecks: false,
  allowEmpty: false,
}
