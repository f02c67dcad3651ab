import { expect, test } from 'vitest'
import { MS, SECOND } from '../base/params.ts'
import { numbersOf, type Result, textsOf } from '../results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from './simulation.ts'

const resultOf = (text: string, ...sets: string[]): Result => run(parseScenario(text, { sets }), { check: true })
const statusesOf = ({ flows }: Result): readonly string[] => [...textsOf(flows, 'status')]

const SLOW = `
name: slow
topology: {kind: star, hosts: 2, linkRate: 10Kbps, linkDelay: 1us}
switch: {buffer: {size: 1GB}}
workload: [{kind: incast, senders: 1, total: 3KB}]
`

test('a run over a link of 10 Kb/s is slow and not stalled', () => {
  const result = resultOf(SLOW)
  expect(statusesOf(result)).toEqual(['finished'])
  expect(result.simulatedPs).toBeGreaterThan(3 * SECOND)
  expect(result.digest).toBe(resultOf(SLOW, 'measure.stop=10s').digest)
})

test('a run that nothing ends is still given up', () => {
  const result = resultOf(SLOW, 'topology.linkRate=1Gbps', 'faults=[{kind: bernoulli, probability: 1, links: all}]')
  expect(statusesOf(result)[0]).toMatch(/^stalled/)
  expect(result.simulatedPs).toBe(200 * MS)
})

const FAILING = `
name: failing
topology: {kind: star, hosts: 4, linkRate: 100Gbps, linkDelay: 1us}
workload: [{kind: incast, senders: 3, total: 30KB}, {kind: incast, senders: 1, total: 3KB, start: 2ms}]
qp: {ackTimeout: 100us, retryLimit: 7}
faults: [{kind: link-down, links: 0-4, down: 1us}]
`

test('a run ends when queue pairs have given up on all that is left, and no earlier', () => {
  const result = resultOf(FAILING)
  expect(new Set(statusesOf(result))).toEqual(new Set(['retry limit reached']))
  expect(Math.max(...numbersOf(result.flows, 'startPs'))).toBe(2 * MS)
  expect(result.simulatedPs).toBeGreaterThan(2 * MS)
  expect(result.simulatedPs).toBeLessThan(3 * MS)
})
