/**
 * The package as users install it: packed into a file, installed into an empty folder, and used from there.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rerun } from '../docs/console.ts'
import { PAGES, read } from '../docs/pages.ts'
import { Commands } from '../support/commands.ts'
import { createFolder, type Ended, ROOT } from './program.ts'

let at: ReturnType<typeof createFolder>
/** Reason why it could not be installed, if the network failed. */
let unreachable = ''

function started(command: string, args: readonly string[], cwd: string): Ended {
  const shell = process.platform === 'win32'
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', shell, maxBuffer: 1 << 28 })
  return { code: status, stdout, stderr }
}

beforeAll(() => {
  at = createFolder()
  // As in README: without a package.json, npm installs into the nearest parent folder that has one.
  writeFileSync(path.join(at.folder, 'package.json'), '{ "private": true }\n')
  const packed = started('npm', ['pack', '--silent', '--pack-destination', at.folder], ROOT)
  if (packed.code !== 0) throw new Error(`npm pack: ${packed.stderr}`)
  const [file = ''] = readdirSync(at.folder).filter((name) => name.endsWith('.tgz'))
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1']
  const installed = started('npm', ['install', ...flags, `./${file}`], at.folder)
  if (/ENOTFOUND|ENOTCACHED|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT/.test(installed.stderr)) unreachable = installed.stderr
  else if (installed.code !== 0) throw new Error(`npm install: ${installed.stderr}`)
}, 300_000)
afterAll(() => at.clear())

const bin = (): string => path.join(at.folder, 'node_modules', '.bin', 'rocelab')

test('has the command, which runs one of its examples', ({ skip }) => {
  if (unreachable !== '') skip(`packages cannot be fetched: ${unreachable}`)
  expect(started(bin(), ['--version'], at.folder).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(started(bin(), ['example', 'incast-pfc', '--out', 'incast.yaml'], at.folder).code).toBe(0)
  const run = started(bin(), ['run', 'incast.yaml', '--out', 'incast', '--quiet'], at.folder)
  expect(run).toEqual({ code: 0, stdout: 'incast\n', stderr: '' })
  expect(existsSync(path.join(at.folder, 'incast', 'digest.txt'))).toBe(true)
})

test('is installed in all pages from the file that npm pack makes, as it is in no registry', () => {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const installed = PAGES.flatMap((page) =>
    [...read(page).matchAll(/npm (?:install|i|add) (?!-)(\S+)/g)].map(([, what = '']) => path.posix.basename(what)),
  )
  expect(installed.length).toBeGreaterThan(2)
  expect(new Set(installed)).toEqual(new Set([`rocelab-${version}.tgz`]))
})

test('has the library, whose root module runs a scenario and summarizes it', ({ skip }) => {
  if (unreachable !== '') skip(`packages cannot be fetched: ${unreachable}`)
  const script = `
    import { parseScenario, run, summarize } from 'rocelab'
    const scenario = parseScenario('name: pair\\ntopology: {kind: star, hosts: 2}\\nworkload: [{kind: incast, senders: 1}]\\n')
    const { flows } = summarize(run(scenario))
    console.log(flows.finished, flows.unfinished)
  `
  writeFileSync(path.join(at.folder, 'library.mjs'), script)
  expect(started(process.execPath, ['library.mjs'], at.folder)).toEqual({ code: 0, stdout: '1 0\n', stderr: '' })
})

test.each(['docs/guides/library.md', 'docs/recipes/own-scheme.md'])(
  'runs what %s shows, types checked',
  async (page) => {
    const commands = new Commands()
    const { page: shown, program } = await rerun(page, path.join(at.folder, 'node_modules', 'rocelab'), commands)
    commands.stop()
    expect(program).toEqual(shown)
  },
)

/** The only entries that need Node: sockets, files and other programs. */
const OF_NODE = ['rocelab/live/drivers', 'rocelab/live/guests']

/** Script that a bundler makes of the packed files for a browser, and its complaints. */
async function bundled(entry: string): Promise<{ code: string; complaints: string[] }> {
  const complaints: string[] = []
  const input = path.join(at.folder, 'entry.js')
  writeFileSync(input, `export * from '${entry}'\n`)
  const onLog = (_level: string, log: { readonly message: string }): void => void complaints.push(log.message)
  const bundle = await rolldown({ input, platform: 'browser', onLog })
  const { output } = await bundle.generate({ format: 'iife', name: 'room' })
  await bundle.close()
  return { code: output.length === 1 ? output[0].code : '', complaints }
}

/** Names that a script exports where there is nothing of Node, only those globals of a browser that the library uses. */
function exportedIn(code: string): string[] {
  const browser = createContext({
    TextEncoder,
    TextDecoder,
    URL,
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
  })
  return Object.keys(runInContext(`${code}\nroom`, browser) as object)
}

test('has entries that a bundler takes for a browser, as they run there', async ({ skip }) => {
  if (unreachable !== '') skip(`packages cannot be fetched: ${unreachable}`)
  const text = readFileSync(path.join(at.folder, 'node_modules', 'rocelab', 'package.json'), 'utf8')
  const { exports } = JSON.parse(text) as { exports: Record<string, unknown> }
  const entries = Object.keys(exports).filter((name) => !name.endsWith('.json'))
  const faults: string[] = []
  const ofNode: string[] = []
  for (const entry of entries.map((name) => name.replace(/^\./, 'rocelab'))) {
    const { code, complaints } = await bundled(entry)
    if (complaints.some((one) => one.includes('node:'))) ofNode.push(entry)
    else if (complaints.length > 0 || exportedIn(code).length === 0) faults.push(`${entry}: ${complaints.join('; ')}`)
  }
  expect(faults).toEqual([])
  expect(ofNode).toEqual(OF_NODE)
})

test('has the files that a user needs and no tests', ({ skip }) => {
  if (unreachable !== '') skip(`packages cannot be fetched: ${unreachable}`)
  const root = path.join(at.folder, 'node_modules', 'rocelab')
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  for (const name of [
    'README.md',
    'LICENSE',
    'docs/recipes/tuning.md',
    'scenarios/incast-pfc.yaml',
    'dist/index.d.ts',
  ]) {
    expect(names).toContain(path.normalize(name))
  }
  expect(names.filter((name) => /[.]test[.-]/.test(name))).toEqual([])
})
