/**
 * LDCP: queue, loss and utilisation without PFC, beside DCQCN, TIMELY and DCTCP; under incast, under short flows that come
 * and go, and with more flows than the path holds packets.
 * Source: [LDCP], whose draft has claims and no evaluation: networks, traffic, thresholds and steps are ours.
 */
import { humanBytes, humanDuration, humanNumber, humanRate, humanShare } from '../../report/index.ts'
import type { Interval } from '../../results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Measures, Outcome, Size } from '../core/plan.ts'
import { barOf, type Findings, type FindingsFigure, type FindingsTable } from '../core/findings.ts'
import { ldcpClaims } from './claims.ts'
import { clockClaims, clockFigures } from './clock.ts'
import { rulesTable } from './rules.ts'
import { ldcpMeasures } from './measures.ts'
import { conditionOf, type Family, GRIDS, ldcpPoints } from './runs.ts'
import type { Control } from './controls.ts'
import { overSeeds, valuesOf } from '../core/over-seeds.ts'

/** A column of a family's table. */
type ColumnOf = readonly [head: string, key: string, text: (value: number) => string]

const share = (value: number): string => humanShare(value)
const times = (value: number): string => humanNumber(value)
const count = (value: number): string => humanNumber(value)

const QUEUE: readonly ColumnOf[] = [
  ['queue, mean', 'meanQueueBytes', humanBytes],
  ['99 %', 'p99QueueBytes', humanBytes],
  ['spread', 'sdQueueBytes', humanBytes],
]
const LOSSES: readonly ColumnOf[] = [
  ['dropped early', 'earlyShare', share],
  ['lost', 'fullShare', share],
]
const COLUMNS: Readonly<Record<Family, readonly ColumnOf[]>> = {
  long: [
    ...QUEUE,
    ['link used', 'use', share],
    ['window, correlation', 'windowCorrelation', times],
    ['window, spread over mean', 'windowVariation', times],
    ...LOSSES,
    ['pause frames', 'pauseFrames', count],
  ],
  churn: [
    ...QUEUE,
    ['link used', 'use', share],
    ['long flows get of the rest', 'longShare', share],
    ['spread by ms', 'longVariation', share],
    ['short flows, slowdown', 'shortSlowdown', times],
    ['99 %', 'shortSlowdownP99', times],
    ...LOSSES,
    ['pause frames', 'pauseFrames', count],
  ],
  step: [
    ['first fall of the window', 'reactionPs', humanDuration],
    ['highest queue', 'overshootBytes', humanBytes],
    ['queue below K_max after', 'settlePs', humanDuration],
    ...LOSSES,
  ],
  incast: [
    ['completion, mean', 'meanFctPs', humanDuration],
    ['99 %', 'p99FctPs', humanDuration],
    ['goodput', 'goodputBps', humanRate],
    ['highest queue', 'mostQueueBytes', humanBytes],
    ...LOSSES,
    ['timeouts', 'timeouts', count],
  ],
  many: [
    ...QUEUE,
    ['link used', 'use', share],
    ['window, mean', 'meanWindowPackets', times],
    ['windows below 1', 'belowOneShare', share],
    ['lost behind the start', 'lateLossShare', share],
  ],
  cluster: [
    ['goodput', 'goodputBps', humanRate],
    ['large flows, rate', 'largeBps', humanRate],
    ['small flows, slowdown', 'shortSlowdown', times],
    ['99 %', 'shortSlowdownP99', times],
    ['completion, mean', 'meanFctPs', humanDuration],
    ...LOSSES,
    ['pause frames', 'pauseFrames', count],
    ['unfinished', 'unfinished', count],
  ],
  idle: [
    ['slowdown, mean', 'shortSlowdown', times],
    ['most', 'shortSlowdownMost', times],
  ],
  clock: [
    ['queue, mean', 'meanQueueBytes', humanBytes],
    ['spread', 'sdQueueBytes', humanBytes],
    ['link used', 'use', share],
    ['packets of an ACK', 'packetsPerAck', times],
    ['gap of a flow, mean', 'meanGapPs', humanDuration],
    ['spread over mean', 'gapVariation', times],
    ['longest', 'longestGapPs', humanDuration],
  ],
}
const TITLES: Readonly<Record<Family, string>> = {
  long: 'Long flows to one receiver',
  churn: 'Long flows, and short ones that come and go',
  step: 'One long flow, and four more at once',
  incast: 'Incast of 64 KB each',
  many: 'More flows than the path holds packets',
  cluster: 'Heavy-tailed flows among 16 hosts, by load in per cent',
  idle: 'Messages of 1 KB to a BDP, alone',
  clock: 'Few long flows, with ACKs for one packet or for several',
}

function measureOf(outcomes: readonly Outcome[], condition: string, key: string): Interval {
  return overSeeds(outcomes, condition, (m: Measures) => {
    const sent = m['dataPackets'] ?? NaN
    if (key === 'earlyShare') return (m['earlyDrops'] ?? NaN) / sent
    return key === 'fullShare' ? (m['fullDrops'] ?? NaN) / sent : (m[key] ?? NaN)
  })
}

function familyTable(outcomes: readonly Outcome[], size: Size, family: Family): FindingsTable {
  const { scales, controls } = GRIDS[size][family]
  const columns = COLUMNS[family]
  return {
    title: TITLES[family],
    columns: [
      { head: family === 'cluster' ? 'load' : 'flows', align: 'right' },
      { head: 'control' },
      ...columns.map(([head]) => ({ head, align: 'right' }) as const),
    ],
    rows: scales.flatMap((scale) =>
      controls.map((control) => [
        String(scale),
        control,
        ...columns.map(([, key, text]) => {
          const { mean } = measureOf(outcomes, conditionOf(family, scale, control), key)
          return Number.isNaN(mean) ? '-' : text(mean)
        }),
      ]),
    ),
  }
}

function figures(outcomes: readonly Outcome[], size: Size): FindingsFigure[] {
  const barsOf = (family: Family, key: string, controls: readonly Control[], scaled = 1) =>
    GRIDS[size][family].scales.flatMap((scale) =>
      controls
        .filter((control) => GRIDS[size][family].controls.includes(control))
        .map((control) => {
          const { count: runs, mean, low, high } = measureOf(outcomes, conditionOf(family, scale, control), key)
          const value = { count: runs, mean: mean * scaled, low: low * scaled, high: high * scaled }
          return { label: family === 'cluster' ? `${scale} %` : `${family} ${scale}`, series: control, ...barOf(value) }
        }),
    )
  const beside: readonly Control[] = ['LDCP', 'LDCP-PCC with PFC', 'DCTCP', 'DCQCN with PFC', 'TIMELY with PFC']
  const queue: FindingsFigure = {
    name: 'queue',
    bars: {
      title: 'Queue of the link to the receiver',
      subtitle: '99th percentile, long flows alone and with short ones; means over seeds with 95 % intervals',
      yLabel: 'queue (KB)',
      yScale: 'log',
      groups: [...barsOf('long', 'p99QueueBytes', beside, 1e-3), ...barsOf('churn', 'p99QueueBytes', beside, 1e-3)],
    },
  }
  const many: FindingsFigure = {
    name: 'many',
    bars: {
      title: 'A window below one packet',
      subtitle: 'mean queue of long flows to one receiver; means over seeds with 95 % intervals',
      yLabel: 'queue (KB)',
      groups: barsOf('many', 'meanQueueBytes', GRIDS[size].many.controls, 1e-3),
    },
  }
  if (size === 'small') return [queue, many]
  const cluster: FindingsFigure = {
    name: 'cluster',
    bars: {
      title: 'Completion of heavy-tailed flows among 16 hosts',
      subtitle: 'mean over all flows, by load; means over seeds with 95 % intervals',
      yLabel: 'completion time (us)',
      yScale: 'log',
      groups: barsOf(
        'cluster',
        'meanFctPs',
        ['LDCP', 'LDCP-PCC', 'DCQCN with PFC', 'TIMELY with PFC', 'DCQCN without PFC'],
        1e-6,
      ),
    },
  }
  return [queue, many, cluster, ...clockFigures(outcomes)]
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const families = (Object.keys(GRIDS[size]) as Family[]).filter((family) => GRIDS[size][family].scales.length > 0)
  return {
    tables: [
      ...families.map((family) => familyTable(outcomes, size, family)),
      ...(size === 'full' ? [rulesTable()] : []),
    ],
    figures: figures(outcomes, size),
    claims: size === 'full' ? [...ldcpClaims(outcomes), ...clockClaims(outcomes)] : [],
    remarks: size === 'full' ? remarks(outcomes) : SMALL_REMARKS,
  }
}

const SMALL_REMARKS = [
  'This size is cut short: rates that fall at the common start have no time to come back, which DCQCN and TIMELY need. It decides nothing.',
]

function remarks(outcomes: readonly Outcome[]): string[] {
  const text = (family: Family, scale: number, control: Control, key: string, to: (value: number) => string): string =>
    to(measureOf(outcomes, conditionOf(family, scale, control), key).mean)
  const late = valuesOf(outcomes, conditionOf('many', 1000, 'LDCP'), (m) => m['lateLossShare'] ?? NaN)
  const overflowing = [50, 70, 80].filter((load) =>
    valuesOf(outcomes, conditionOf('cluster', load, 'LDCP-PCC'), (m) => m['fullDrops'] ?? NaN).some(
      (drops) => drops > 0,
    ),
  )
  const clusterText =
    overflowing.length === 0
      ? 'buffers do not overflow'
      : `it loses ${overflowing.map((load) => `${text('cluster', load, 'LDCP-PCC', 'fullShare', share)} at a load of ${load} %`).join(' and ')}`
  const lost = late.filter((value) => value > 0).length
  const gaps = [2, 4, 8].map((flows) => text('clock', flows, 'LDCP', 'gapVariation', times))
  return [
    'The draft says what LDCP does and that it does well, and has no evaluation: no network, load, threshold, alpha or beta. All of these are ours: 40 Gb/s, a round trip of ' +
      '24 us (110 packets), 1 MB a port, alpha 1, beta 0.5, gamma 1/8, marking from 20 KB to 10 % at 60 KB and for certain from there, early drop from 60 KB. DCQCN and TIMELY have the ' +
      'parameters of their papers, and DCQCN its marking; with PFC their buffers are as large as headrooms ask for. A window goes up by alpha / window and down by beta, so it rests where the share of marks is alpha / (beta x window): ' +
      'beyond 10 % from some eight flows on, where the queue stands at K_max. Where it stands is thus said by the thresholds and not by the scheme, and a lower K_max would lower it.',
    `What fast starts lose is not small: with 32 long flows under short ones ${text('churn', 32, 'LDCP', 'earlyShare', share)} of the packets are dropped early, as the long flows hold the queue near the threshold that drops. ` +
      `That protects the long flows (${text('churn', 32, 'LDCP', 'longShare', share)} of what is left to them, ${text('churn', 32, 'LDCP, capable start', 'longShare', share)} without) and costs the short ones, which go on with the few packets that came through: ` +
      `a slowdown of ${text('churn', 32, 'LDCP', 'shortSlowdown', times)}, and ${text('churn', 32, 'LDCP', 'shortSlowdownP99', times)} at the 99th percentile, where an ECN-capable start has ${text('churn', 32, 'LDCP, capable start', 'shortSlowdown', times)} and ` +
      `${text('churn', 32, 'LDCP, capable start', 'shortSlowdownP99', times)}. With two long flows the queue is often empty, and what they do not get is lost while they grow back by a packet a round trip.`,
    'LDCP on a commercial NIC has no answer to a loss but to send again: its window moves with CNPs and round trips alone, and it starts at line rate with nothing to hold it. Where buffers overflow it does not find back: ' +
      `with 128 long flows under short ones it loses ${text('churn', 128, 'LDCP-PCC', 'fullShare', share)} of what it sends. With PFC below it that does not happen (its rows "with PFC"). In the cluster ${clusterText}.`,
    `Below one packet the window halves with a mark and each flow hears one in some eight round trips. With 1000 flows they swing together: the queue runs empty and the link is used ${text('many', 1000, 'LDCP', 'use', share)} of the time, against ` +
      `${text('many', 1000, 'DCTCP', 'use', share)} with DCTCP behind a queue of ${text('many', 1000, 'DCTCP', 'meanQueueBytes', humanBytes)}. With a gamma of 1/8 these swings reach the end of the buffer from 1400 flows on, and with 1000 in ${lost} of ${late.length} seeds; with 1/16 they rarely do. ` +
      'So LDCP with 1/8 endures no more flows than DCTCP without a loss, and loses far less beyond; with 1/16 it endures twice as many.',
    'Correlation is the mean over all pairs of flows of their windows over time. Marks at random between the thresholds part the flows that halve; those of LDCP take small steps, all of them down while the queue is above K_max, and so go more with each other, with smaller swings.',
    'Long flows start together, at full speed. DCQCN takes milliseconds to come back from that, and TIMELY, whose steps are 10 Mb/s, more than these runs have: its empty queues are those of an unused link.',
    'ldcp.unic.lsn (windows by a byte sequence number of requests and READ responses) is a matter of the verbs, and of a test there: a QP here carries one direction of data and its PSNs do not jump, so that packets are counted. Rules of the draft are held by tests, in the table above. ' +
      'READ and networks of tens of thousands of hosts are not part of these runs.',
    'ACKs do not space packets equally here. Each lets one packet out, so packets leave as those before them arrived, and bunches stay bunches from round trip to round trip: ' +
      `the gaps of one of two, four and eight long flows have a standard deviation of ${gaps.join(', ')} times their mean with an ACK for each packet, and the longest is ` +
      `${text('clock', 8, 'LDCP', 'longestGapPs', humanDuration)} with eight, nearly a round trip with its queue. The draft does not say how flows came to be spaced before.`,
    'Fewer ACKs make the queue of two and of four flows less steady, the more packets they stand for. With eight flows the queue stands at K_max, where the share of marks goes from 10 % to all of them, and an ACK for up to eight packets makes it steadier than one for each. ' +
      `ACKs of marked packets do not wait, and none waits longer than 10 us, so that an ACK for up to 16 stands for ${text('clock', 2, 'LDCP, an ACK for 16', 'packetsPerAck', times)} with two flows and for ${text('clock', 8, 'LDCP, an ACK for 16', 'packetsPerAck', times)} with eight.`,
  ]
}

export const ldcp = defineExperiment({
  name: 'ldcp',
  title: 'LDCP: low queues without PFC',
  source: '[LDCP] sections 1 to 3',
  help:
    'LDCP moves its window by every ACK and lets switches drop what a flow sends in its first round trip. Beside DCQCN, TIMELY and DCTCP it is run ' +
    'with long flows to one receiver, with short flows on top, under incast, with up to 2000 flows at once, and among 16 hosts; what the draft ' +
    'claims of queue, loss and utilisation is held against that.',
  sizes: {
    small: 'a few runs of each kind, cut short',
    full: '30 ms of long flows behind 10 ms, incasts to their end, 12 ms of arrivals in the cluster',
  },
  points: ldcpPoints,
  measure: ldcpMeasures,
  conclude,
})
