/** TCP's sawtooth at a bottleneck with a bandwidth-delay product of buffer, and its share of a port beside RDMA. */
import { describe, expect, test } from 'vitest'
import { MS, SECOND } from '../../src/core/base/params.ts'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const PAYLOAD = 1440
/** Headers with timestamps, and the gap. */
const SEGMENT_WIRE = PAYLOAD + 70 + 20
const RDMA_WIRE = PAYLOAD + 62 + 20

interface Tooth {
  /** When the window was cut, to a sample. */
  readonly cutPs: number
  readonly beforePackets: number
  readonly afterPackets: number
}

interface Alone {
  readonly teeth: readonly Tooth[]
  /** Seconds from one cut to the next. */
  readonly periods: readonly number[]
  /** Segments that the bottleneck carries in a second. */
  readonly segmentRate: number
  /** Utilization of the bottleneck, from the first of these teeth to the end. */
  readonly utilization: number
}

/** One connection at 100 Mb/s, its buffer a bandwidth-delay product; teeth from `fromPs` on. */
function alone(congestion: string, o: { delayMs: number; stopMs: number; fromPs: number; more?: string }): Alone {
  const rateBps = 1e8
  const bufferBytes = Math.round(((2 * o.delayMs) / 1e3) * (rateBps / 8))
  const { series } = run(
    parseScenario(`
name: sawtooth
topology: {kind: dumbbell, leftHosts: 1, rightHosts: 1, hostRate: 1Gbps, bottleneckRate: 100Mbps, bottleneckDelay: ${o.delayMs}ms}
frames: {payload: ${PAYLOAD}B}
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, size: ${bufferBytes}B, alpha: 128, egressAlpha: 128}}
qp: {retryLimit: off}
recovery: {kind: tcp${o.more ?? ''}}
congestion: ${congestion}
workload: [{kind: closed-loop, pairs: ["0 1"], messages: 1, messageSize: 10GB}]
observe: [{kind: rates, interval: 10ms}]
measure: {end: stop, stop: ${o.stopMs}ms, generate: ${o.stopMs}ms}
`),
  )
  const [times, windows, una] = ['timePs', 'windowPackets', 'una'].map((name) => numbersOf(series[0]!, name))
  const teeth: Tooth[] = []
  windows!.forEach((window, row) => {
    const beforePackets = windows![row - 1] ?? 0
    if (window < 0.9 * beforePackets && times![row]! >= o.fromPs)
      teeth.push({ cutPs: times![row]!, beforePackets, afterPackets: window })
  })
  const segmentRate = rateBps / 8 / SEGMENT_WIRE
  const first = times!.indexOf(teeth[0]!.cutPs)
  const seconds = (times!.at(-1)! - times![first]!) / SECOND
  return {
    teeth,
    periods: teeth.slice(1).map(({ cutPs }, i) => (cutPs - teeth[i]!.cutPs) / SECOND),
    segmentRate,
    utilization: (una!.at(-1)! - una![first]!) / seconds / segmentRate,
  }
}

function expectNear(value: number, due: number, what: string): void {
  expect(Math.abs(value / due - 1), `${what}: ${value}, due ${due}`).toBeLessThan(0.05)
}

describe('alone at a bottleneck with a buffer of one bandwidth-delay product', () => {
  /** Segments that fit on the path and in the buffer before one is lost. */
  const roomOf = (segmentRate: number, delayMs: number): number => 2 * segmentRate * ((2 * delayMs) / 1e3)

  test.each(['', ', sack: false'])('NewReno halves, and gains a segment a round trip%s', (more) => {
    const { teeth, periods, segmentRate, utilization } = alone('newreno', {
      delayMs: 6,
      stopMs: 14_000,
      fromPs: 4 * SECOND,
      more,
    })
    expect(periods.length).toBeGreaterThanOrEqual(4)
    expect(utilization).toBeGreaterThan(0.95)
    const room = roomOf(segmentRate, 6)
    for (const { beforePackets, afterPackets } of teeth) {
      expectNear(beforePackets, room, 'window before a loss')
      expectNear(afterPackets, room / 2, 'window after it')
      // A round trip of W packets at W / segmentRate, from W/2 to W.
      const due = (3 / 8) * (beforePackets ** 2 / segmentRate)
      for (const period of periods) expectNear(period, due, 'seconds between losses')
    }
  })

  /** Round trips of 100 to 200 ms: NewReno's window would gain some 40 segments in a period, CUBIC's gains 490. */
  test('CUBIC in its cubic region leaves 0.7, and is back after K', () => {
    const { teeth, periods, segmentRate, utilization } = alone('{kind: cubic, fastConvergence: false}', {
      delayMs: 50,
      stopMs: 58_000,
      fromPs: 16 * SECOND,
    })
    expect(periods.length).toBeGreaterThanOrEqual(3)
    expect(utilization).toBeGreaterThan(0.95)
    const room = roomOf(segmentRate, 50)
    for (const { beforePackets, afterPackets } of teeth) {
      expectNear(beforePackets, room, 'window before a loss')
      expectNear(afterPackets, 0.7 * room, 'window after it')
    }
    const { beforePackets } = teeth.at(-1)!
    // Teeth settle from below: the first ones are shorter by as much as slow start has left unused.
    expectNear(periods.at(-1)!, Math.cbrt((beforePackets * 0.3) / 0.4), 'K, the seconds between losses')
  })

  test('CUBIC in the Reno-friendly region gains 0.53 segments a round trip from 0.7 on', () => {
    const { teeth, periods, segmentRate, utilization } = alone('cubic', {
      delayMs: 6,
      stopMs: 12_000,
      fromPs: 2 * SECOND,
    })
    expect(periods.length).toBeGreaterThanOrEqual(3)
    expect(utilization).toBeGreaterThan(0.95)
    const alpha = (3 * (1 - 0.7)) / (1 + 0.7)
    for (const { beforePackets, afterPackets } of teeth) {
      expectNear(beforePackets, roomOf(segmentRate, 6), 'window before a loss')
      expectNear(afterPackets, 0.7 * beforePackets, 'window after it')
      // As many round trips as the window takes to come back, each of the mean window's packets.
      const due = ((0.3 / alpha) * beforePackets * (0.85 * beforePackets)) / segmentRate
      for (const period of periods) expectNear(period, due, 'seconds between losses')
    }
  })
})

describe('RDMA and TCP in two classes of a port', () => {
  interface Shares {
    readonly rdma: number
    readonly tcp: number
    /** Minimum queue of each class observed, bytes. */
    readonly leastWaiting: number
    readonly drops: Readonly<Record<string, number>>
  }

  /** Shares of 10 Gb/s over 100 ms, measured after TCP's slow start and the timeout that ends it. */
  function shares(weights: readonly [number, number], rdma: string): Shares {
    const [fromMs, toMs] = [280, 380]
    const result: Result = run(
      parseScenario(`
name: shares
topology: {kind: star, hosts: 9, linkRate: 10Gbps}
frames: {payload: ${PAYLOAD}B}
pfc: {classes: [3]}
switch:
  scheduler: dwrr
  weights: [1, 1, 1, ${weights.join(', ')}, 1, 1, 1]
  buffer: {kind: shared-buffer, size: 4MB}
  ecn: {classes: [3], kmin: 200KB, kmax: 800KB, pmax: 0.1}
workload:
  - {kind: closed-loop, pairs: ["0-3 8"], messages: 1, messageSize: 1GB, trafficClass: 3, congestion: ${rdma}}
  - {kind: closed-loop, pairs: ["4-7 8"], messages: 1, messageSize: 1GB, trafficClass: 4, recovery: tcp, congestion: cubic}
observe:
  - {kind: rates, interval: 10ms}
  - {kind: queue-depth, interval: 50us, ports: "switch:9", classes: [3, 4]}
measure: {end: stop, stop: ${toMs}ms, generate: ${toMs}ms}
`),
    )
    const [rates, depth] = result.series
    const [timePs, source, una] = ['timePs', 'source', 'una'].map((name) => numbersOf(rates!, name))
    const packets = (isTcp: boolean, atMs: number): number =>
      una!.reduce((sum, psn, row) => {
        const isOfIt = timePs![row] === atMs * MS && source![row]! >= 4 === isTcp
        return isOfIt ? sum + psn : sum
      }, 0)
    const wire = (isTcp: boolean): number =>
      (packets(isTcp, toMs) - packets(isTcp, fromMs)) * (isTcp ? SEGMENT_WIRE : RDMA_WIRE)
    const seen = numbersOf(depth!, 'timePs')
    const waiting = numbersOf(depth!, 'queueBytes').filter((_, row) => seen[row]! > fromMs * MS)
    expect(waiting.length).toBe(2 * 2000)
    return { rdma: wire(false), tcp: wire(true), leastWaiting: Math.min(...waiting), drops: result.counters.drops }
  }

  test.each([
    [[3, 1], 'none'],
    [[1, 4], 'none'],
    [[1, 1], 'dcqcn'],
  ] as const)('share it by their weights %j while both have something to send, RDMA with %s', (weights, rdma) => {
    const { rdma: ofRdma, tcp, leastWaiting, drops } = shares(weights, rdma)
    expect(leastWaiting).toBeGreaterThan(0)
    // CUBIC fills its share of the buffer; RDMA's class is lossless.
    expect(drops['buffer full']).toBeGreaterThan(0)
    expect((ofRdma + tcp) * 8).toBeGreaterThan(0.99 * 1e10 * 0.1)
    const due = weights[0] / (weights[0] + weights[1])
    expectWithin(ofRdma / (ofRdma + tcp), due, 0.03)
  })

  function expectWithin(share: number, due: number, most: number): void {
    expect(Math.abs(share / due - 1), `share of RDMA ${share}, due ${due}`).toBeLessThan(most)
    expect(Math.abs((1 - share) / (1 - due) - 1), `share of TCP ${1 - share}, due ${1 - due}`).toBeLessThan(most)
  }
})
