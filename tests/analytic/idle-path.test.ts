/**
 * A message alone in an empty network, to the picosecond: against a grid filled in packet by packet and hop by hop,
 * without the model's own arithmetic, and against the result's own ideal time.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

interface Hop {
  readonly gbps: number
  readonly delayPs: number
}

/** Bytes of frames, without the 20 bytes of preamble and gap. */
const DATA = 62
const RETH = 16
const ACK = 66
const READ_REQUEST = 78
const PAYLOAD = 1024

/** Picoseconds on a line: one byte lasts 8000 / Gb/s. */
const lineTime = (frameBytes: number, gbps: number): number => ((Math.max(frameBytes, 64) + 20) * 8000) / gbps

/** Arrival of each frame at the end of the hops, store and forward, with `stopPs` in each switch between. */
function arrivals(
  readyPs: readonly number[],
  frames: readonly number[],
  hops: readonly Hop[],
  stopPs: number,
): number[] {
  let times = [...readyPs]
  hops.forEach(({ gbps, delayPs }, h) => {
    let freePs = 0
    times = times.map((timePs, packet) => {
      const startPs = Math.max(h === 0 ? timePs : timePs + stopPs, freePs)
      freePs = startPs + lineTime(frames[packet]!, gbps)
      return freePs + delayPs
    })
  })
  return times
}

interface Times {
  readonly receivedPs: number
  readonly acknowledgedPs: number
}

/** A message of `bytes` along the hops: arrival of its last packet, and of its last ACK. */
function expected(bytes: number, operation: string, hops: readonly Hop[], stopPs = 0): Times {
  const packets = Math.ceil(bytes / PAYLOAD)
  const frames = Array.from({ length: packets }, (_, i) => {
    const payload = i === packets - 1 ? bytes - i * PAYLOAD : PAYLOAD
    return payload + DATA + (operation === 'write' && i === 0 ? RETH : 0)
  })
  const back = hops.toReversed()
  const askedPs = operation === 'read' ? arrivals([0], [READ_REQUEST], back, stopPs)[0]! : 0
  const received = arrivals(
    frames.map(() => askedPs),
    frames,
    hops,
    stopPs,
  )
  const acknowledged = arrivals(
    received,
    frames.map(() => ACK),
    back,
    stopPs,
  )
  return { receivedPs: received.at(-1)!, acknowledgedPs: acknowledged.at(-1)! }
}

const US = 1_000_000
const NETWORKS: Readonly<Record<string, { topology: string; flow: string; hops: Hop[] }>> = {
  'one switch at 100 Gb/s': {
    topology: '{kind: star}',
    flow: '0 1',
    hops: [
      { gbps: 100, delayPs: US },
      { gbps: 100, delayPs: US },
    ],
  },
  'a bottleneck in the middle': {
    topology: '{kind: dumbbell, hostRate: 40Gbps, hostDelay: 100ns, bottleneckRate: 10Gbps, bottleneckDelay: 3us}',
    flow: '0 3',
    hops: [
      { gbps: 40, delayPs: 100_000 },
      { gbps: 10, delayPs: 3 * US },
      { gbps: 40, delayPs: 100_000 },
    ],
  },
  'a fast middle': {
    topology: '{kind: leaf-spine, hostRate: 25Gbps, fabricRate: 400Gbps, hostDelay: 0ps, fabricDelay: 7ps}',
    flow: '0 63',
    hops: [
      { gbps: 25, delayPs: 0 },
      { gbps: 400, delayPs: 7 },
      { gbps: 400, delayPs: 7 },
      { gbps: 25, delayPs: 0 },
    ],
  },
  'six hops of a fat tree': {
    topology: '{kind: fat-tree}',
    flow: '0 53',
    hops: Array.from({ length: 6 }, () => ({ gbps: 40, delayPs: 2 * US })),
  },
  'a fat tree with a rate for each tier, oversubscribed at the edge': {
    topology:
      '{kind: fat-tree, arity: 4, hostsPerEdge: 5, hostRate: 25Gbps, edgeAggregationRate: 50Gbps, aggregationCoreRate: 10Gbps}',
    flow: '0 39',
    hops: [25, 50, 10, 10, 50, 25].map((gbps) => ({ gbps, delayPs: 2 * US })),
  },
  'podsets with a rate for each tier': {
    topology:
      '{kind: clos-podset, tors: 2, serversPerTor: 2, spines: 4, serverRate: 10Gbps, torLeafRate: 100Gbps, leafSpineRate: 200Gbps}',
    flow: '0 7',
    hops: [
      { gbps: 10, delayPs: 10_000 },
      { gbps: 100, delayPs: 100_000 },
      { gbps: 200, delayPs: 1_500_000 },
      { gbps: 200, delayPs: 1_500_000 },
      { gbps: 100, delayPs: 100_000 },
      { gbps: 10, delayPs: 10_000 },
    ],
  },
  'a leaf-spine whose links have rates of their own': {
    topology:
      '{kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, rates: ["spine 0: 40Gbps", "host 0: 10Gbps", "leaf 1-spine 0: 25Gbps"]}',
    flow: '0 2',
    hops: [10, 40, 25, 100].map((gbps) => ({ gbps, delayPs: US })),
  },
  'links that are all different': {
    topology: `{kind: graph, nodes: 5, switches: [2, 3, 4], links:
      ["0 2 200Gbps 1ns", "2 3 10Gbps 500ns", "3 4 100Gbps 2us", "4 1 25Gbps 30ns"]}`,
    flow: '0 1',
    hops: [
      { gbps: 200, delayPs: 1000 },
      { gbps: 10, delayPs: 500_000 },
      { gbps: 100, delayPs: 2 * US },
      { gbps: 25, delayPs: 30_000 },
    ],
  },
}

const SIZES = [1, 1023, 1024, 1025, 2048, 10_000, 100_001]

function resultOf(topology: string, flow: string, more = ''): Result {
  return run(parseScenario(`{name: idle, topology: ${topology}, workload: [{kind: trace, flows: ["${flow}"]}]${more}}`))
}

describe.each(Object.keys(NETWORKS))('%s', (name) => {
  const { topology, flow, hops } = NETWORKS[name]!
  test.each(['write', 'send', 'read'])('a %s takes what its grid of packets and hops says', (operation) => {
    for (const bytes of SIZES) {
      const { flows } = resultOf(topology, `${flow} ${bytes}B 5us op=${operation}`)
      const due = expected(bytes, operation, hops)
      expect(textsOf(flows, 'status')).toEqual(['finished'])
      expect(numbersOf(flows, 'receivedPs')[0]! - 5 * US, `${bytes} bytes`).toBe(due.receivedPs)
      expect(numbersOf(flows, 'idealPs')[0]).toBe(due.receivedPs)
      if (operation === 'read') continue
      expect(numbersOf(flows, 'acknowledgedPs')[0]! - 5 * US, `${bytes} bytes`).toBe(due.acknowledgedPs)
    }
  })
})

test('a switch adds its latency, and a VLAN tag its four bytes', () => {
  const { topology, flow, hops } = NETWORKS['a bottleneck in the middle']!
  const late = resultOf(topology, `${flow} 10000B 0us op=send`, ', switch: {latency: 450ns}')
  const due = expected(10_000, 'send', hops, 450_000)
  expect(numbersOf(late.flows, 'receivedPs')[0]).toBe(due.receivedPs)
  expect(numbersOf(late.flows, 'idealPs')[0]).toBe(due.receivedPs)
  const read = resultOf(topology, `${flow} 10000B 0us op=read`, ', switch: {latency: 450ns}')
  expect(numbersOf(read.flows, 'receivedPs')[0]).toBe(expected(10_000, 'read', hops, 450_000).receivedPs)
  expect(numbersOf(read.flows, 'idealPs')[0]).toBe(numbersOf(read.flows, 'receivedPs')[0])
  const tagged = resultOf(topology, `${flow} 1024B 0us op=send`, ', classes: {classify: pcp}')
  const longerPs = hops.reduce((sum, { gbps }) => sum + (4 * 8000) / gbps, 0)
  expect(numbersOf(tagged.flows, 'receivedPs')[0]).toBe(expected(1024, 'send', hops).receivedPs + longerPs)
})

test('the BDP cap includes the latency of switches: a flow alone fills the line', () => {
  const { topology, flow } = NETWORKS['one switch at 100 Gb/s']!
  const { flows } = resultOf(topology, `${flow} 10MB 0us op=send`, ', recovery: irn, switch: {latency: 5us}')
  expect(numbersOf(flows, 'receivedPs')[0]! / numbersOf(flows, 'idealPs')[0]!).toBeLessThan(1.001)
})

test('a window of ten packets takes a round trip for every ten, to the picosecond', () => {
  // Ten packets a round trip: each waits for the ACK of the tenth before it.
  const { hops, topology, flow } = NETWORKS['one switch at 100 Gb/s']!
  const result = resultOf(topology, `${flow} 100KiB 0us op=send`, ', qp: {window: 10KiB}')
  const first = expected(1024, 'send', hops).acknowledgedPs
  const packetPs = lineTime(PAYLOAD + DATA, 100)
  // 100 packets in ten rounds; the last one leaves nine packets behind the first of its round.
  const due = 9 * first + 9 * packetPs + expected(1024, 'send', hops).receivedPs
  expect(numbersOf(result.flows, 'receivedPs')[0]).toBe(due)
})

/** Switches store one next hop for several hosts: the number of hosts per leaf must not matter. */
test.each([8, 7, 36, 1])(
  'in a large fabric every host is reached on a shortest path, with %i hosts a leaf',
  (hostsPerLeaf) => {
    const leaves = Math.ceil(280 / hostsPerLeaf)
    const hosts = leaves * hostsPerLeaf
    // From one of the first five hosts to each that comes after them.
    const flows = Array.from({ length: hosts - 5 }, (_, i) => `"${i % 5} ${5 + i} 1B ${20 * i}us"`)
    const { flows: rows } = run(
      parseScenario(`{name: reach, topology: {kind: leaf-spine, leaves: ${leaves}, spines: 3, hostsPerLeaf: ${hostsPerLeaf}}, switch: {buffer: {size: 64MB}},
      workload: [{kind: trace, flows: [${flows.join(', ')}]}]}`),
      { check: true },
    )
    expect(new Set(textsOf(rows, 'status'))).toEqual(new Set(['finished']))
    const ideal = numbersOf(rows, 'idealPs')
    const taken = numbersOf(rows, 'receivedPs').map((receivedPs, i) => receivedPs - i * 20 * US)
    expect([...taken]).toEqual([...ideal])
  },
)
