/** Finished points of one program are not reused by another: copies of the built program, each changed in one way. */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest'
import { VERSION } from '../../src/core/base/version.ts'
import { createFolder, ROOT, SMALL } from './program.ts'

const root = mkdtempSync(path.join(tmpdir(), 'rocelab-program-'))
const stamp = path.join(root, 'dist', '.stamp')
let stampText = ''
let at: ReturnType<typeof createFolder>
beforeAll(() => {
  cpSync(path.join(ROOT, 'dist'), path.join(root, 'dist'), { recursive: true })
  cpSync(path.join(ROOT, 'package.json'), path.join(root, 'package.json'))
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'))
  stampText = readFileSync(stamp, 'utf8')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(() => {
  writeFileSync(stamp, stampText)
  at = createFolder({ 'small.yaml': SMALL })
})
afterEach(() => at.clear())

/** Number of points that a sweep of two finds finished. */
function kept(): number {
  const main = path.join(root, 'dist', 'cli', 'main.js')
  const args = [main, 'sweep', 'small.yaml', '--seeds', '2', '--out', 'out', '--jobs', '1', '--force']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: at.folder, encoding: 'utf8' })
  expect(status).toBe(0)
  return stderr === '' ? 0 : Number(/(\d) of 2 points have finished already/.exec(stderr)?.[1])
}

test('a rebuilt program runs everything again, and the old one finds its own points', () => {
  expect([kept(), kept()]).toEqual([0, 2])
  appendFileSync(stamp, 'another build\n')
  expect([kept(), kept()]).toEqual([0, 2])
  writeFileSync(stamp, stampText)
  expect(kept()).toBe(2)
})

test('an installed program, which has no stamp, is identified by its version', () => {
  rmSync(stamp)
  expect([kept(), kept()]).toEqual([0, 2])
  // The build inlines constants.
  const dist = path.join(root, 'dist')
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
  const changed = scripts.filter((name) => {
    const text = readFileSync(path.join(dist, name), 'utf8')
    writeFileSync(path.join(dist, name), text.replaceAll(VERSION, `${VERSION}1`))
    return text.includes(VERSION)
  })
  expect(changed.length).toBeGreaterThan(0)
  expect([kept(), kept()]).toEqual([0, 2])
})
