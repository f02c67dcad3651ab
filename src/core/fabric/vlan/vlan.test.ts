import { describe, expect, test } from 'vitest'
import { numbersOf, type Result, textsOf } from '../../results/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { run } from '../../../lab/index.ts'
import { pcpOf, TAGGED, tagged, untagged, vlanClasses } from './codepoints.ts'

/** Two servers on each of two ToRs (4 and 5), one spine (6) between them; servers 0 and 3 send to server 2. */
function twoTors(text: string, more = '', seed = 1): Result {
  return run(
    parseScenario(`
name: vlan
seed: ${seed}
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 40Gbps, fabricRate: 40Gbps, hostDelay: 500ns, fabricDelay: 500ns}
switch: {buffer: {kind: shared-buffer, size: 200KB, alpha: 1/4}, ${text}}
qp: {ackTimeout: 200us, retryLimit: off}
workload: [{kind: trace, flows: ["0 2 2MB 0us", "3 2 2MB 0us"]}]
observe: [drops, {kind: pause-intervals}]
${more}
`),
    { check: true },
  )
}

const statuses = ({ flows }: Result): readonly string[] => textsOf(flows, 'status')
const dropNodes = ({ series }: Result): string[] => [...new Set(textsOf(series[0]!, 'nodeName'))]
/** Nodes whose ports were paused. */
const pausedNodes = ({ series }: Result): number[] =>
  [...new Set(numbersOf(series[1]!, 'node'))].toSorted((a, b) => a - b)

test('a codepoint holds DSCP and tag; a switch reads the one or the other, and untagged frames have a class of their own', () => {
  const dscp = Uint8Array.from({ length: 64 }, (_, i) => (i === 26 ? 3 : i < 8 ? i : 0))
  const both = tagged(26, 5)
  expect([untagged(both), pcpOf(both), both & TAGGED]).toEqual([26, 5, TAGGED])
  expect([pcpOf(26), 26 & TAGGED]).toEqual([0, 0])
  const byDscp = vlanClasses(dscp, true, 2)
  const byPcp = vlanClasses(dscp, false, 2)
  expect([byDscp[both], byDscp[26], byDscp[tagged(3, 0)]]).toEqual([3, 3, 3])
  expect([byPcp[both], byPcp[26], byPcp[tagged(3, 0)]]).toEqual([5, 2, 0])
})

describe('DSCP and PCP across subnets', () => {
  test.each([1, 2, 3])(
    'by PCP the priority ends at the first router, and the frames are lossy after it, seed %i',
    (seed) => {
      const result = twoTors('vlan: {ports: trunk, layer3At: tor}', 'classes: {classify: pcp}', seed)
      // At the first ToR frames have their tag and their lossless class; the spine and the second ToR see class 0.
      expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
      expect(dropNodes(result)).toEqual(['leaf 1'])
      expect(numbersOf(result.flows, 'retransmissions')[0]).toBeGreaterThan(0)
      // Server 3 is in the subnet of server 2: its frames are bridged and stay lossless.
      expect(numbersOf(result.flows, 'retransmissions')[1]).toBe(0)
      expect(statuses(result)).toEqual(['finished', 'finished'])
    },
  )

  test.each([1, 2, 3])('by DSCP the priority stays, and nothing is lost, seed %i', (seed) => {
    for (const ports of ['access', 'trunk', 'hybrid']) {
      const result = twoTors(`vlan: {ports: ${ports}, layer3At: tor}`, 'classes: {classify: dscp}', seed)
      expect(result.counters.drops).toEqual({})
      expect(result.counters.pauseFrames).toBeGreaterThan(0)
      expect(pausedNodes(result)).toContain(0)
    }
  })

  test('by PCP the priority passes bridging ToRs and ends at a spine that routes, though its ports have tags too', () => {
    const result = twoTors('vlan: {ports: trunk, layer3At: leaf}', 'classes: {classify: pcp}')
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(dropNodes(result)).toEqual(['leaf 1'])
    const again = numbersOf(result.flows, 'retransmissions')
    expect([again[0]! > 0, again[1]]).toEqual([true, 0])
  })

  test('in one layer-2 network, or as far as bridges reach, the PCP stays too', () => {
    const bridged = twoTors('vlan: {ports: trunk, layer3At: none}', 'classes: {classify: pcp}')
    expect(bridged.counters.drops).toEqual({})
    const byDscp = twoTors('vlan: {ports: trunk, layer3At: none}', 'classes: {classify: dscp}')
    expect(bridged.digest).toBe(byDscp.digest)
  })

  test('frames of access ports have no tag and are as long as without VLANs', () => {
    const none = twoTors('')
    expect(twoTors('vlan: {ports: access}').digest).toBe(none.digest)
    expect(twoTors('vlan: {ports: trunk}').simulatedPs).toBeGreaterThan(none.simulatedPs)
  })
})

describe('PXE boot', () => {
  /** Server 3 boots from host 0 while its NIC has no VLAN. */
  const bootOver = (ports: string, bootServer = 'as-port', seed = 1): Result =>
    run(
      parseScenario(`
name: boot
seed: ${seed}
topology: {kind: star, hosts: 4}
switch: {vlan: {ports: ${ports}}}
classes: {classify: ${ports === 'access' ? 'dscp' : 'pcp'}}
qp: {ackTimeout: 1ms, retryLimit: 7}
workload: [{kind: boot, server: 0, hosts: [3], trafficClass: 0}]
changes: [{path: nic.vlan, value: untagged, nodes: host 3}, {path: nic.vlan, value: ${bootServer}, nodes: host 0}]
observe: [drops]
`),
      { check: true },
    )

  test.each([1, 2, 3])(
    'trunk ports take tagged frames only: a NIC without VLAN never gets its request through, seed %i',
    (seed) => {
      const result = bootOver('trunk', 'as-port', seed)
      expect(statuses(result)[0]).toBe('retry limit reached')
      expect(result.counters.drops).toEqual({ VLAN: 8 })
      expect(textsOf(result.series[0]!, 'nodeName').every((name) => name === 'switch')).toBe(true)
    },
  )

  test.each([1, 2, 3])('access ports and DSCP-based PFC: it boots, seed %i', (seed) => {
    const result = bootOver('access', 'as-port', seed)
    expect(statuses(result)).toEqual(['finished', 'finished'])
    expect(numbersOf(result.flows, 'sizeBytes')[1]).toBe(1e6)
    expect(result.counters.drops).toEqual({})
  })

  test('hybrid ports, which the paper rejects as non-standard, let it boot too', () => {
    expect(statuses(bootOver('hybrid'))).toEqual(['finished', 'finished'])
  })

  test('a NIC with a VLAN behind an access port drops nothing and gets nothing through', () => {
    const result = bootOver('access', 'tagged')
    expect(result.counters.drops['VLAN']).toBeGreaterThan(0)
    expect(statuses(result)[0]).toBe('retry limit reached')
  })
})

describe('MTU of a port', () => {
  const withMtu = (changes: string): Result => twoTors('', `changes: [${changes}]\nmeasure: {stop: 20ms}`)

  test('longer frames are dropped on arrival, shorter ones pass: the messages never end, their ACKs would', () => {
    const result = withMtu('{path: switch.mtu, value: 1000B, nodes: leaf, ports: hosts}')
    expect(result.counters.drops['frame too long']).toBeGreaterThan(10)
    expect(dropNodes(result)).toEqual(['leaf 0', 'leaf 1'])
    expect(statuses(result).every((status) => status !== 'finished')).toBe(true)
  })

  test('a packet as long as the MTU passes, one byte more does not, and a tag does not count', () => {
    // 1024 bytes of payload are a frame of 1086 bytes with RETH 1102, of which 18 are Ethernet.
    const mtu = (bytes: number): string => `{path: switch.mtu, value: ${bytes}B, nodes: switches}`
    expect(withMtu(mtu(1084)).counters.drops).toEqual({})
    expect(withMtu(mtu(1083)).counters.drops['frame too long']).toBeGreaterThan(0)
    const trunk = twoTors('vlan: {ports: trunk}', `changes: [${mtu(1084)}]`)
    expect(trunk.counters.drops).toEqual({})
  })

  test('a host with a smaller MTU drops what it receives', () => {
    const result = withMtu('{path: nic.mtu, value: 512B, nodes: host 2}')
    expect(dropNodes(result)).toEqual(['host 2'])
  })
})
