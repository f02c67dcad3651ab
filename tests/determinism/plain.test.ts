/**
 * The plain program, without what most scenarios do not use, and the full one, in one process: the same events where both have
 * all that a scenario needs; where the plain one has not, the full one is chosen, and the plain one refuses.
 */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { Bug } from '../../src/core/base/assert.ts'
import type * as Nics from '../../src/core/fabric/nic/nic.ts'
import type * as Runs from '../../src/lab/simulation/built-run.ts'
import type * as Needs from '../../src/lab/simulation/full-needs.ts'
import type * as Simulations from '../../src/lab/simulation/simulation.ts'
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'
import { hasReads, hasWorkRequests } from '../../src/lab/scenario/rules/operations.ts'
import { caseOf } from '../swarm/run-case.ts'
import { fingerprintOf } from './fingerprint.ts'

const built = (file: string): string =>
  pathToFileURL(path.resolve(import.meta.dirname, '..', '..', 'dist-checked', file)).href
const { createSimulation: createFull } = (await import(
  /* @vite-ignore */ built('lab/simulation/built-run.js')
)) as typeof Runs
const { createSimulation: createPlain } = (await import(
  /* @vite-ignore */ built('lab/simulation/plain-run.js')
)) as typeof Runs
const { run } = (await import(/* @vite-ignore */ built('lab/simulation/simulation.js'))) as typeof Simulations
const { Nic: PlainNic } = (await import(/* @vite-ignore */ built('plain/core/fabric/nic/nic.js'))) as typeof Nics
const { needsFull } = (await import(/* @vite-ignore */ built('lab/simulation/full-needs.js'))) as typeof Needs

/** Drawn scenarios use nearly everything; these without what the plain program lacks. */
const DRAWN = Array.from({ length: 200 }, (_, i) => caseOf(21_000 + i).scenario)
const plain = DRAWN.map(withLess).filter((scenario) => !needsFull(scenario))

function withLess(scenario: Scenario): Scenario {
  const { qp, switch: its, workload } = scenario
  const alone = workload.filter((one) => !hasReads({ workload: [one] }) && !hasWorkRequests({ workload: [one] }))
  return {
    ...scenario,
    qp: { ...qp, receiveQueue: null, hostDelay: { kind: 'none' }, ackCoalescing: 1 },
    switch: {
      ...its,
      latency: 0,
      trimming: { ...its.trimming, of: 'none' },
      wred: { ...its.wred, classes: [] },
    },
    workload: alone.map((one) => ({ ...one, qp: null })),
  }
}

/** Each of the two runs has at most this many slices, of this many events. */
const [SLICES, EVENTS] = [10, 3000]

test('both have the same events, and slices of one change nothing in the other', () => {
  expect(plain.length).toBeGreaterThan(DRAWN.length / 4)
  for (const scenario of plain) {
    const both = [createFull, createPlain].map((create) => create(scenario, { check: true }))
    for (let i = 0; i < SLICES; i++) for (const each of both) each.advance(EVENTS)
    const [full, other] = both.map((each) => fingerprintOf(each.result(true)))
    expect(other, scenario.name).toBe(full)
    for (const each of both) each.close()
  }
})

const BASE = `
topology: {kind: star, hosts: 4, linkRate: 40Gbps}
workload: [{kind: incast, senders: 3, total: 300KB}]
`
const scenarioWith = (...sets: string[]): Scenario => parseScenario(BASE, { sets })

test('the program takes the plain one where a scenario needs nothing else, and only there', () => {
  const taken = vi.spyOn(PlainNic.prototype, 'nextPacket')
  run(scenarioWith())
  expect(taken).toHaveBeenCalled()
  taken.mockClear()
  run(scenarioWith('switch.latency=500ns'))
  expect(taken).not.toHaveBeenCalled()
})

test('a plain scenario is one', () => {
  expect(needsFull(scenarioWith())).toBe(false)
  expect(needsFull(scenarioWith('recovery=irn', 'congestion=dcqcn', 'qp.ackTimeout=320us'))).toBe(false)
})

test.each([
  ['work requests', 'workload=[{kind: incast, senders: 3, total: 300KB, workRequests: true}]'],
  ['READs', 'workload=[{kind: incast, senders: 3, total: 300KB, operation: read}]'],
  ['READs of a trace', 'workload=[{kind: trace, flows: ["0 1 1KB 0us op=read"]}]'],
  ['Receive WQEs', 'qp.receiveQueue=4', 'workload=[{kind: incast, senders: 3, total: 300KB, operation: send}]'],
  ['ACKs held back', 'qp.ackCoalescing=4'],
  ['delayed ACKs', 'recovery=tcp'],
  ['host stacks', 'qp.hostDelay={kind: exponential, mean: 1us}'],
  ['trimming', 'switch.trimming={of: lossy}', 'pfc.classes=[]'],
  ['telemetry', 'congestion=hpcc', 'qp.ackInterval=1'],
  ['RTT requests', 'congestion=ldcp-pcc'],
  ['latency', 'switch.latency=500ns'],
  ['early drops', 'switch.wred={classes: [3]}'],
  ['QCN', 'congestion=qcn'],
] as const)('%s need the full program, and the plain one refuses', (_, ...sets) => {
  const scenario = scenarioWith(...sets)
  expect(needsFull(scenario)).toBe(true)
  expect(() => {
    const simulation = createPlain(scenario)
    while (simulation.advance(1000));
  }).toThrow(Bug)
})

test('a change of a device may need the full program, too', () => {
  expect(needsFull(scenarioWith('changes=[{path: congestion, value: hpcc, at: 1us}]'))).toBe(true)
})
