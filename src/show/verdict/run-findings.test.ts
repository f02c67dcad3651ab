/**
 * Findings of runs in their order: why before how, and none only where flows are fast.
 */
import { expect, test } from 'vitest'
import { reportedRun } from '../../advice.ts'
import { run } from '../../lab/index.ts'
import { formatScenario, parseScenario } from '../../lab/scenario/index.ts'
import { explainText } from '../explain/explain-text.ts'
import { explain } from '../explain/explanation.ts'
import type { ReportedRun } from '../reported-run.ts'
import { findingsOfRun, isFast } from './run-findings.ts'

function ran(text: string): ReportedRun {
  const scenario = parseScenario(text)
  const stored = { result: run(scenario), scenarioText: formatScenario(scenario), scenarioList: () => undefined }
  return reportedRun(stored, { label: 'a', folder: 'a' })
}

const idsOf = (one: ReportedRun): string[] => findingsOfRun(one).map(({ id }) => id)

/** Four switches in a ring whose buffers wait for each other. */
const RING = `
name: ring
topology:
  kind: graph
  nodes: 8
  switches: [4, 5, 6, 7]
  links: [0 4 100Gbps 1us, 1 5 100Gbps 1us, 2 6 100Gbps 1us, 3 7 100Gbps 1us,
    4 5 100Gbps 1us, 5 6 100Gbps 1us, 6 7 100Gbps 1us, 7 4 100Gbps 1us]
  routes: ['4: 1,2 via 2', '5: 2,3 via 3', '6: 3,0 via 3', '7: 0,1 via 3']
switch: {buffer: {kind: shared-buffer, size: 1MB}}
workload: [{kind: trace, flows: [0 2 10MB 0us, 1 3 10MB 0us, 2 0 10MB 0us, 3 1 10MB 0us]}]
`

/** Two racks with one link between them: hosts of one send to those of the other. */
const between = (fabricRate: string): string => `
name: racks
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 8, hostRate: 10Gbps, fabricRate: ${fabricRate}}
congestion: none
workload: [{kind: trace, flows: [${Array.from({ length: 8 }, (_, host) => `"${host} ${host + 8} 100KB 0us"`).join(', ')}]}]
switch: {buffer: {kind: shared-buffer, size: 12MB}}
`

test('a run whose flows are slow has a finding, although nothing was dropped or paused', () => {
  const [slow, fast] = [ran(between('20Gbps')), ran(between('100Gbps'))]
  expect([slow, fast].map((one) => one.result.counters.pauseFrames)).toEqual([0, 0])
  expect([isFast(slow), slow.summary.maxSlowdown < 10]).toEqual([false, true])
  expect(idsOf(slow)).toEqual(['slowest-flow'])
  expect([isFast(fast), idsOf(fast)]).toEqual([true, []])
})

test('with an autopsy the cause comes before it, and an unfinished flow counts', () => {
  const [first, second] = idsOf(ran(`${between('20Gbps')}observe: [autopsy]\nmeasure: {stop: 100us}\n`))
  expect([first, second]).toEqual(['oversubscribed', 'flows-unfinished'])
})

test('links that lost packets come last where an autopsy names none of them', () => {
  const lossy = `${between('100Gbps')}faults: [{kind: bernoulli, probability: 0.002}]\nrecovery: irn\npfc: {classes: []}\n`
  const ids = idsOf(ran(`${lossy}observe: [autopsy, drops]\n`))
  expect(ids.slice(0, 1)).toEqual(['packets-dropped'])
  expect(ids.at(-1)).toBe('link-lost-packets')
})

test('a deadlock comes first, also in an explanation of a run of which no flow finished', () => {
  expect(idsOf(ran(RING)).slice(0, 2)).toEqual(['deadlock', 'run-stalled'])
  const { result, facts } = ran(`${RING}observe: [autopsy]\n`)
  const explanation = explain(result, facts)
  expect([explanation.flows, explanation.causes[0]?.id]).toEqual([0, 'deadlock'])
  expect(explainText(explanation)).toContain('switch 4 > switch 5 > switch 6 > switch 7 > switch 4')
})
