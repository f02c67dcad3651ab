import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { measuresAt } from '../../core/run-here.test-run.ts'
import { ALL_CASES, backgroundOf, CASES, type CclAt, alternatingOf, scenarioText, setupsOf } from './cases.ts'
import { ccl } from './ccl.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../../../scenarios/ccl')
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'))
const linesOf = (name: string): string[] => readFileSync(path.join(FOLDER, name), 'utf8').trimEnd().split('\n')
const baseOf = (number: (typeof ALL_CASES)[number]): CclAt => {
  return { case: number, setup: setupsOf(number)[0]!, balance: 'ecmp', mtu: 4096, kib: 1024, qps: 1 }
}

describe('the scenarios on disk', () => {
  test('are the cases of the plan', () => expect(files.length).toBe(ALL_CASES.length))

  test.each(ALL_CASES)('case %i is that of the experiment', (number) => {
    const text = files
      .map((name) => readFileSync(path.join(FOLDER, name), 'utf8'))
      .find((each) => each.includes(`CCL case ${number}, ${CASES[number]}\n`))!
    const [, name] = /^name: (.+)$/m.exec(text)!
    const lists = { background: 'background.txt', program: `${name}.goal` }
    expect(text.endsWith(scenarioText(baseOf(number), lists))).toBe(true)
  })

  test('have lists that are those of the experiment', () => {
    expect(linesOf('background.txt')).toEqual(backgroundOf(1024))
    expect(linesOf('ring-in-turn.goal')).toEqual(alternatingOf('ring', baseOf(10)))
    expect(linesOf('halving-doubling-in-turn.goal')).toEqual(alternatingOf('halving-doubling', baseOf(11)))
  })
})

test('the background is a tenth of the rate of each port, in both directions', () => {
  const flows = backgroundOf(8192).map((line) => line.split(' '))
  const last = Number.parseInt(flows.at(-1)![3]!, 10)
  for (const end of [0, 1]) {
    const bytes = flows
      .filter((flow) => flow[end] === '3')
      .reduce((sum, flow) => sum + Number.parseInt(flow[2]!, 10), 0)
    expect((bytes * 8) / last / 400).toBeCloseTo(0.1, 2)
  }
})

test('a run is measured: times of the job, and criteria that can fail', () => {
  const at = { ...baseOf(1), qps: 8 }
  const alone = measuresAt(ccl.plan, 'small', at)
  const beside = measuresAt(ccl.plan, 'small', { ...at, case: 5 })
  // 14 steps of an eighth at 400 Gb/s, headers and 1 us of propagation for each.
  expect(alone['timePs']! / 1e6).toBeGreaterThan((14 * (131072 * 8)) / 400e3)
  expect(beside['timePs']! / alone['timePs']!).toBeGreaterThan(1.01)
  expect([alone['drops'], alone['pauses']]).toEqual([0, 0])
  expect(measuresAt(ccl.plan, 'small', { ...at, case: 4, kib: 8192 })['marks']).toBeGreaterThan(0)
})

test('a criterion fails if one run of many does', () => {
  const outcomes = ccl.points('small', 1).map(({ at, seed }) => {
    const isBad = at['case'] === 5 && at['kib'] === 128
    const measures = { timePs: isBad ? 1.2 : 1, variation: 0, drops: 0, resent: 0, pauses: 0, marks: 0, cnps: 0 }
    return { at, seed, digest: '', measures: { ...measures, egressToHosts: 1, egressToSpines: 1 } }
  })
  const failed = ccl
    .findings('small', outcomes)
    .claims.filter(({ verdict }) => verdict !== 'reproduced')
    .map(({ id, check }) => `${id} ${check}`)
  // The same time for small messages is not faster either.
  expect(failed).toEqual([
    ...['A, ecmp', 'A, spray', 'B, ecmp', 'B, spray'].map((setup) => `ccl.2 small, setup ${setup}`),
    'ccl.5 time, setup A, ecmp',
    'ccl.5 time, setup A, spray',
  ])
})

test('every case is a scenario that holds', () => {
  for (const number of ALL_CASES) expect(() => parseScenario(scenarioText(baseOf(number)))).not.toThrow()
})
