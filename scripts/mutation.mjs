/**
 * Mutation testing, file by file: `npm run mutation -- FILE|FOLDER ...`; without arguments all of src/core/transport/ and
 * src/core/verbs/, which takes hours; src/lab/advice/, src/cli/, src/core/fabric/, src/core/results/ and src/lab/scenario/ only by name. Runs
 * Stryker for each file with the tests that tests/mutation/vitest.config.ts chooses, and prints the scores as rows of
 * docs/mutation-scores.csv. Earlier results are reused unless the file or its tests have changed.
 * `--draw 40 --seed 7` draws faults over all rooms instead (mutation-draw.mjs).
 * Exit code 1: a run failed; 2: an argument is not a file to mutate.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { drawFaults } from './mutation-draw.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)

const STRYKER = 'tests/mutation/node_modules/@stryker-mutator/core/bin/stryker.js'
const CONFIG = 'tests/mutation/stryker.config.mjs'
/** Folders with tests chosen for them: those mutated by default, and all. */
const FOLDERS = ['src/core/transport', 'src/core/verbs']
const NAMED = [...FOLDERS, 'src/lab/advice', 'src/cli', 'src/core/fabric', 'src/core/results', 'src/lab/scenario']

/** Sources below a file or folder. */
function sourcesBelow(name) {
  if (statSync(name).isFile()) return [name]
  return readdirSync(name, { recursive: true })
    .map((file) => path.posix.join(name, file.replaceAll('\\', '/')))
    .filter((file) => /(?<!\.test|\.test-[a-z]+|\/index)\.ts$/.test(file))
    .sort()
}

/** The requested files, below src/. */
function normal(name) {
  return path.posix.normalize(path.relative(root, path.resolve(root, name)).replaceAll('\\', '/'))
}

/** The mistake in a name, or nothing. */
function mistakesIn(name) {
  if (!existsSync(name)) return [`${name}: expected a file or folder that is there`]
  if (NAMED.some((folder) => name === folder || name.startsWith(`${folder}/`))) return []
  return [`${name}: expected a file or folder in ${NAMED.join(' or ')}, for which tests are chosen`]
}

const nameOf = (file) => file.slice('src/'.length, -'.ts'.length)

function reportOf(file) {
  const report = `.tmp/mutation/${nameOf(file).replaceAll('/', '-')}.json`
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined
}

/** A row of docs/mutation-scores.csv; nothing for a file without mutants. */
function lineOf(file, day) {
  const [result] = Object.values(reportOf(file)?.files ?? {})
  const count = (...states) => (result?.mutants ?? []).filter(({ status }) => states.includes(status)).length
  const killed = count('Killed', 'Timeout')
  const left = count('Survived', 'NoCoverage')
  if (killed + left === 0) return []
  return [`${nameOf(file)},${killed + left},${killed},${day}`]
}

function run(files) {
  files.forEach((file, i) => {
    console.log(`${file} (${i + 1} of ${files.length})`)
    const env = { ...process.env, ROCELAB_MUTATED: file }
    const { status, signal } = spawnSync(process.execPath, [STRYKER, 'run', CONFIG], { stdio: 'inherit', env })
    if (status !== 0) process.exitCode = 1
    if (signal !== null) process.exit(130)
  })
  const day = new Date().toISOString().slice(0, 10)
  console.log(['file,mutants,killed,scored', ...files.flatMap((file) => lineOf(file, day))].join('\n'))
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { draw: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string', default: '0' } },
})
const asked = positionals.map(normal)
const mistakes = [
  ...asked.flatMap(mistakesIn),
  ...Object.entries(values).flatMap(([key, text]) =>
    /^\d{1,9}$/.test(text) ? [] : [`--${key}: expected a number, received ${text}`],
  ),
]
if (mistakes.length > 0) {
  console.error(mistakes.join('\n'))
  process.exitCode = 2
} else if (values.draw !== undefined) {
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  await drawFaults(root, { count: Number(values.draw), seed, only: Number(values.only) })
} else run((asked.length > 0 ? asked : FOLDERS).flatMap(sourcesBelow))
