/**
 * Entry point of the project's scripts: `npm start`, `npm test`, `npm run test:all`, `npm run check`, `npm run bench`.
 * Installs packages if node_modules is missing or from another lock file, builds if sources have changed, then runs the
 * requested step. Prints messages only if it installs or builds. Plain JavaScript without dependencies.
 *
 *   start [args]   dist/cli/main.js, in the current directory of the user; without args, its tour
 *   test [args]    vitest run, which builds (tests/support/build.setup.ts), without the suites of test:all unless args name
 *                  files; --budget N and --seed N reach the random suites as ROCELAB_BUDGET and ROCELAB_SEED
 *   test:all [args]  the suites that test leaves out (vitest.config.ts)
 *   bench [args]   bench/main.ts, built into dist-bench/
 *   score [args]   scripts/score/main.ts, built into dist-score/
 *   mutation [files]  scripts/mutation.mjs, with Stryker from tests/mutation/, installed at first use; --draw N without it
 *   api            docs/api/, the reference of the library and the pages of the experiments, with typedoc.json
 *   check, format, build
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const inRoot = (...parts) => path.join(root, ...parts)
const say = (text) => process.stderr.write(`rocelab: ${text}\n`)

function stop(text) {
  say(text)
  process.exit(1)
}

const readStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

function runNode(args, { env = {}, cwd = root } = {}) {
  const run = spawnSync(process.execPath, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
  return run.status ?? 1
}

/** Runs the npm that started this script, or else the one on the PATH. Its output is shown only if it fails. */
function runNpm(args, cwd) {
  const viaNode = process.env.npm_execpath?.endsWith('.js')
  const [command, first] = viaNode ? [process.execPath, [process.env.npm_execpath]] : ['npm', []]
  const shell = !viaNode && process.platform === 'win32'
  const run = spawnSync(command, [...first, ...args], {
    cwd,
    shell,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { ok: run.status === 0, output: `${run.stdout ?? ''}${run.stderr ?? run.error ?? ''}` }
}

/** Installs the packages of a directory unless its stamp says that this lock file was installed on this platform. */
function install(directory, { optional = false } = {}) {
  const stampFile = path.join(directory, 'node_modules', '.rocelab.stamp')
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const name of ['package.json', 'package-lock.json']) hash.update(readFileSync(path.join(directory, name)))
  const stamp = hash.digest('hex')
  if (readStamp(stampFile) === stamp) return
  const what = path.relative(root, directory) || 'packages'
  say(`installing ${what}`)
  // Not `npm ci`, which fails if a registry lacks the binaries of some platforms.
  const { ok, output } = runNpm(
    ['install', '--no-save', '--prefer-offline', '--fetch-retries=1', '--no-audit', '--no-fund', '--loglevel=error'],
    directory,
  )
  if (ok) writeFileSync(stampFile, stamp)
  else if (optional) say(`${what} could not be installed; the tests that need it will say that they are skipped`)
  else stop(`npm install failed:\n${output}`)
}

function filesBelow(directory) {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

/** Names, sizes and times of all inputs of the build. */
function sourceStamp(folders) {
  const hash = createHash('sha256')
  const configs = readdirSync(root).filter((name) => /^(tsconfig.*|package(-lock)?)\.json$/.test(name))
  for (const file of [
    ...folders.flatMap((folder) => filesBelow(inRoot(folder))),
    ...configs.map((name) => inRoot(name)),
  ]) {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/**
 * Builds into temporary folders and swaps, so that a running program never sees an incomplete build.
 * @param outs the program, and beside it the one with all assertions, if it is wanted; steps are given both folders
 */
function build({ config, outs, sources, dataTo, steps }) {
  const stamp = sourceStamp(sources)
  if (outs.every((out) => readStamp(inRoot(out, '.stamp')) === stamp)) return
  say(`building ${outs[0]}`)
  const fresh = outs.map((out) => inRoot(`${out}-${process.pid}`))
  const tsc = inRoot('node_modules', 'typescript-7', 'bin', 'tsc')
  const isBuilt =
    runNode([tsc, '-p', inRoot(config), '--outDir', fresh[0]]) === 0 &&
    steps.every((step) => runNode([inRoot('scripts', step), ...fresh]) === 0)
  if (!isBuilt) {
    for (const folder of fresh) rmSync(folder, { recursive: true, force: true })
    stop('the build failed')
  }
  for (const file of filesBelow(inRoot('src')).filter((name) => /(?<!tsconfig)\.(json|csv|txt)$/.test(name))) {
    const target = path.join(fresh[0], dataTo, path.relative(inRoot('src'), file))
    mkdirSync(path.dirname(target), { recursive: true })
    cpSync(file, target)
  }
  for (const [at, out] of outs.entries()) swap(fresh[at], inRoot(out), stamp)
}

function swap(fresh, out, stamp) {
  const old = `${fresh}-old`
  writeFileSync(path.join(fresh, '.stamp'), stamp)
  try {
    if (existsSync(out)) renameSync(out, old)
    renameSync(fresh, out)
  } catch (error) {
    // Another process swapped in its own, equal build between the two steps.
    if (readStamp(path.join(out, '.stamp')) === '') throw error
    rmSync(fresh, { recursive: true, force: true })
  }
  rmSync(old, { recursive: true, force: true })
}

const buildProgram = () =>
  build({
    config: 'tsconfig.build.json',
    outs: ['dist', 'dist-checked'],
    sources: ['src', 'types', 'scripts'],
    dataTo: '.',
    steps: ['inline.mjs', 'join.mjs', 'page.mjs'],
  })

/** `--budget 50` and `--budget=50` become variables; all other arguments are passed to vitest. */
function splitTestArgs(args) {
  const rest = []
  const env = {}
  for (let index = 0; index < args.length; index++) {
    const [, name, inline] = /^--(budget|seed)(?:=(.*))?$/.exec(args[index]) ?? []
    if (name === undefined) rest.push(args[index])
    else env[`ROCELAB_${name.toUpperCase()}`] = inline ?? args[++index] ?? stop(`--${name} needs a value`)
  }
  return { rest, env }
}

/** @param suite of the two into which all tests are divided; args that choose tests choose from all */
function runTests(args, suite) {
  if (process.platform === 'linux' && process.arch === 'x64')
    install(inRoot('tests', 'second-node'), { optional: true })
  const { rest, env } = splitTestArgs(args)
  const isChosen = rest.some((word) => !word.startsWith('-') || /^--changed(=|$)/.test(word))
  const all = isChosen ? env : { ...env, ROCELAB_SUITE: suite }
  process.exitCode = runNode([inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run', ...rest], { env: all })
}

const jobs = {
  async start(args) {
    buildProgram()
    const main = inRoot('dist', 'cli', 'main.js')
    // npm changes to the package's root and sets INIT_CWD to the user's directory.
    if (process.env.npm_lifecycle_event && process.cwd() === root) process.chdir(process.env.INIT_CWD ?? root)
    process.argv = [process.execPath, main, ...(args.length === 0 ? ['tour'] : args)]
    await import(pathToFileURL(main).href)
  },
  test: (args) => runTests(args, 'first'),
  'test:all': (args) => runTests(args, 'rest'),
  bench(args) {
    build({
      config: 'tsconfig.bench.json',
      outs: ['dist-bench'],
      sources: ['src', 'bench', 'types', 'scripts'],
      dataTo: 'src',
      steps: ['inline.mjs'],
    })
    process.exitCode = runNode(['--expose-gc', inRoot('dist-bench', 'bench', 'main.js'), ...args])
  },
  score(args) {
    build({
      config: 'tsconfig.score.json',
      outs: ['dist-score'],
      sources: ['src', 'scripts', 'types'],
      dataTo: 'src',
      steps: ['inline.mjs'],
    })
    process.exitCode = runNode([inRoot('dist-score', 'scripts', 'score', 'main.js'), ...args])
  },
  mutation(args) {
    if (!args.includes('--draw')) install(inRoot('tests', 'mutation'))
    process.exitCode = runNode([inRoot('scripts', 'mutation.mjs'), ...args])
  },
  check(args) {
    process.exitCode = runNode([inRoot('scripts', 'check.mjs'), ...args])
  },
  format(args) {
    runNode([inRoot('node_modules', 'oxlint', 'bin', 'oxlint'), '--fix', '--silent', ...args])
    process.exitCode = runNode([inRoot('node_modules', 'oxfmt', 'bin', 'oxfmt'), ...args])
  },
  api(args) {
    buildProgram()
    const isWritten = runNode([inRoot('dist', 'cli', 'main.js'), 'reproduce', '--docs', 'docs'], { cwd: root }) === 0
    if (!isWritten) stop('the pages of the experiments could not be written')
    const folders = ['docs/reproduction*.md', 'docs/reproduction/*.md', 'docs/experiments/**/*.md']
    const documents = folders.flatMap((pattern) => ['--projectDocuments', pattern])
    process.exitCode = runNode([inRoot('node_modules', 'typedoc', 'bin', 'typedoc'), ...documents, ...args])
  },
  build: buildProgram,
}

const [job, ...args] = process.argv.slice(2)
if (!Object.hasOwn(jobs, job ?? '')) stop(`expected one of: ${Object.keys(jobs).join(', ')}`)
install(root)
await jobs[job](args)
