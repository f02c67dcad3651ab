/**
 * A trunk that loses packets, with NICs whose register of slow restart makes each loss a cut by half. Measured with ConnectX-7:
 * capetron/gb10-cluster-guide, two servers behind each of two switches, PCIe Gen5 x4, no PFC, no ECN.
 */
import { expect, test } from 'vitest'
import { numbersOf, type Result, tableOfKind, textsOf } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './simulation/simulation.ts'

/** Both switches have it: nobody has measured it. Fitted: by the NAKs, 5,500 in 6 s, it would be smaller still. */
const BUFFER = '1MiB'

const trunk = (pairs: string, more = ''): Result =>
  run(
    parseScenario(`
name: trunk
topology: {kind: dumbbell, leftHosts: 2, rightHosts: 2, hostRate: 112Gbps, hostDelay: 100ns, bottleneckRate: 200Gbps, bottleneckDelay: 100ns}
frames: {payload: 4096B}
pfc: {classes: []}
congestion: {kind: dcqcn-connectx4, lossCut: 0.5}
recovery: {kind: go-back-n, nakInterval: 10us}
qp: {ackTimeout: 67ms, retryLimit: 7}
switch: {buffer: {kind: shared-buffer, size: ${BUFFER}}, ecn: {kmin: 900MB, kmax: 999MB}}
workload: [{kind: closed-loop, pairs: [${pairs}], messageSize: 64KiB, outstanding: 128}]
measure: {stop: 100ms}
${more}
`),
  )

/** Payload of each pair, Gb/s. */
function gbps({ flows, simulatedPs }: Result): number[] {
  const [sources, sizes, ends] = [numbersOf(flows, 'source'), numbersOf(flows, 'sizeBytes'), textsOf(flows, 'status')]
  const sums = new Map<number, number>()
  ends.forEach((status, row) => {
    if (status === 'finished') sums.set(sources[row]!, (sums.get(sources[row]!) ?? 0) + sizes[row]!)
  })
  return [...sums.values()].map((bytes) => (bytes * 8e3) / simulatedPs)
}

test('two flows share 163.8 Gb/s, within 5 %, evenly', () => {
  const shares = gbps(trunk('"0 2", "1 3"'))
  const sum = shares.reduce((a, b) => a + b)
  expect(Math.abs(sum / 163.8 - 1)).toBeLessThan(0.05)
  for (const share of shares) expect(Math.abs(share / (sum / 2) - 1)).toBeLessThan(0.02)
})

test('one flow, and one each way, lose nothing and have the rate of their slots', () => {
  const alone = trunk('"0 2"')
  const across = trunk('"0 2", "3 1"')
  for (const result of [alone, across]) {
    expect(result.counters.drops).toEqual({})
    // Measured: 109.08, and 218.3 both ways.
    for (const rate of gbps(result)) expect(Math.abs(rate / 109.08 - 1)).toBeLessThan(0.01)
  }
})

test('the NIC counts its losses as CNPs, though nothing was marked', () => {
  const table = tableOfKind(trunk('"0 2", "1 3"', 'observe: [{kind: counters, interval: 50ms}]'), 'counters')!
  const [names, values, times] = [textsOf(table, 'name'), numbersOf(table, 'value'), numbersOf(table, 'timeNs')]
  const lastNs = times.reduce((a, b) => Math.max(a, b), 0)
  const total = (name: string): number =>
    names.reduce((sum, each, row) => (each === name && times[row] === lastNs ? sum + values[row]! : sum), 0)
  expect(total('slowRestarts')).toBeGreaterThan(50)
  expect([total('cnpHandled'), total('cnpSent'), total('ecnMarked')]).toEqual([total('slowRestarts'), 0, 0])
})

/**
 * Three senders into one port of 400 Gb/s, two of them protected by PFC, the third with two flows that are not; queues weighted
 * 2, 1, 1, 1. Measured by a traffic generator: sonic-mgmt#25347.
 */
test('of a port that three senders overload each queue has its weight: 159.2 and three times 79.6 Gb/s', () => {
  const result = run(
    parseScenario(`
name: weights
topology: {kind: star, hosts: 4, linkRate: 400Gbps, linkDelay: 50ns}
frames: {payload: 4096B}
pfc: {classes: [3, 4]}
congestion: none
qp: {ackTimeout: 100us, retryLimit: off}
recovery: {kind: go-back-n, nakInterval: 10us}
switch: {scheduler: dwrr, weights: [1, 1, 1, 2, 1, 1, 1, 1], dwrrQuantum: 4178B, buffer: {kind: shared-buffer, size: 16MiB}}
workload:
  - {kind: closed-loop, pairs: ["0 2"], messageSize: 64KiB, outstanding: 64, trafficClass: 3}
  - {kind: closed-loop, pairs: ["1 2"], messageSize: 64KiB, outstanding: 64, trafficClass: 4}
  - {kind: closed-loop, pairs: ["3 2"], messageSize: 64KiB, outstanding: 64, trafficClass: 0}
  - {kind: closed-loop, pairs: ["3 2"], messageSize: 64KiB, outstanding: 64, trafficClass: 5}
measure: {stop: 4ms}
observe: [{kind: counters, interval: 1ms}]
`),
  )
  const table = tableOfKind(result, 'counters')!
  const [names, devices] = [textsOf(table, 'name'), textsOf(table, 'device')]
  const [values, times, classes] = ['value', 'timeNs', 'priority'].map((name) => numbersOf(table, name))
  const sent = (priority: number, ns: number): number =>
    names.reduce((most, name, row) => {
      const isOne = name === 'txBytes' && devices[row]!.startsWith('switch') && classes![row] === priority
      return isOne && times![row] === ns ? Math.max(most, values![row]!) : most
    }, 0)
  const rates = [3, 4, 0, 5].map((priority) => ((sent(priority, 4e6) - sent(priority, 1e6)) * 8) / 3e6)
  const shares = [159.2, 79.6, 79.6, 79.6]
  rates.forEach((rate, i) => expect(Math.abs(rate / shares[i]! - 1), `queue ${i}: ${rate}`).toBeLessThan(0.005))
})
