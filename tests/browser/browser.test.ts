/**
 * Code below the command line does not depend on Node: a bare JavaScript engine and a browser give the same events, files,
 * texts and curves.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import { formatScenario } from '../../src/lab/scenario/index.ts'
import { ncclLog, perftestLog } from '../../src/doctor/expect/drawn.test-data.ts'
import { R3, RUNS } from '../fidelity/cases.ts'
import { caseOf } from '../swarm/run-case.ts'
import { BROWSER, inBrowser, packedPage } from './browser.ts'
import { outcomes, type Work } from './outcomes.ts'

/** Bundled scenarios that run quickly. */
const GIVEN = ['churn-ldcp', 'incast-hpcc', 'incast-qcn']
const SEEDS = Array.from({ length: 40 }, (_, i) => 9100 + i)
const scenarioFile = (name: string) => path.join(import.meta.dirname, '..', '..', 'scenarios', `${name}.yaml`)
const recorded = path.join(RUNS, R3)
const files = Object.fromEntries(
  readdirSync(recorded).map((name) => [path.join(recorded, name), readFileSync(path.join(recorded, name), 'utf8')]),
)

const work: Work = {
  scenarios: [
    ...GIVEN.map((name) => readFileSync(scenarioFile(name), 'utf8')),
    ...SEEDS.map((seed) => formatScenario(caseOf(seed).scenario)),
  ],
  imports: [{ path: path.join(recorded, 'config.txt'), files }],
  logs: [
    { text: perftestLog(109.08, 65_536, 4096, 1), fabric: '200G RoCE port, PCIe Gen5 x4' },
    {
      text: ncclLog(16, 8, 'NVIDIA H100 80GB HBM3', [{ bytes: 2 ** 30, busGBs: 44.4 }]),
      fabric: '8x400G RoCE x 2 servers',
    },
  ],
}
const here = outcomes(work)
const { code, warnings } = await packedPage()

test('all rooms below cli pack into one script without external imports', () => {
  expect(warnings).toEqual([])
  expect(here).toHaveLength(GIVEN.length + SEEDS.length + 3)
  expect(here.slice(-2).map((line) => line.split(' ').at(-4))).toEqual(['as-expected', 'far-below'])
  expect(new Set(here.map((line) => line.split(' ')[1])).size).toBeGreaterThan(SEEDS.length * 0.95)
})

test('a bare JavaScript engine, without process, files, clock and console, gives the same outcomes', () => {
  // APIs of the web that are not part of the language: text encoding, and timers, which the DOM of the figures expects.
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'].map((name) => [
    name,
    () => expect.unreachable(`${name}: nothing waits`),
  ])
  const encode = (text: string) => new TextEncoder().encode(text)
  const bare = vm.createContext({ encode, TextDecoder, ...(Object.fromEntries(timers) as object) })
  // Its own Uint8Array, since arrays of Node's realm are not instances of it.
  vm.runInContext('globalThis.TextEncoder = class { encode(text) { return Uint8Array.from(encode(text)) } }', bare)
  vm.runInContext(code, bare)
  const there = vm.runInContext(`rocelabOutcomes(${JSON.stringify(JSON.stringify(work))})`, bare) as string
  expect(there.split('\n')).toEqual(here)
})

if (BROWSER === undefined) console.warn('determinism in a browser: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('a browser', () => {
  test('gives the same events, files, texts and curves, to the last byte', () => {
    expect(inBrowser(BROWSER!, code, JSON.stringify(work)).split('\n')).toEqual(here)
  })
})
