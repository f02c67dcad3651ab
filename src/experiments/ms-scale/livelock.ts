/**
 * Livelock: exactly one packet in 256 is lost, and a message of 4 MB restarts at each loss with go-back-0.
 * Two hosts, one switch, 40 Gb/s. The switch drops every packet whose IP identification ends in 0xff, and NICs number
 * their packets consecutively. Nothing here is random, so seeds stand for phases: seed s sends 25 * (s - 1) packets
 * before the first message, which moves the first loss in it.
 * Source: [MS-Scale] section 4.1.
 * Deviates: 4 MB are 3907 packets of 1024 bytes (the paper says 4000).
 */
import { GBPS, MB, MS, US } from '../../base/index.ts'
import { humanNumber, humanRate, humanShare } from '../../report/index.ts'
import { type Interval, numbersOf, type Result, sum } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Measures, Outcome, Point, Size } from '../core/plan.ts'
import { type Claim, claimOf, type Findings, type FindingsTable } from '../core/findings.ts'
import { overSeeds, rangeOver } from '../core/over-seeds.ts'

const OPERATIONS = ['send', 'write', 'read'] as const
const RECOVERIES = ['go-back-0', 'go-back-n'] as const
/** Packets that the switch may drop. */
const DROPS = ['data', 'any'] as const
type Operation = (typeof OPERATIONS)[number]
type Recovery = (typeof RECOVERIES)[number]
type Drops = (typeof DROPS)[number]

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

function scenarioText(size: Size, seed: number, recovery: Recovery, operation: Operation, drops: Drops): string {
  const packetsBefore = (25 * (seed - 1)) % 256
  const before =
    packetsBefore === 0
      ? ''
      : `- {kind: closed-loop, pairs: ["0 1"], operation: ${operation}, messages: 1, messageSize: ${packetsBefore}KiB, tag: before}`
  return `
name: livelock-${recovery}-${operation}-${drops}
seed: ${seed}
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
recovery: ${recovery}
${drops === 'any' ? 'qp: {ackInterval: 256, retryLimit: off, ackTimeout: 1ms}' : 'qp: {ackInterval: 256, retryLimit: off}'}
workload:
  ${before}
  - {kind: closed-loop, pairs: ["0 1"], operation: ${operation}, messageSize: 4MB, outstanding: 8, start: 100us}
faults:
  - {kind: ip-id, lowByte: 255, links: ${drops === 'any' ? '"0>2, 1>2", packets: both' : '"0>2", packets: data'}}
measure: {warmUp: 100us, stop: ${(START_PS + WINDOW_PS[size]) / US}us}
observe: [{kind: link-use, ports: "0:1", interval: 100us}]
`
}

function points(size: Size, seed: number): Point[] {
  const drops = size === 'full' ? DROPS : (['data'] as const)
  return drops.flatMap((which) =>
    RECOVERIES.flatMap((recovery) =>
      OPERATIONS.map((operation): Point => {
        const scenario = parseScenario(scenarioText(size, seed, recovery, operation, which))
        return { condition: conditionOf(recovery, operation, which), seed, scenario }
      }),
    ),
  )
}

function conditionOf(recovery: Recovery, operation: Operation, drops: Drops): string {
  return `${recovery} ${operation.toUpperCase()}, ${drops === 'data' ? 'data dropped' : 'any packet dropped'}`
}

function measure(result: Result): Measures {
  const { flows, counters } = result
  const windowPs = result.simulatedPs - START_PS
  const sizes = numbersOf(flows, 'sizeBytes')
  const received = numbersOf(flows, 'receivedPs')
  const whole = sizes.filter((bytes, row) => bytes === MESSAGE_BYTES && !Number.isNaN(received[row]))
  const use = result.series[0]!
  const fromPs = numbersOf(use, 'fromPs')
  const lengthPs = numbersOf(use, 'toPs').map((toPs, row) => toPs - fromPs[row]!)
  const usedPs = numbersOf(use, 'useRatio').map((ratio, row) => (fromPs[row]! < START_PS ? 0 : ratio * lengthPs[row]!))
  const drops = sum(Object.values(counters.drops))
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
    timeouts: sum(Object.values(counters.timeouts)),
  }
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const conditions = [...new Set(outcomes.map((outcome) => outcome.condition))]
  const seeds = new Set(outcomes.map((outcome) => outcome.seed)).size
  const spread = (condition: string, valueOf: (m: Measures) => number, text: (value: number) => string): string => {
    const { least, most } = rangeOver(outcomes, condition, valueOf)
    return text(least) === text(most) ? text(least) : `${text(least)} to ${text(most)}`
  }
  const table: FindingsTable = {
    title: `Goodput and link use over ${WINDOW_PS[size] / MS} ms`,
    columns: [
      { head: 'recovery, operation' },
      { head: 'goodput', align: 'right' },
      { head: 'messages', align: 'right' },
      { head: 'link use', align: 'right' },
      { head: 'packets lost', align: 'right' },
      { head: 'wasted per loss', align: 'right' },
      { head: 'paper' },
    ],
    rows: conditions.map((condition) => [
      condition,
      spread(condition, (m) => m['goodputBps']!, humanRate),
      spread(condition, (m) => m['messages']!, String),
      spread(condition, (m) => m['linkUse']!, humanShare),
      spread(
        condition,
        (m) => m['dropShare']!,
        (share) => humanShare(share),
      ),
      condition.startsWith('go-back-n')
        ? spread(
            condition,
            (m) => m['wastedPacketsPerDrop']!,
            (n) => humanNumber(n, 2),
          )
        : '-',
      condition.startsWith('go-back-0') ? 'goodput 0, link full' : 'progress',
    ]),
  }
  return {
    tables: [table],
    figures: [
      {
        name: 'goodput',
        bars: {
          title: 'Livelock: one packet in 256 is lost',
          subtitle: 'application goodput of 4 MB messages at 40 Gb/s; the link is full in all six cases',
          yLabel: 'goodput (Gb/s)',
          groups: OPERATIONS.flatMap((operation) =>
            RECOVERIES.map((recovery) => {
              const { mean } = overSeeds(outcomes, conditionOf(recovery, operation, 'data'), (m) => m['goodputBps']!)
              const paper = recovery === 'go-back-0' ? { paper: 0 } : {}
              return { label: operation.toUpperCase(), series: recovery, value: mean / GBPS, ...paper }
            }),
          ),
          showValues: true,
        },
      },
    ],
    claims: claims(outcomes),
    remarks: [
      `Nothing in this experiment is random. ${seeds === 1 ? 'Other seeds would' : `The ${seeds} runs of a condition`} differ in phase only: the number of packets that the NIC has ` +
        'sent before the first message. A single number in a cell is that of all phases; ranges are over phases and not confidence intervals.',
      'The paper drops any packet with that identification. Rows with "data dropped" do so in the direction of the data only; ' +
        'rows with "any packet dropped" do so in both directions, so that NAKs, ACKs and READ requests are lost too. These have a ' +
        'retransmission timeout of 1 ms, our choice, since nothing else resends a READ request that is lost with no other behind it.',
      'Link use is that of the data sender: frames with preamble and gap over the line rate. The goodput of go-back-n is below ' +
        'the line rate by headers (1024 of 1106 bytes) and by the packets in flight when the NAK arrives. Links are 2 m long, as ' +
        'between a server and its switch, so little is wasted; the waste grows with the round trip.',
    ],
  }
}

function claims(outcomes: readonly Outcome[]): Claim[] {
  const all = (condition: string, valueOf: (m: Measures) => number): Interval => {
    const { least, most } = rangeOver(outcomes, condition, valueOf)
    const values = overSeeds(outcomes, condition, valueOf)
    return { count: values.count, mean: values.mean, low: least, high: most }
  }
  const zero = OPERATIONS.map((operation) =>
    claimOf({
      id: `rce.livelock.gb0.${operation}`,
      statement: `${operation.toUpperCase()} of 4 MB messages with go-back-0 and one loss in 256 packets: no goodput`,
      paper: '0 Gb/s',
      measured: all(conditionOf('go-back-0', operation, 'data'), (m) => m['goodputBps']! / GBPS),
      unit: ' Gb/s',
      band: { low: 0, high: 0 },
      tolerance: 'exact',
    }),
  )
  const lowestUse = OPERATIONS.map((operation) =>
    all(conditionOf('go-back-0', operation, 'data'), (m) => m['linkUse']! * 100),
  ).reduce((lowest, next) => (next.low < lowest.low ? next : lowest))
  const lowestGoodput = OPERATIONS.map((operation) =>
    all(conditionOf('go-back-n', operation, 'data'), (m) => m['goodputBps']! / LINE_BPS),
  ).reduce((lowest, next) => (next.low < lowest.low ? next : lowest))
  const wasted = all(conditionOf('go-back-n', 'write', 'data'), (m) => m['wastedPacketsPerDrop']! * WIRE_BYTES)
  return [
    ...zero,
    claimOf({
      id: 'rce.livelock.link-full',
      statement: 'During the livelock the link runs at line rate',
      paper: 'fully utilised',
      measured: lowestUse,
      unit: ' %',
      band: { low: 97, high: Infinity },
      tolerance: '3 percentage points',
      why: 'The value is that of the operation with the lowest use.',
    }),
    claimOf({
      id: 'rce.livelock.drop-rate',
      statement: 'Dropping identifications that end in 0xff is a loss of 1/256',
      paper: '1 of 256',
      measured: all(conditionOf('go-back-0', 'write', 'data'), (m) => m['dropsPer256']!),
      unit: ' of 256',
      band: { low: 1, high: 1 },
      tolerance: 'exact, over whole rounds of 256',
    }),
    claimOf({
      id: 'rce.livelock.gbn-progress',
      statement: 'Go-back-N makes progress under the same losses',
      paper: 'no livelock',
      measured: lowestGoodput,
      unit: ' of the line rate',
      band: { low: 0.5, high: Infinity },
      tolerance: 'half of the line rate',
      why: 'The value is that of the operation with the lowest goodput.',
    }),
    claimOf({
      id: 'rce.livelock.gbn-waste-bound',
      statement: 'Go-back-N wastes up to RTT x C bytes per lost packet',
      paper: `${humanNumber(ROUND_TRIP_BYTES)} B here`,
      measured: wasted,
      unit: ' B',
      band: { low: -Infinity, high: 1.01 * ROUND_TRIP_PACKETS * WIRE_BYTES },
      tolerance: 'in whole packets, and 1 % for those in flight at the end',
      why: 'The value is the mean over all losses of WRITE; the largest single one is not observed.',
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
  sizes: {
    small: '10 ms, losses of data only',
    full: '100 ms, losses of data only and of any packet',
  },
  points,
  measure,
  conclude,
})
