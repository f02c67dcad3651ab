/** Shares and ratios that follow from the rules: weights, marking, pauses and go-back-N, on real switches. */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { mean, numbersOf, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { caseOf } from '../swarm/run-case.ts'

describe('deficit weighted round robin', () => {
  /** Bytes of whole messages received by class, of three classes that share one output. */
  function shares(weights: readonly number[], sizes: readonly string[]): number[] {
    const result = run(
      parseScenario(`
name: weights
topology: {kind: star, hosts: 4}
frames: {payload: 4096B}
pfc: {classes: [1, 2, 3]}
switch: {scheduler: dwrr, weights: [1, ${weights.join(', ')}, 1, 1, 1, 1], buffer: {kind: shared-buffer, size: 30MB}}
workload:
${[1, 2, 3].map((c) => `  - {kind: closed-loop, pairs: ["${c - 1} 3"], messageSize: ${sizes[c - 1]}, outstanding: 48, trafficClass: ${c}, tag: c${c}}`).join('\n')}
measure: {end: stop, stop: 8ms, generate: 8ms}
`),
    )
    const { flows } = result
    const [tag, size, received] = [textsOf(flows, 'tag'), numbersOf(flows, 'sizeBytes'), numbersOf(flows, 'receivedPs')]
    return ['c1', 'c2', 'c3'].map((name) =>
      tag.reduce((sum, each, row) => sum + (each === name && received[row]! > 0 ? size[row]! : 0), 0),
    )
  }

  test.each([
    [
      [1, 1, 1],
      ['64KiB', '64KiB', '64KiB'],
    ],
    [
      [1, 2, 4],
      ['64KiB', '64KiB', '64KiB'],
    ],
    // Short packets are served more often but get no more bytes, except headers.
    [
      [3, 1, 2],
      ['4KiB', '64KiB', '1KiB'],
    ],
  ])('classes of weights %j share a full output by them', (weights, sizes) => {
    const bytes = shares(weights, sizes)
    const wire = bytes.map((sum, i) => {
      const size = 1024 * Number.parseInt(sizes[i]!, 10)
      const packets = Math.ceil(size / 4096)
      return (sum / size) * (size + packets * 62 + 16)
    })
    const total = wire.reduce((a, b) => a + b, 0)
    const all = weights.reduce((a, b) => a + b, 0)
    wire.forEach((sum, i) => expect(sum / total, `class ${i + 1}`).toBeCloseTo(weights[i]! / all, 2))
  })
})

describe('ECN marking', () => {
  /** A window keeps a queue of about 200 KB at a 10 Gb/s output; marks come back and cut nothing. */
  function marked(ecn: string): { share: number; queueBytes: number; packets: number } {
    const result = run(
      parseScenario(`
name: marking
topology: {kind: dumbbell, bottleneckRate: 10Gbps}
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, alpha: 128, egressAlpha: 128}, ecn: {${ecn}}}
qp: {window: 200KiB, ecnEcho: ack}
congestion: {kind: dcqcn, maxCut: 0}
workload: [{kind: trace, flows: ["0 2 40000KiB 0us op=send"]}]
observe: [{kind: queue-depth, ports: "left:3", interval: 10us}]
`),
    )
    const depth = numbersOf(result.series[0]!, 'queueBytes')
    const [from, to] = [Math.floor(depth.length * 0.1), Math.floor(depth.length * 0.9)]
    const steady = depth.slice(from, to)
    expect(Math.max(...steady) - Math.min(...steady)).toBeLessThan(3000)
    return { share: result.counters.ecnMarks / 40_000, queueBytes: mean(steady), packets: 40_000 }
  }

  test.each([
    ['kmin: 0B, kmax: 1MB, pmax: 0.5'],
    ['kmin: 100KB, kmax: 400KB, pmax: 0.2'],
    ['kmin: 0B, kmax: 1MB, pmax: 0.5, at: dequeue, compare: above'],
  ])('the share of marked packets is the probability at the queue: %s', (ecn) => {
    const [kmin, kmax, pmax] = [/kmin: (\d+)/, /kmax: (\d+)/, /pmax: ([\d.]+)/].map((key) => Number(key.exec(ecn)![1]))
    const scale = (text: number, name: string): number => text * (ecn.includes(`${name}: ${text}MB`) ? 1e6 : 1e3)
    const { share, queueBytes, packets } = marked(ecn)
    const due = (pmax! * (queueBytes - scale(kmin!, 'kmin'))) / (scale(kmax!, 'kmax') - scale(kmin!, 'kmin'))
    // Three standard deviations, and the packets of the first window that found a shorter queue.
    const margin = 3 * Math.sqrt((due * (1 - due)) / packets) + 200 / packets
    expect(Math.abs(share - due)).toBeLessThan(margin)
    expect(share).toBeGreaterThan(0.01)
  })

  test('a step marks every packet above it and none below', () => {
    expect(marked('kmin: 100KB, kmax: 100KB').share).toBeGreaterThan(0.99)
    expect(marked('kmin: 300KB, kmax: 300KB').share).toBe(0)
  })
})

test('pause and resume frames alternate at every port, where pauses are neither sent again nor expire', () => {
  let frames = 0
  let ports = 0
  for (let seed = 1; seed <= 400; seed++) {
    const { scenario } = caseOf(seed)
    if (scenario.pfc.classes.length !== 1 || scenario.faults.length > 0 || scenario.topology.kind === 'graph') continue
    const pfc = { ...scenario.pfc, expiry: false, refresh: 0, repeat: false }
    const result = run({ ...scenario, pfc, observe: [{ kind: 'pause-log', maxRows: null, name: null } as never] })
    const log = result.series[0]!
    const [node, port, type] = ['node', 'port', 'type'].map((name) => numbersOf(log, name))
    const last = new Map<string, number>()
    type!.forEach((kind, row) => {
      const at = `${node![row]}:${port![row]}`
      expect(kind, `seed ${seed}, ${at}`).toBe(1 - (last.get(at) ?? 0))
      last.set(at, kind)
    })
    frames += type!.length
    ports += last.size
  }
  expect(frames).toBeGreaterThan(500)
  expect(ports).toBeGreaterThan(20)
})

describe('go-back-N where every 256th packet is lost', () => {
  const PACKET_NS = (1086 + 20) / 5
  const NAK_NS = (66 + 20) / 5

  test.each([
    [870, 18],
    [960, 20],
    [2000, 39],
  ])('with a link delay of %i ns wastes %i packets for each: those sent before the NAK arrives', (delayNs, vain) => {
    // The packet behind the lost one starts a packet later, crosses both links, and its NAK comes back.
    const backNs = PACKET_NS + 2 * (PACKET_NS + delayNs) + 2 * (NAK_NS + delayNs)
    expect(Math.floor(backNs / PACKET_NS)).toBe(vain)
    const result = run(
      parseScenario(`
name: efficiency
topology: {kind: star, linkRate: 40Gbps, linkDelay: ${delayNs}ns}
pfc: {classes: []}
recovery: {kind: go-back-n, nakInterval: off}
workload: [{kind: trace, flows: ["0 1 60MiB 0us op=send"]}]
faults: [{kind: every-nth, n: 256, links: "0>2"}]
measure: {end: stop, stop: 10ms}
`),
    )
    const { dataPacketsSent, payloadBytesDelivered } = result.counters
    expect(dataPacketsSent).toBeGreaterThan(45_000)
    const useful = payloadBytesDelivered / 1024 / dataPacketsSent
    // 0.918 with 20 packets, as [MS-Scale] 4.1 has it.
    expect(useful).toBeCloseTo((256 - 1 - vain) / 256, 3)
  })
})
