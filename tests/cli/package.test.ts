/**
 * The package as users install it: packed into a file, installed into an empty folder, and used from there.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
