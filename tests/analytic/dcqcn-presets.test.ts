/**
 * Every set of DCQCN's parameters at one port of 100 Gb/s: two senders without PFC, and eight with it, observed after
 * 10 ms, when the transient of their start at line rate is over.
 *
 * Bounds, from the rules alone:
 * - Utilization. A cut takes half of the rate at most (alpha <= 1), and the first step of the increase returns half of
 *   the distance to the target. A flow that is cut once per recovery is therefore never below half of its target, and
 *   the port carries half of the link or more. On hardware two senders without PFC had 74 of 100 Gb/s.
 * - No collapse: in no millisecond is the port below a quarter of the link, which two such cuts in a row would leave.
 * - Fairness. Both flows see the same marks and have the same parameters: no set may let one have more than twice what
 *   another has for long, a Jain index of 0.9 for two flows.
 * - Pauses. DCQCN is to keep queues below the threshold of PFC; the burst of eight senders until the first CNPs, a few
 *   round trips of 3 us, is far below 16 MB.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { congestions } from '../../src/core/transport/congestion/index.ts'

const PAYLOAD_BYTES = 4096
const FROM_MS = 10
const TO_MS = 30
/** Payload of full frames, with the headers of RoCE and the gap. */
const LINK_GBPS = (100 * PAYLOAD_BYTES) / (PAYLOAD_BYTES + 62 + 20)

const SETS = congestions.map(({ name }) => name).filter((name) => name === 'dcqcn' || name.startsWith('dcqcn-'))

interface Measured {
  readonly goodputGbps: number
  /** In the millisecond with the least. */
  readonly leastGbps: number
  readonly jain: number
  readonly pauses: number
}

function measured(congestion: string, senders: number, more: string): Measured {
  const { series, counters } = run(
    parseScenario(`
name: presets
topology: {kind: star, hosts: ${senders + 1}, linkRate: 100Gbps, linkDelay: 515ns}
frames: {payload: ${PAYLOAD_BYTES}B}
switch: {buffer: {kind: shared-buffer, size: 16MB, alpha: 1}}
congestion: ${congestion}
${more}
workload: [{kind: closed-loop, pairs: ["0-${senders - 1} ${senders}"], messageSize: 64MiB, outstanding: 2}]
observe: [{kind: rates, interval: 1ms}]
measure: {end: stop, stop: ${TO_MS}ms, generate: ${TO_MS}ms}
`),
  )
  const [times, sources, una] = ['timePs', 'source', 'una'].map((name) => numbersOf(series[0]!, name))
  const at = (ms: number, source: number): number => {
    const row = times!.findIndex((timePs, i) => timePs === ms * 1e9 && sources![i] === source)
    return una![row]!
  }
  const gbps = (packets: number, ms: number): number => (packets * PAYLOAD_BYTES * 8) / (ms * 1e6)
  const hosts = Array.from({ length: senders }, (_, host) => host)
  const shares = hosts.map((host) => gbps(at(TO_MS, host) - at(FROM_MS, host), TO_MS - FROM_MS))
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share ** 2, 0)
  let leastGbps = Infinity
  for (let ms = FROM_MS; ms < TO_MS; ms++) {
    const packets = hosts.reduce((total, host) => total + at(ms + 1, host) - at(ms, host), 0)
    leastGbps = Math.min(leastGbps, gbps(packets, 1))
  }
  return { goodputGbps: sum, leastGbps, jain: sum ** 2 / (senders * squares), pauses: counters.pauseFrames }
}

test('the sets of parameters', () => {
  expect(SETS).toEqual(['dcqcn', 'dcqcn-connectx4', 'dcqcn-hpcc'])
})

describe.each(SETS)('%s', (congestion) => {
  test.each([
    [2, 'without PFC', 'pfc: {classes: []}\nqp: {ackTimeout: 67109us, retryLimit: off}'],
    [8, 'with PFC', 'pfc: {classes: [3]}'],
  ])('%s senders %s share the port and fill it', (senders, _pfc, more) => {
    const { goodputGbps, leastGbps, jain, pauses } = measured(congestion, senders, more)
    expect(goodputGbps).toBeGreaterThan(LINK_GBPS / 2)
    expect(leastGbps).toBeGreaterThan(LINK_GBPS / 4)
    expect(jain).toBeGreaterThan(0.9)
    expect(pauses).toBe(0)
  })
})
