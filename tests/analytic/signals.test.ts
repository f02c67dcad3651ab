/**
 * Congestion signals and first round trips through real switches: which packets are marked and echoed, delays that
 * marks miss and round trips show, and how much is sent before the first ACK. Source: [Survey III-A, IV].
 */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { Marker } from '../../src/core/fabric/link/ecn.ts'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { dctcp } from '../../src/core/transport/congestion/dctcp.ts'
import { ECE } from '../../src/core/transport/segment.ts'
import { markWhere } from '../support/pair-pipe.ts'
import { Pair, scheme } from '../support/pair.ts'

const resultOf = (text: string): Result => run(parseScenario(`name: signals\n${text}`))

describe('a switch with a marking threshold', () => {
  /** Packets of 0 and 1 onto a slow line: the queue only grows, but for the first packet, which leaves it at once. */
  const alternating = (packets: number): Result =>
    resultOf(`
topology: {kind: dumbbell, leftHosts: 2, rightHosts: 1, hostRate: 40Gbps, bottleneckRate: 100Mbps, hostDelay: 1us, bottleneckDelay: 1us}
congestion: dctcp
qp: {ackInterval: 1, ecnEcho: ack}
switch: {buffer: {kind: shared-buffer, size: 2MB}, ecn: {kmin: ${3 * 1086}B, kmax: ${3 * 1086}B, pmax: 1, compare: at-least}}
workload: [{kind: trace, flows: ["0 2 ${packets}KiB 0us", "1 2 ${packets}KiB 0.1us"]}]
`)

  test('marks what arrives while more is queued, and nothing else', () => {
    // One of the first four packets is on the wire and three wait: from the fifth on, all find the queue at the
    // threshold.
    expect([1, 2, 3, 10].map((packets) => alternating(packets).counters.ecnMarks)).toEqual([0, 0, 2, 16])
  })

  test('marks a packet that finds the queue at the threshold, and the ACK of that packet carries the echo', () => {
    const rule = { classes: 1 << 3, kminBytes: 70_000, kmaxBytes: 70_000, pmax: 1, atLeast: true }
    const marker = new Marker(rule, () => createRandomStreams(1).stream('ecn'))
    const queueBytes = [0, 69_999, 70_000, 140_000, 30_000, 70_001]
    const pair = new Pair({ congestion: scheme(dctcp), qp: { ackInterval: 1, ecnEcho: 'ack' } })
    pair.forward.rule(markWhere(({ segment }) => marker.isMarked(3, queueBytes[segment.psn]!)))
    const echoes: boolean[] = []
    pair.backward.rule(({ segment }) => echoes.push((segment.flags & ECE) !== 0))
    pair.postPackets(queueBytes.length)
    expect(pair.run()).toBe('finished')
    expect(echoes).toEqual([false, false, true, true, false, true])
  })
})

describe('queues below the threshold of every switch', () => {
  /** A message of one packet from 0 crosses switches 6 and 7 to 5; others send at line rate to the same outputs. */
  function crossing(others: readonly string[], thresholdKb = 60): { us: number; isMarked: boolean } {
    const links = ['0 6', '1 6', '2 6', '6 7', '3 7', '4 7', '7 5'].map((ends) => `${ends} 40Gbps 1us`)
    const { flows, counters } = resultOf(`
topology: {kind: graph, nodes: 8, switches: [6, 7], links: ${JSON.stringify(links)}}
congestion: dcqcn
switch: {buffer: {kind: shared-buffer, size: 9MB}, ecn: {kmin: ${thresholdKb}KB, kmax: ${thresholdKb}KB}}
workload: [{kind: trace, flows: ${JSON.stringify([...others, '0 5 1KB 12us tag=probe'])}}]
`)
    const row = textsOf(flows, 'tag').indexOf('probe')
    const us = (numbersOf(flows, 'acknowledgedPs')[row]! - numbersOf(flows, 'startPs')[row]!) / 1e6
    return { us, isMarked: counters.ecnMarks > 0 }
  }
  // At 6 two hosts send 40 Gb/s each into one output; at 7 a third one adds to what 6 passes on.
  const AT_6 = ['1 5 50KB 0us', '2 5 50KB 0us']
  const AT_7 = ['3 5 50KB 12.5us']
  // Queue pairs of the same host whose packets are sent before.
  const AT_NIC = Array.from({ length: 100 }, () => '0 4 1KB 11.9us')

  test('are marked nowhere and add up in the round trip, as does waiting in the NIC', () => {
    const idle = crossing([])
    const one = crossing(AT_6)
    const both = crossing([...AT_6, ...AT_7])
    expect([idle, one, both].map(({ isMarked }) => isMarked)).toEqual([false, false, false])
    expect(one.us).toBeGreaterThan(idle.us + 8)
    expect(both.us).toBeGreaterThan(one.us + 8)
    // Either of them alone is marked where the threshold is lower.
    expect([crossing(AT_6, 40), crossing([...AT_6, ...AT_7], 40)].map(({ isMarked }) => isMarked)).toEqual([true, true])
    // No switch has a queue then, whatever its threshold.
    const inNic = crossing(AT_NIC, 5)
    expect(inNic.isMarked).toBe(false)
    expect(inNic.us).toBeGreaterThan(idle.us + 8)
  })
})

describe('before the first ACK', () => {
  /** Packets that have left by the end of the first round trip of an idle path. */
  const firstRoundTrip = (setting: string): number => {
    // 20 us of link delays: a round trip holds 90 packets of 1106 bytes at 40 Gb/s.
    const { counters } = resultOf(`
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 5us}
${setting}
workload: [{kind: trace, flows: ["0 1 10MB 0us"]}]
measure: {end: stop, stop: 20us}
`)
    return counters.dataPacketsSent
  }

  test('RoCE, DCQCN, TIMELY and IRN send a bandwidth-delay product, TCP its initial window of two packets', () => {
    const started = ['', 'congestion: dcqcn', 'congestion: timely', 'recovery: irn'].map(firstRoundTrip)
    for (const packets of started) expect(Math.abs(packets - 20_000 / 221.2)).toBeLessThan(2)
    expect(firstRoundTrip('recovery: {kind: iwarp, initialWindow: 2}')).toBe(2)
  })
})

test('under the same losses IRN resends only lost packets, go-back-N everything after each loss, go-back-0 the whole message', () => {
  /** Packets sent for each that is delivered. */
  const costOf = (recovery: string): number => {
    const { counters, flows } = resultOf(`
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 1us}
recovery: ${recovery}
pfc: {classes: []}
qp: {ackTimeout: 1ms, retryLimit: off}
faults: [{kind: every-nth, n: 100, packets: data, links: "0>2"}]
workload: [{kind: closed-loop, pairs: ["0 1"], messageSize: 80KiB, messages: 100}]
measure: {end: drain}
`)
    expect(new Set(textsOf(flows, 'status'))).toEqual(new Set(['finished']))
    return (counters.dataPacketsSent - (counters.drops['link loss'] ?? 0)) / 8000
  }
  const [irn, goBackN, goBack0] = ['irn', 'go-back-n', 'go-back-0'].map(costOf)
  expect(irn).toBe(1)
  expect(goBackN!).toBeGreaterThan(1.1)
  expect(goBack0!).toBeGreaterThan(goBackN! * 1.2)
})
