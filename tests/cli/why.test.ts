/**
 * `rocelab why`: the answer of a result is kept in its folder and begins its report; killed or interrupted, it leaves the
 * folder as it was; mistakes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WhyJson } from '../../src/core/results/index.ts'
import { createFolder, type Ended, inFlight, rocelab, startRocelab } from './program.ts'

const SLOW = `name: slow
topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 100Gbps, rates: ["leaf 2-spine 0: 10Gbps"]}
workload: [{kind: poisson, load: 0.3, sizes: {kind: fixed, size: 64KB}, tag: storage}]
measure: {generate: 2ms}
`

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({ 'slow.yaml': SLOW, 'long.yaml': SLOW.replace('2ms', '2s') })
  rocelab(at.folder, 'run', 'slow.yaml', '--autopsy', '--out', 'slow', '--quiet')
  rocelab(at.folder, 'run', 'slow.yaml', '--out', 'plain', '--quiet')
})
afterAll(() => at.clear())

const asked = (...args: string[]): Ended => rocelab(at.folder, 'why', ...args)
const kept = (folder: string): WhyJson =>
  JSON.parse(readFileSync(path.join(at.folder, folder, 'why.json'), 'utf8')) as WhyJson

test('the answer is kept in the folder of the result, is the same on one thread, and begins its report', () => {
  const files = readdirSync(path.join(at.folder, 'slow'))
  const { code, stdout, stderr } = asked('slow', '--json', '--quiet')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(kept('slow')).toEqual(JSON.parse(stdout))
  expect(kept('slow').causes[0]!.suspects).toMatchObject([{ kind: 'slow-link', device: 'leaf 2', port: 'spine 0' }])
  expect(readdirSync(path.join(at.folder, 'slow')).toSorted()).toEqual([...files, 'why.json'].toSorted())
  expect(asked('slow', '--json', '--jobs', '1').stdout).toBe(stdout)
  expect(rocelab(at.folder, 'report', 'slow', '--out', 'slow.html').code).toBe(0)
  const page = readFileSync(path.join(at.folder, 'slow.html'), 'utf8')
  expect(page).toContain('<div class="proof">')
  expect(page.indexOf('<div class="proof">')).toBeLessThan(page.indexOf('<dl class="numbers">'))
})

test('a result without an autopsy is run again, which is said, and gets the same answer', () => {
  const { code, stderr } = asked('plain', '--json', '--quiet')
  expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 0, lines: 2 })
  expect(kept('plain')).toEqual(kept('slow'))
})

test('of two scenarios the slower one is asked which difference matters', () => {
  const { stdout } = asked('slow', 'slow.yaml', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ causes: [], cleared: [] })
})

test.each(['SIGINT', 'SIGKILL'] as const)('%s leaves the folder without an answer', async (signal) => {
  const { child, ended } = startRocelab(at.folder, 'why', 'long.yaml')
  await inFlight(child)
  child.kill(signal)
  expect((await ended).stdout).toBe('')
  expect(readdirSync(at.folder).filter((name) => name.includes('why'))).toEqual([])
})

describe('mistakes end with code 2 and one line each', () => {
  test.each([
    ['a change of a result', ['slow', '--set', 'qp.window=1MB']],
    ['a third run', ['slow', 'slow', 'slow']],
    ['no such file', ['absent.yaml']],
    ['no budget', ['slow', '--budget', '0']],
  ])('%s', (_, args) => {
    const { code, stdout, stderr } = asked(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^[^\n]*(expected|received)[^\n]*\n$/)
  })
})
