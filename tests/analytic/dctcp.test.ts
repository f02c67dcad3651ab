/**
 * DCTCP's sawtooth at a bottleneck against the analysis of its paper (Alizadeh et al., SIGCOMM 2010, 3.3): N flows in
 * step share a link of C packets a second with round trip d, and packets are marked from a queue of K packets on. At the
 * critical window W* = (C d + K) / N the queue reaches K. Within the round trip until marks are back the window becomes
 * W = W* + 1, then it is cut once, by D = W alpha / 2, and gains a packet per round trip again.
 *
 * The paper's eq. (6) solves alpha = marked / sent over a period. Bounds of D follow from the terms that it leaves out:
 * - ACKs with a mark add nothing to the window, so the marked round trip is not one of the D in which it grows:
 *   alpha (M + S) = M, with M packets marked and S = W^2 (alpha - alpha^2 / 4) / 2 sent while the window grows.
 * - M is W packets where the first mark cuts. Where the cut waits for the end of a window of data (RFC 8257 3.3), up to
 *   a round trip later, it is between W and 2 W.
 * - alpha is an average that swings within a period of T round trips: behind a marked one by g T / (1 - (1-g)^T) of its
 *   mean, before the next one by that times (1-g)^(T-1).
 * - Whole packets are in flight: half a packet more or less at either end of a tooth.
 * Queues: the peak is K + N at least one packet in each flow either way; with a later cut the queue stays there.
 */
import { describe, expect, test } from 'vitest'
import { GBPS, US } from '../../src/core/base/params.ts'
import { run } from '../../src/lab/index.ts'
import { numbersOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const PAYLOAD_BYTES = 1024
const FRAME_BYTES = PAYLOAD_BYTES + 62
const WIRE_BITS = (FRAME_BYTES + 20) * 8
const G = 1 / 64

interface Setting {
  readonly flows: number
  readonly gbps: number
  readonly delayUs: number
  readonly markPackets: number
}

interface Sawtooth {
  /** Packets of cuts, of all flows. */
  readonly cuts: readonly number[]
  /** Round trips from one cut of a flow to its next, the smallest. */
  readonly leastGap: number
  readonly mostQueue: number
  readonly leastQueue: number
}

function baseRttPs({ gbps, delayUs }: Setting): number {
  const link = (bytes: number): number => (bytes * 8e12) / (gbps * GBPS)
  // Hosts have links of four times the rate: forward and back, a data packet and an ACK at each of three links.
  const hops = link(FRAME_BYTES + 20) + link(86)
  return 2 * delayUs * US + 1.5 * hops
}

/** Some 600 round trips, the last 150 observed: alpha has come down from 1 by then (64 round trips per factor of e). */
function sawtooth(setting: Setting, cutOnFirstEce: boolean): Sawtooth {
  const { flows, gbps, delayUs, markPackets } = setting
  const rttPs = baseRttPs(setting) + (markPackets * WIRE_BITS * 1e12) / (gbps * GBPS)
  const endPs = Math.round(600 * rttPs)
  const fromPs = Math.round(450 * rttPs)
  const pairs = Array.from({ length: flows }, (_, host) => `"${host} ${flows + host}"`).join(', ')
  const interval = `${Math.round(rttPs / 40 / 1000)}ns`
  const { series } = run(
    parseScenario(`
name: sawtooth
topology: {kind: dumbbell, leftHosts: ${flows}, rightHosts: ${flows}, hostRate: ${4 * gbps}Gbps, bottleneckRate: ${gbps}Gbps, hostDelay: 1us, bottleneckDelay: ${delayUs - 2}us}
frames: {payload: ${PAYLOAD_BYTES}B}
congestion: {kind: dctcp, g: 1/64, cutOnFirstEce: ${cutOnFirstEce}}
qp: {ecnEcho: ack}
switch: {ecn: {kmin: ${markPackets * FRAME_BYTES}B, kmax: ${markPackets * FRAME_BYTES}B, pmax: 1}}
workload: [{kind: closed-loop, pairs: [${pairs}], messages: 1, messageSize: 10GB}]
observe: [{kind: rates, interval: ${interval}}, {kind: queue-depth, interval: ${interval}}]
measure: {end: stop, stop: ${Math.ceil(endPs / 1000)}ns, generate: ${Math.ceil(endPs / 1000)}ns}
`),
  )
  const [times, sources, windows] = ['timePs', 'source', 'windowPackets'].map((name) => numbersOf(series[0]!, name))
  const last = new Map<number, number>()
  const cutAt = new Map<number, number>()
  const cuts: number[] = []
  let leastGap = Infinity
  windows!.forEach((window, row) => {
    const source = sources![row]!
    const timePs = times![row]!
    const before = last.get(source) ?? window
    last.set(source, window)
    if (timePs < fromPs || window > before - 0.01) return
    cuts.push(before - window)
    leastGap = Math.min(leastGap, (timePs - (cutAt.get(source) ?? -Infinity)) / rttPs)
    cutAt.set(source, timePs)
  })
  const seen = numbersOf(series[1]!, 'timePs')
  const queues = numbersOf(series[1]!, 'queueBytes').filter((_, row) => seen[row]! >= fromPs)
  return {
    cuts,
    leastGap,
    mostQueue: Math.max(...queues) / FRAME_BYTES,
    leastQueue: Math.min(...queues) / FRAME_BYTES,
  }
}

interface Bounds {
  readonly least: number
  readonly most: number
}

/** The alpha of a period with `marked` packets marked, and `silent` of them while the window does not grow. */
function alphaOf(window: number, marked: number, silent: number): number {
  let [low, high] = [0, 1]
  for (let i = 0; i < 60; i++) {
    const alpha = (low + high) / 2
    const sent = silent + (window ** 2 * (alpha - alpha ** 2 / 4)) / 2
    if (alpha * sent < marked) low = alpha
    else high = alpha
  }
  return low
}

function cutBounds(setting: Setting, isLate: boolean): Bounds {
  const bdpPackets = (baseRttPs(setting) * setting.gbps * GBPS) / 1e12 / WIRE_BITS
  const window = (bdpPackets + setting.markPackets) / setting.flows + 1
  const cut = (alpha: number, marked: number, isBehindMarks: boolean): number => {
    const trips = (window * alpha) / 2 + marked
    const swing = (G * trips) / (1 - (1 - G) ** trips)
    return (window * alpha * (isBehindMarks ? swing : swing * (1 - G) ** (trips - 1))) / 2
  }
  const most = isLate ? alphaOf(window, 2 * window, 2 * window) : alphaOf(window, window - 0.5, 0)
  return {
    least: cut(alphaOf(window, window, window), 1, false) - 0.5,
    most: cut(most, isLate ? 2 : 1, true) + 0.5,
  }
}

const SETTINGS: readonly Setting[] = [
  { flows: 1, gbps: 10, delayUs: 50, markPackets: 40 },
  { flows: 1, gbps: 10, delayUs: 50, markPackets: 20 },
  { flows: 1, gbps: 10, delayUs: 25, markPackets: 20 },
  { flows: 1, gbps: 10, delayUs: 90, markPackets: 40 },
  { flows: 1, gbps: 40, delayUs: 20, markPackets: 65 },
  { flows: 1, gbps: 40, delayUs: 12, markPackets: 30 },
  { flows: 1, gbps: 25, delayUs: 20, markPackets: 20 },
  { flows: 1, gbps: 1, delayUs: 200, markPackets: 10 },
  { flows: 2, gbps: 10, delayUs: 50, markPackets: 40 },
  { flows: 2, gbps: 40, delayUs: 20, markPackets: 65 },
  { flows: 4, gbps: 10, delayUs: 50, markPackets: 40 },
  { flows: 4, gbps: 25, delayUs: 30, markPackets: 60 },
]

describe.each([
  [true, 'the first mark'],
  [false, 'the end of a window of data'],
])('cuts at the first mark: %s', (cutOnFirstEce, _when) => {
  test.each(SETTINGS)('$flows flows, $gbps Gb/s, $delayUs us, K = $markPackets', (setting) => {
    const { flows, markPackets } = setting
    const { cuts, leastGap, mostQueue, leastQueue } = sawtooth(setting, cutOnFirstEce)
    const { least, most } = cutBounds(setting, !cutOnFirstEce)
    const mean = cuts.reduce((sum, packets) => sum + packets, 0) / cuts.length
    expect(cuts.length).toBeGreaterThan(5 * flows)
    expect(mean).toBeGreaterThan(least)
    expect(mean).toBeLessThan(most)
    // One cut per window of data. The next one comes when the window has grown back; of several flows one that cuts
    // first may find the packets of the others still queued a round trip later.
    expect(leastGap).toBeGreaterThan(flows === 1 ? 0.9 * least : 0.95)
    expect(Math.abs(mostQueue - (markPackets + flows))).toBeLessThanOrEqual(flows)
    expect(Math.abs(mostQueue - leastQueue - flows * mean)).toBeLessThanOrEqual(2 * flows)
  })
})
