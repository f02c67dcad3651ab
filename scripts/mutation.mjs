/**
 * Mutation testing, file by file: `npm run mutation -- FILE|FOLDER ...`; without arguments all of src/transport/.
 * Runs Stryker for each file with the tests that tests/mutation/vitest.config.ts chooses, and prints the scores as lines
 * of a table. What was run before is not run again unless the file or its tests have changed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)

const STRYKER = 'tests/mutation/node_modules/@stryker-mutator/core/bin/stryker.js'
const CONFIG = 'tests/mutation/stryker.config.mjs'
const FOLDER = 'src/transport'

/** Sources below a file or folder; a list of schemes has nothing to mutate. */
function sourcesBelow(name) {
  if (!existsSync(name)) throw new Error(`there is no ${name}`)
  if (statSync(name).isFile()) return [name]
  return readdirSync(name, { recursive: true })
    .map((file) => path.posix.join(name, file.replaceAll('\\', '/')))
    .filter((file) => /(?<!\.test|\/index)\.ts$/.test(file))
    .sort()
}

function reportOf(file) {
  const name = file.slice(FOLDER.length + 1, -'.ts'.length).replaceAll('/', '-')
  const report = `.tmp/mutation/${name}.json`
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined
}

/** "| file | mutants | killed | survived | score |"; nothing for a file without mutants. */
function lineOf(file) {
  const [result] = Object.values(reportOf(file)?.files ?? {})
  const count = (...states) => (result?.mutants ?? []).filter(({ status }) => states.includes(status)).length
  const killed = count('Killed', 'Timeout')
  const left = count('Survived', 'NoCoverage')
  if (killed + left === 0) return []
  const score = ((100 * killed) / (killed + left)).toFixed(1)
  return [`| ${file.slice(FOLDER.length + 1)} | ${killed + left} | ${killed} | ${left} | ${score} % |`]
}

const asked = process.argv.slice(2)
const files = (asked.length > 0 ? asked : [FOLDER]).flatMap(sourcesBelow)
const outside = files.filter((file) => !file.startsWith(`${FOLDER}/`))
if (outside.length > 0) throw new Error(`only files below ${FOLDER} have tests chosen for them: ${outside.join(', ')}`)
for (const file of files) {
  console.log(file)
  const env = { ...process.env, ROCELAB_MUTATED: file }
  const { status } = spawnSync(process.execPath, [STRYKER, 'run', CONFIG], { stdio: 'inherit', env })
  if (status !== 0) process.exitCode = 1
}
console.log(
  ['| file | mutants | killed | left | score |', '|---|---|---|---|---|', ...files.flatMap(lineOf)].join('\n'),
)
