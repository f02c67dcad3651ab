/**
 * Livelock: exactly one packet in 256 is lost, and a message of 4 MB restarts at each loss with go-back-0.
 * Two hosts, one switch, 40 Gb/s. The switch drops every packet whose IP identification ends in 0xff, and NICs number
 * their packets consecutively. Nothing here is random, so seeds stand for phases: seed s sends 25 * (s - 1) packets
 * before the first message, which moves the first loss in it.
 * Source: [MS-Scale] section 4.1.
 * Deviates: 4 MB are 3907 packets of 1024 bytes (the paper says 4000).
 */
import { GBPS, MB, MS, US } from '../../core/base/index.ts'
import { humanNumber, humanRate, humanShare } from '../../show/index.ts'
import { type Interval, numbersOf, type Result, sum, tableOfKind } from '../../core/results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { atLeast, atMost, type Claim, claim, equalTo } from '../core/findings.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, timeoutsOf } from '../core/measures.ts'
import type { Measures, Size } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { label, ranges, rangeText, tableAt, texts } from '../core/tables.ts'

const RECOVERIES = ['go-back-0', 'go-back-n'] as const
const OPERATIONS = ['send', 'write', 'read'] as const
/** Packets that the switch may drop. */
const LOST = { small: ['data'], full: ['data', 'any'] } as const

const gridOf = (size: Size) => product({ lost: LOST[size], recovery: RECOVERIES, operation: OPERATIONS })
type LivelockAt = ReturnType<typeof gridOf>[number]

const MESSAGE_BYTES = 4 * MB
/** The packets before the first message have been delivered by then. */
const START_PS = 100 * US
const WINDOW_PS: Readonly<Record<Size, number>> = { small: 10 * MS, full: 100 * MS }
const PAYLOAD_BYTES = 1024
const WIRE_BYTES = 1106
const ACK_WIRE_BYTES = 86
const LINE_BPS = 40 * GBPS
const LINK_PS = 10_000

/** Bytes at line rate from the packet after a loss to the retransmission: a round trip through the switch. */
const ROUND_TRIP_BYTES = 2 * WIRE_BYTES + 2 * ACK_WIRE_BYTES + (4 * LINK_PS * LINE_BPS) / 8e12
/** The packets that start in this time, as one that has started is sent to its end. */
const ROUND_TRIP_PACKETS = Math.ceil(ROUND_TRIP_BYTES / WIRE_BYTES)

const FAULTS = {
  data: { qp: '', fault: 'links: "0>2", packets: data' },
  any: { qp: ', ackTimeout: 1ms', fault: 'links: "0>2, 1>2", packets: both' },
}

function scenarioText(size: Size, seed: number, { recovery, operation, lost }: LivelockAt): string {
  const packetsBefore = (25 * (seed - 1)) % 256
  const sends = `- {kind: closed-loop, pairs: ["0 1"], operation: ${operation}`
  const { qp, fault } = FAULTS[lost]
  return `
name: livelock-${recovery}-${operation}-${lost}
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
recovery: ${recovery}
qp: {ackInterval: 256, retryLimit: off${qp}}
workload:
  ${packetsBefore === 0 ? '' : `${sends}, messages: 1, messageSize: ${packetsBefore}KiB, tag: before}`}
  ${sends}, messageSize: 4MB, outstanding: 8, start: 100us}
faults: [{kind: ip-id, lowByte: 255, ${fault}}]
measure: {warmUp: 100us, stop: ${(START_PS + WINDOW_PS[size]) / US}us}
observe: [{kind: link-use, ports: "0:1", interval: 100us}]
`
}

function measure(result: Result): Measures {
  const { flows, counters } = result
  const windowPs = result.simulatedPs - START_PS
  const received = numbersOf(flows, 'receivedPs')
  const whole = numbersOf(flows, 'sizeBytes').filter(
    (bytes, i) => bytes === MESSAGE_BYTES && !Number.isNaN(received[i]),
  )
  const use = tableOfKind(result, 'link-use')!
  const fromPs = numbersOf(use, 'fromPs')
  const lengthPs = numbersOf(use, 'toPs').map((toPs, row) => toPs - fromPs[row]!)
  const usedPs = numbersOf(use, 'useRatio').map((ratio, row) => (fromPs[row]! < START_PS ? 0 : ratio * lengthPs[row]!))
  const drops = dropsOf(result)
  const sent = counters.dataPacketsSent
  const accepted = sum(numbersOf(flows, 'deliveredBytes').map((bytes) => Math.ceil(bytes / PAYLOAD_BYTES)))
  return {
    goodputBps: (sum(whole) * 8e12) / windowPs,
    messages: whole.length,
    linkUse: sum(usedPs) / windowPs,
    drops,
    dropShare: drops / sent,
    dropsPer256: drops / Math.floor(sent / 256),
    // Those in flight at the end of the run count as wasted too.
    wastedPacketsPerDrop: (sent - accepted) / drops - 1,
    retransmissions: counters.retransmissions,
    timeouts: timeoutsOf(result),
  }
}

const table = (runs: Runs, size: Size) =>
  tableAt(runs, gridOf(size), {
    title: `Goodput and link use over ${WINDOW_PS[size] / MS} ms`,
    columns: [
      label('dropped', ({ lost }) => (lost === 'data' ? 'data' : 'any packet')),
      label('recovery', ({ recovery }) => recovery),
      label('operation', ({ operation }) => operation.toUpperCase()),
      ranges('goodput', 'goodputBps', humanRate),
      ranges('messages', 'messages'),
      ranges('link use', 'linkUse', humanShare),
      ranges('packets lost', 'dropShare', humanShare),
      texts('wasted per loss', (own, { recovery }) =>
        recovery === 'go-back-0' ? '-' : rangeText(own, 'wastedPacketsPerDrop', (n) => humanNumber(n, 2)),
      ),
      label('paper', ({ recovery }) => (recovery === 'go-back-0' ? 'goodput 0, link full' : 'progress')),
    ],
  })

function claims(runs: Runs): Claim[] {
  const ends = (of: ValueOf, recovery: string, operation: string, scale = 1): Interval =>
    runs.ends(of, { lost: 'data', recovery, operation }, scale)
  const lowest = (of: ValueOf, recovery: string, scale: number): Interval =>
    OPERATIONS.map((operation) => ends(of, recovery, operation, scale)).reduce((a, b) => (b.low < a.low ? b : a))
  const goodput = OPERATIONS.map((operation) =>
    claim(`rce.livelock.gb0.${operation}`, ends('goodputBps', 'go-back-0', operation, 1 / GBPS), equalTo(0), {
      unit: ' Gb/s',
    }),
  )
  const wasted = ends('wastedPacketsPerDrop', 'go-back-n', 'write', WIRE_BYTES)
  return [
    ...goodput,
    claim('rce.livelock.link-full', lowest('linkUse', 'go-back-0', 100), atLeast(97), {
      unit: ' %',
      why: 'The value is that of the operation with the lowest use.',
    }),
    claim('rce.livelock.drop-rate', ends('dropsPer256', 'go-back-0', 'write'), equalTo(1), {
      unit: ' of 256',
      tolerance: 'exact, over whole rounds of 256',
    }),
    claim('rce.livelock.gbn-progress', lowest('goodputBps', 'go-back-n', 1 / LINE_BPS), atLeast(0.5), {
      unit: ' of the line rate',
      why: 'The value is that of the operation with the lowest goodput.',
    }),
    claim('rce.livelock.gbn-waste-bound', wasted, atMost(1.01 * ROUND_TRIP_PACKETS * WIRE_BYTES), {
      unit: ' B',
      why: `RTT x C is ${humanNumber(ROUND_TRIP_BYTES)} B here. The value is the mean over all losses of WRITE; the largest single one is not observed.`,
    }),
  ]
}

export const livelock = defineExperiment({
  name: 'livelock',
  title: 'RDMA transport livelock: go-back-0 against go-back-N',
  source: '[MS-Scale] section 4.1',
  help:
    'Host A sends host B messages of 4 MB as fast as it can, by SEND, by WRITE and by READ. The switch between them drops ' +
    'every packet whose IP identification ends in 0xff. With go-back-0 a loss restarts the message, and since one in 256 ' +
    'packets is lost no message ever completes; with go-back-N only the packets from the lost one on are resent.',
  sizes: { small: '10 ms, losses of data only', full: '100 ms, losses of data only and of any packet' },
  points: (size, seed) => pointsAt(gridOf(size), seed, (at) => scenarioText(size, seed, at)),
  measure,
  conclude: (runs, size) => ({
    tables: [table(runs, size)],
    claims: claims(runs),
    remarks: [
      'Nothing here is random: seeds move the losses by packets sent before the first message. Ranges are over seeds and not confidence intervals.',
      'The paper drops any packet with that identification. Rows with "data" do so in the direction of the data only; with "any packet" NAKs, ACKs and READ requests are lost too, ' +
        'and a retransmission timeout of 1 ms, our choice, resends a READ request that is lost with no other behind it.',
      'The goodput of go-back-n is below the line rate by headers (1024 of 1106 bytes) and by the packets in flight when the NAK arrives. Links are 2 m long, so little is wasted; the waste grows with the round trip.',
    ],
  }),
})
