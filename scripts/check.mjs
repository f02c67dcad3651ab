/**
 * Static checks of the source. `npm run check` runs all steps and reports those that fail; `npm run check -- types rooms`
 * runs only the named ones.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findClones } from './clones.mjs'
import { checkRooms } from './rooms.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)

/** Output lines of a tool if it failed, else none. */
function tool(file, ...args) {
  const run = spawnSync(process.execPath, [path.join('node_modules', file), ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (run.status === 0) return []
  return `${run.stdout}${run.stderr}`.trimEnd().split('\n')
}

const tsc = (...args) => tool('typescript-7/bin/tsc', '--pretty', 'false', ...args)

/** Rooms and files in which an indexed read may be trusted: docs/decisions/0005-indexed-access.md. */
const TRUSTED_READS =
  /^(src\/core\/(engine|transport|verbs|fabric)\/|tests\/|bench\/|scripts\/score\/|.*\.test(-\w+)?\.ts\()/

/** Compiler errors about indexed reads outside the HOT rooms. Continuation lines of an error are indented. */
function indexedReads() {
  let shown = false
  return tsc('-p', 'tsconfig.indexed.json').filter((line) => {
    if (!line.startsWith(' ')) shown = !TRUSTED_READS.test(line)
    return shown
  })
}

/** Folders without duplicate code. */
const WITHOUT_CLONES = ['src/core/transport', 'src/core/verbs', 'src/core/fabric']

/** Costs of a packet-hop against the recorded ones (bench/cost.ts). A step may have a note where it finds nothing. */
function cost() {
  const args = ['scripts/bootstrap.mjs', 'bench', 'cache', '--check']
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const lines = run.stdout.split('\n').filter((line) => line !== '')
  if (run.status === 0) return { found: [], note: lines.join('; ') }
  return { found: lines.length > 0 ? lines : run.stderr.trimEnd().split('\n'), note: '' }
}

const steps = {
  format: () => tool('oxfmt/bin/oxfmt', '--check'),
  lint: () => tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '--format=unix'),
  types: () => {
    const found = [...tsc('-p', 'tsconfig.json'), ...tsc('-p', 'src/show/html/client/tsconfig.json')]
    return found.length > 0 ? found : indexedReads()
  },
  rooms: () =>
    checkRooms(
      root,
      ['src', 'tests', 'bench', 'scripts'].filter((folder) => existsSync(folder)),
    ),
  clones: () => findClones(root, WITHOUT_CLONES),
  unused: () => tool('knip/bin/knip.js', '--no-progress'),
  cost,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(steps, name))
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(', ')}; there are: ${Object.keys(steps).join(', ')}`)
  process.exit(1)
}

let failed = 0
for (const [name, step] of Object.entries(steps)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const startMs = performance.now()
  const result = await step()
  const { found, note } = Array.isArray(result) ? { found: result, note: '' } : result
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
  console.log(`${found.length === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(8)} ${seconds} s${note && `  ${note}`}`)
  if (found.length > 0) console.log(found.map((line) => `       ${line}`).join('\n'))
  failed += found.length > 0 ? 1 : 0
}
if (failed > 0) {
  console.log(`${failed} ${failed === 1 ? 'check' : 'checks'} failed`)
  process.exitCode = 1
}
