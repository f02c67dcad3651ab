/**
 * Faults and mechanisms that meet: servers that die behind a receive pipeline or in the middle of a storm, faults of one
 * kind that overlap, and watchdogs on ports with VLANs. Each lasts its own time, and nothing of another is undone.
 */
import { describe, expect, test } from 'vitest'
import { MS, US } from '../../../core/base/params.ts'
import { numbersOf, type Result, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { run } from '../../index.ts'

/** Host 0 sends messages of 10 KB to host 1 all the time, and host 1 to host 2. */
function outcome(faults: string, more = ''): Result {
  return run(
    parseScenario(`
name: overlapping
topology: {kind: star, hosts: 3, linkRate: 10Gbps, linkDelay: 1us}
qp: {ackTimeout: 100us, retryLimit: 1}
workload:
  - {kind: trace, tag: to, flows: ${JSON.stringify(flows(0, 1))}}
  - {kind: trace, tag: from, flows: ${JSON.stringify(flows(1, 2))}}
faults: [${faults}]
measure: {stop: 5ms}
${more}
`),
    { check: true },
  )
}

/** A message every 20 us for 2 ms. */
function flows(from: number, to: number): string[] {
  return Array.from({ length: 100 }, (_, i) => `${from} ${to} 10KB ${20 * i}us`)
}

/** Times at which messages of a workload were received, from one time to another. */
function received({ flows: table }: Result, tag: string, fromPs: number, toPs: number): number {
  const tags = textsOf(table, 'tag')
  return numbersOf(table, 'receivedPs').filter((ps, row) => tags[row] === tag && ps >= fromPs && ps < toPs).length
}

const PIPELINE = 'nic: {receive: pipeline}'

describe('a server whose NIC has a receive pipeline', () => {
  test('receives nothing while it is down: what arrives is dropped, and what its NIC held is lost', () => {
    const slow = 'nic: {receive: {kind: pipeline, packetTime: 2us}}'
    const { counters, ...rest } = outcome('{kind: server-down, hosts: host 1, down: 500us}', slow)
    const result = { counters, ...rest }
    expect(received(result, 'to', 0, 500 * US)).toBeGreaterThan(5)
    expect(received(result, 'to', 500 * US, 5 * MS)).toBe(0)
    expect(Object.keys(counters.drops)).toEqual(['host down'])
  })

  test('receives again when it is back', () => {
    const result = outcome('{kind: server-down, hosts: host 1, down: 500us, up: 1ms}', PIPELINE)
    expect(received(result, 'to', 500 * US, 1 * MS)).toBe(0)
    expect(received(result, 'to', 1 * MS, 5 * MS)).toBeGreaterThan(40)
    expect(received(result, 'from', 1 * MS, 5 * MS)).toBeGreaterThan(40)
  })
})

describe('a pause storm of a server that is down', () => {
  test('may end: the server stays down, and is back when its own time has come', () => {
    const result = outcome(
      '{kind: pause-storm, hosts: host 1, from: 400us, until: 700us}, {kind: server-down, hosts: host 1, down: 500us, up: 1ms}',
    )
    expect(received(result, 'from', 400 * US, 1 * MS)).toBe(0)
    expect(received(result, 'from', 1 * MS, 5 * MS)).toBeGreaterThan(40)
  })

  test('goes on when the server comes back: its pipeline stands still until the storm ends', () => {
    const result = outcome(
      '{kind: pause-storm, hosts: host 1, from: 400us, until: 1500us}, {kind: server-down, hosts: host 1, down: 500us, up: 1ms}',
    )
    expect(received(result, 'from', 400 * US, 1500 * US)).toBe(0)
    expect(received(result, 'to', 400 * US, 1500 * US)).toBe(0)
    expect(received(result, 'from', 1500 * US, 5 * MS)).toBeGreaterThan(20)
    expect(received(result, 'to', 1500 * US, 5 * MS)).toBeGreaterThan(20)
  })
})

describe('two faults of one kind at one host: it works again when both are over', () => {
  test.each([
    ['pause-storm', 'from', 'until'],
    ['server-down', 'down', 'up'],
  ])('%s', (kind, from, until) => {
    const fault = (fromUs: number, untilUs: number): string =>
      `{kind: ${kind}, hosts: host 1, ${from}: ${fromUs}us, ${until}: ${untilUs}us}`
    for (const faults of [
      [fault(500, 800), fault(600, 1200)],
      [fault(600, 1200), fault(500, 800)],
      [fault(500, 1200), fault(600, 800)],
    ]) {
      const result = outcome(faults.join())
      expect(received(result, 'from', 510 * US, 1200 * US), faults.join()).toBe(0)
      expect(received(result, 'to', 510 * US, 1200 * US), faults.join()).toBe(0)
      expect(received(result, 'from', 1200 * US, 5 * MS), faults.join()).toBeGreaterThan(30)
      expect(received(result, 'to', 1200 * US, 5 * MS), faults.join()).toBeGreaterThan(30)
    }
  })
})

test('a class that a watchdog has taken out of service is discarded on arrival, on ports with VLANs as on others', () => {
  // Host 2 pauses its switch without end, which pauses the other: packets of host 3 come in by the port of the storm.
  const stormed = (vlan: string): Result =>
    run(
      parseScenario(`
name: guarded
topology: {kind: dumbbell, leftHosts: 2, rightHosts: 2, hostRate: 10Gbps, bottleneckRate: 10Gbps}
qp: {ackTimeout: 500us}
pfc: {quanta: 1000}
switch:
  buffer: {kind: shared-buffer, size: 300KB}
  watchdog: {kind: broadcom, pollInterval: 100us, detectionTime: 200us, restorationTime: 300us, ports: fabric}
${vlan}
workload:
  - {kind: trace, flows: ["0 2 5MB 0us"]}
  - {kind: closed-loop, pairs: ["3 1"], messageSize: 10KB}
faults: [{kind: pause-storm, hosts: host 2, from: 200us}]
measure: {stop: 5ms}
`),
      { check: true },
    )
  const [plain, access] = ['', '  vlan: {ports: access}'].map(stormed)
  expect(plain!.counters.drops['watchdog']).toBeGreaterThan(1000)
  // Frames of access ports are those of ports without VLANs.
  expect(access!.digest).toBe(plain!.digest)
})

test('a link that goes down and up during a storm does not end it: the NIC pauses again when a frame finds it full', () => {
  const result = outcome(
    '{kind: pause-storm, hosts: host 1, from: 200us}, {kind: link-down, links: 1-3, down: 1ms, up: 1010us}',
    'nic: {receive: {kind: pipeline, buffer: 40KB}}',
  )
  // The first frame after the link is up, and those that are on the link when the pause reaches the switch.
  expect(result.counters.drops['NIC']).toBeGreaterThan(0)
  expect(result.counters.drops['NIC']).toBeLessThan(10)
})

test('a switch with tables that reboots knows no host: packets wait for its CPU, and none is flooded', () => {
  const tables = (age: string): Result =>
    outcome(
      '{kind: switch-down, switches: switch, down: 500us, up: 600us}',
      `switch: {layer2: {kind: tables, ${age}cpuRate: 1000000, resolveTime: 50us}}`,
    )
  for (const result of [tables(''), tables('forgetOnLinkDown: false, ')]) {
    const { counters } = result
    expect(counters.layer2?.['ARP requests']).toBeGreaterThan(0)
    expect(counters.layer2?.['floods']).toBeUndefined()
    expect(received(result, 'to', 1 * MS, 5 * MS)).toBeGreaterThan(30)
  }
})

test('broadcast frames may be longer than all others of the network', () => {
  const jumbo = (): Result =>
    outcome(
      '{kind: broadcast, hosts: host 2, interval: 5us, size: 9000B, class: 0}',
      'switch: {layer2: tables}\nframes: {payload: 256B}',
    )
  const { counters, digest } = jumbo()
  // Hosts 0 and 1 get what 5 ms at 10 Gb/s have room for, between other packets.
  expect(counters.layer2?.['broadcasts received']).toBeGreaterThan(2 * 0.8 * ((5e9 * 10) / 8e3 / 9020))
  expect(counters.layer2?.['broadcasts received']).toBeLessThanOrEqual(2 * ((5e9 * 10) / 8e3 / 9020))
  expect(jumbo().digest).toBe(digest)
})
