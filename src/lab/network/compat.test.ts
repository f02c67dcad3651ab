/** A profile switches each rule on in the network that is built, and none of them is on without it. */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../core/base/random.ts'
import { Memory } from '../../core/base/memory.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { RewindingSender } from '../../core/transport/recovery/irn-rewind.ts'
import type { SenderRecovery, SendWindow } from '../../core/transport/recovery/recovery.ts'
import { Timers } from '../../core/transport/timers.ts'
import { HalfMaker } from '../pairs/halves.ts'
import { recoveryOf } from './definitions.ts'
import { buildNetwork, type BuiltNetwork } from './network-builder.ts'
import { bufferOptions, bufferSizeBytes, createBuffer, slowestHostBpsOf } from './switch-buffers.ts'

const STAR = '{kind: star, hosts: 3}'
const RAILS = '{kind: rails, rails: 2, groups: 1, hostsPerGroup: 2, spines: 0}'

const scenarioWith = (compat: string, topology = STAR, recovery = 'irn'): Scenario =>
  parseScenario(`
name: compat
compat: ${compat}
topology: ${topology}
switch: {buffer: {kind: shared-buffer, size: 1MB, reserve: 1KB, reservedClasses: 8, headroom: 20KB}}
qp: {ackInterval: 1}
recovery: ${recovery}
workload: [permutation]
`)

const SINK = { onDelivered() {}, onAcknowledged() {}, onFailed() {} }

function built(scenario: Scenario): BuiltNetwork {
  return buildNetwork(scenario, createRandomStreams(1), SINK)
}

describe.each([
  ['none', { isSingle: false, isAhead: undefined, isCompacting: false }],
  ['hpcc', { isSingle: true, isAhead: false, isCompacting: true }],
  ['conweave', { isSingle: true, isAhead: true, isCompacting: true }],
])('%s: NICs', (compat, rules) => {
  const rulesOf = ({ network }: BuiltNetwork): unknown[] =>
    network.nics.map((nic) => ({
      isSingle: nic.singleWake !== null,
      isAhead: nic.singleWake?.['isAhead'],
      isCompacting: nic['roundRobin']['isCompacting'],
    }))

  test('have its rules', () => {
    expect(rulesOf(built(scenarioWith(compat)))).toEqual([rules, rules, rules])
  })

  test('have the usual rules where hosts have several ports', () => {
    const usual = { isSingle: false, isAhead: undefined, isCompacting: false }
    expect(rulesOf(built(scenarioWith(compat, RAILS)))).toEqual([usual, usual, usual, usual])
  })
})

describe.each([
  ['none', { marksNaks: false, rewinds: false, pool: null, aside: 60_000 }],
  ['hpcc', { marksNaks: false, rewinds: false, pool: null, aside: 60_000 }],
  // The size without the reserves; the headroom of the last port replaced.
  ['conweave', { marksNaks: true, rewinds: true, pool: 1e6 - 24_000, aside: 54_596 }],
])('%s', (compat, rules) => {
  test('buffers', () => {
    const scenario = scenarioWith(compat)
    const { network, topology, frameLimits: limits } = built(scenario)
    const ports = topology.links.map(({ rateBps, delayPs }) => ({ rateBps, delayPs, values: scenario }))
    const context = { node: 3, ports, slowestHostBps: slowestHostBpsOf(topology), limits }
    expect(bufferSizeBytes(scenario, ports, limits)).toBe(1e6)
    const poolBytes = 1e6 - 24_000 - rules.aside
    expect(bufferOptions(scenario, context)).toMatchObject({ egressPoolBytes: rules.pool, poolBytes })
    const name = rules.pool === null ? 'SharedBuffer' : 'EgressPoolBuffer'
    expect(createBuffer(scenario, context, new Memory()).constructor.name).toBe(name)
    expect(network.switches.map((each) => each?.buffer.constructor.name)).toContain(name)
  })

  test('receivers', () => {
    const scenario = scenarioWith(compat)
    const network = built(scenario)
    const halves = new HalfMaker(scenario, network, createRandomStreams(1))
    const direction = { source: 0, destination: 1, home: 0, isRead: false, baseRttPs: 1e6 }
    const { timers } = halves.receiverTimers(false)
    expect(halves.receiverOptions(direction, timers).marksNaks).toBe(rules.marksNaks)
  })

  test('senders of IRN, and of no other recovery', () => {
    const senderOf = (recovery: string): SenderRecovery => {
      const scenario = scenarioWith(compat, STAR, recovery)
      const window = { una: 0, nxt: 0, highest: 0, ackTimeoutPs: 1e9 } as SendWindow
      return recoveryOf(scenario).createSender(scenario.recovery, window, {
        bdpPackets: 10,
        hasCwr: false,
        baseRttPs: 1e6,
        timers: new Timers({ draw: () => 0 }),
        random: () => createRandomStreams(1).stream('path/0'),
      })
    }
    expect(senderOf('irn') instanceof RewindingSender).toBe(rules.rewinds)
    expect(senderOf('go-back-n') instanceof RewindingSender).toBe(false)
  })
})
