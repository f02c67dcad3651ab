/** Silences that may end by themselves are waited for, however long they are; others are not. */
import { expect, test } from 'vitest'
import { textsOf } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from '../index.ts'

/** Two hosts; a run without a stop. */
function statuses(more: string): readonly string[] {
  const { flows } = run(
    parseScenario(`
name: silence
topology: {kind: star, hosts: 2, linkRate: 10Gbps}
workload: [{kind: trace, flows: ["0 1 100KB 0us"]}]
${more}
`),
  )
  return textsOf(flows, 'status')
}

test('a host stack that takes a second for each packet', () => {
  expect(statuses('qp: {hostDelay: {kind: exponential, least: 900ms}}')).toEqual(['finished'])
})

test('an ARP request that is answered after seconds, while the sender retries without end', () => {
  const tables = (resolve: string): string =>
    `switch: {layer2: {kind: tables, macMissing: host 1, onIncomplete: cpu, resolveTime: ${resolve}}}\nqp: {ackTimeout: 5ms, retryLimit: off}`
  expect(statuses(tables('2s'))).toEqual(['finished'])
})

test('a watchdog that only a change turns on, and that takes seconds to detect a storm', () => {
  const stormed = (watchdog: string): readonly string[] =>
    statuses(`
pfc: {expiry: false}
faults: [{kind: pause-storm, hosts: host 1, from: 10us, mode: frames, interval: 400us}]
changes: [${watchdog}]`)
  const change = (detection: string): string =>
    `{path: switch.watchdog, value: {kind: nvidia, detectionTime: ${detection}}, at: 1ms, nodes: switches}`
  // It discards the packets that have waited.
  expect(stormed(change('2s'))).toEqual(['stalled: packets lost and no timeout set'])
  expect(stormed('')).toEqual(['stalled'])
})
