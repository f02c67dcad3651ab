/**
 * LDCP: queue, loss and utilisation without PFC, compared with DCQCN, TIMELY and DCTCP; under incast, with short flows, and
 * with more flows than the path holds packets.
 * Source: [LDCP], whose draft has claims and no evaluation: networks, traffic, thresholds and steps are ours.
 */
import { humanBytes, humanDuration, humanNumber, humanRate, humanShare } from '../../report/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { FindingsFigure, FindingsTable } from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Size } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { barsAt, label, lineAt, means, tableAt } from '../core/tables.ts'
import { ldcpClaims } from './claims.ts'
import type { Control } from './controls.ts'
import { ldcpMeasures } from './measures.ts'
import { rulesTable } from './rules.ts'
import { atsOf, COALESCED, FAMILIES, type Family, fullShare, GRIDS, type LdcpAt, ldcpPoints } from './runs.ts'

/** A column of a family's table. */
type ColumnOf = readonly [head: string, of: ValueOf, text: (value: number) => string]

const share = (value: number): string => humanShare(value)
const times = (value: number): string => humanNumber(value)
const count = times
const earlyShare: ValueOf = (m) => (m['earlyDrops'] ?? NaN) / (m['dataPackets'] ?? NaN)

const QUEUE: readonly ColumnOf[] = [
  ['queue, mean', 'meanQueueBytes', humanBytes],
  ['99 %', 'p99QueueBytes', humanBytes],
  ['spread', 'sdQueueBytes', humanBytes],
]
const LOSSES: readonly ColumnOf[] = [
  ['dropped early', earlyShare, share],
  ['lost', fullShare, share],
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
  churn: 'Long flows with short ones',
  step: 'One long flow, and four more at once',
  incast: 'Incast of 64 KB each',
  many: 'More flows than the path holds packets',
  cluster: 'Heavy-tailed flows among 16 hosts, by load in percent',
  idle: 'Messages of 1 KB to a BDP, alone',
  clock: 'Few long flows, with ACKs for one packet or for several',
}

function familyTable(runs: Runs, size: Size, family: Family): FindingsTable {
  return tableAt(runs, atsOf(size, family), {
    title: TITLES[family],
    columns: [
      label(family === 'cluster' ? 'load' : 'flows', ({ flows }) => flows, 'right'),
      label('control', ({ control }) => control),
      ...COLUMNS[family].map(([head, of, text]) => means<LdcpAt>(head, of, text)),
    ],
  })
}

const BESIDE: readonly Control[] = ['LDCP', 'LDCP-PCC with PFC', 'DCTCP', 'DCQCN with PFC', 'TIMELY with PFC']

function figures(runs: Runs, size: Size): FindingsFigure[] {
  const bars = (family: Family, of: string, controls: readonly Control[], scale: number) =>
    barsAt(
      runs,
      atsOf(size, family)
        .filter(({ control }) => controls.includes(control))
        .toSorted((a, b) => a.flows - b.flows || controls.indexOf(a.control) - controls.indexOf(b.control)),
      of,
      ({ flows, control }) => ({ label: family === 'cluster' ? `${flows} %` : `${family} ${flows}`, series: control }),
      scale,
    )
  const queue: FindingsFigure = {
    name: 'queue',
    bars: {
      title: 'Queue of the link to the receiver',
      subtitle: '99th percentile, long flows alone and with short ones; means over seeds with 95 % intervals',
      yLabel: 'queue (KB)',
      yScale: 'log',
      groups: [...bars('long', 'p99QueueBytes', BESIDE, 1e-3), ...bars('churn', 'p99QueueBytes', BESIDE, 1e-3)],
    },
  }
  const many: FindingsFigure = {
    name: 'many',
    bars: {
      title: 'A window below one packet',
      subtitle: 'mean queue of long flows to one receiver; means over seeds with 95 % intervals',
      yLabel: 'queue (KB)',
      groups: bars('many', 'meanQueueBytes', GRIDS[size].many.controls, 1e-3),
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
      groups: bars(
        'cluster',
        'meanFctPs',
        ['LDCP', 'LDCP-PCC', 'DCQCN with PFC', 'TIMELY with PFC', 'DCQCN without PFC'],
        1e-6,
      ),
    },
  }
  return [
    queue,
    many,
    cluster,
    clockFigure(runs, 'clock-queue', 'sdQueueBytes', 1e-3, {
      title: 'Queue of the bottleneck, by packets that an ACK may cover',
      subtitle: 'standard deviation, long flows under LDCP; means over seeds with 95 % bands',
      yLabel: 'spread of the queue (KB)',
    }),
    clockFigure(runs, 'clock-gaps', 'gapVariation', 1, {
      title: 'Gaps between the packets of a flow, by packets that an ACK may cover',
      subtitle: 'standard deviation over mean, long flows under LDCP; means over seeds with 95 % bands',
      yLabel: 'coefficient of variation',
    }),
  ]
}

function clockFigure(
  runs: Runs,
  name: string,
  of: string,
  scale: number,
  texts: Record<'title' | 'subtitle' | 'yLabel', string>,
): FindingsFigure {
  const packetsOf = (control: Control): number => COALESCED.find((each) => each.control === control)!.packets
  const controls = COALESCED.map(({ control }) => control)
  const lines = GRIDS.full.clock.scales.map((flows) => {
    const ats = product({ family: ['clock'], flows: [flows], control: controls })
    return lineAt(runs, `${flows} flows`, ats, ({ control }) => packetsOf(control), of, scale)
  })
  return {
    name,
    lines: { xLabel: 'packets that an ACK may cover', xScale: 'log', fromZero: true, ...texts, lines },
  }
}

const SMALL_REMARKS = [
  'This size is cut short: the rates of DCQCN and TIMELY, which fall at the common start, have no time to recover. It judges no claim.',
]

function remarks(runs: Runs): string[] {
  const text = (family: Family, flows: number, control: Control, of: ValueOf, to: (value: number) => string): string =>
    to(runs.mean(of, { family, flows, control }).mean)
  const late = runs.values('lateLossShare', { family: 'many', flows: 1000, control: 'LDCP' })
  const overflowing = [50, 70, 80].filter(
    (load) => runs.sum('fullDrops', { family: 'cluster', flows: load, control: 'LDCP-PCC' }) > 0,
  )
  const clusterText =
    overflowing.length === 0
      ? 'buffers do not overflow'
      : `it loses ${overflowing.map((load) => `${text('cluster', load, 'LDCP-PCC', fullShare, share)} at a load of ${load} %`).join(' and ')}`
  const lost = late.filter((value) => value > 0).length
  const gaps = [2, 4, 8].map((flows) => text('clock', flows, 'LDCP', 'gapVariation', times))
  return [
    'The draft describes LDCP and claims good results, but has no evaluation: no network, load, threshold, alpha or beta. All of these are ours: 40 Gb/s, a round trip of ' +
      '24 us (110 packets), 1 MB per port, alpha 1, beta 0.5, gamma 1/8, a marking probability from 0 at 20 KB to 10 % at 60 KB and 1 above, early drop from 60 KB. DCQCN and TIMELY have the ' +
      'parameters of their papers, and DCQCN its marking; with PFC their buffers are large enough for all headrooms. A window grows by alpha / window and shrinks by beta, so its equilibrium is at a share of marks of alpha / (beta x window): ' +
      'more than 10 % from some eight flows on, where the queue stays at K_max. The thresholds, and not the scheme, thus determine the queue, and a lower K_max would lower it.',
    `Fast starts lose many packets: with 32 long flows and short ones ${text('churn', 32, 'LDCP', earlyShare, share)} of the packets are dropped early, since the long flows keep the queue near the threshold of early drop. ` +
      `That protects the long flows (${text('churn', 32, 'LDCP', 'longShare', share)} of the bandwidth left to them, ${text('churn', 32, 'LDCP, capable start', 'longShare', share)} without early drop) and costs the short ones, which continue with a window of the few packets that arrived: ` +
      `a slowdown of ${text('churn', 32, 'LDCP', 'shortSlowdown', times)}, and ${text('churn', 32, 'LDCP', 'shortSlowdownP99', times)} at the 99th percentile, while an ECN-capable start has ${text('churn', 32, 'LDCP, capable start', 'shortSlowdown', times)} and ` +
      `${text('churn', 32, 'LDCP, capable start', 'shortSlowdownP99', times)}. With two long flows the queue is often empty, and they lose bandwidth while their windows grow back by a packet per round trip.`,
    'LDCP on a commercial NIC does not react to a loss except by retransmission: its window changes with CNPs and round trips only, and it starts at line rate without a limit. It does not recover from overflowing buffers: ' +
      `with 128 long flows and short ones it loses ${text('churn', 128, 'LDCP-PCC', fullShare, share)} of the packets it sends. With PFC this does not happen (its rows "with PFC"). In the cluster ${clusterText}.`,
    `A mark halves a window below one packet, and each flow receives one mark in some eight round trips. 1000 flows oscillate together: the queue runs empty, and the link is used ${text('many', 1000, 'LDCP', 'use', share)} of the time, against ` +
      `${text('many', 1000, 'DCTCP', 'use', share)} with DCTCP and a queue of ${text('many', 1000, 'DCTCP', 'meanQueueBytes', humanBytes)}. With a gamma of 1/8 these oscillations fill the buffer from 1400 flows on, and with 1000 flows in ${lost} of ${late.length} seeds; with 1/16 they rarely do. ` +
      'So LDCP with 1/8 supports no more flows without loss than DCTCP, but loses far less beyond; with 1/16 it supports twice as many.',
    'Correlation is the mean over all pairs of flows of the correlation of their windows over time. Random marks between the thresholds separate flows that halve their windows. Windows of LDCP take small steps, all of them down while the queue is above K_max, and are therefore more correlated, with smaller oscillations.',
    'Long flows start together at full speed. DCQCN takes milliseconds to recover from that, and TIMELY, with steps of 10 Mb/s, longer than these runs last: its empty queues are those of an unused link.',
    'ldcp.unic.lsn (windows by a byte sequence number of requests and READ responses) concerns the verbs, and a test there covers it: a QP here carries one direction of data and its PSNs do not jump, so that packets are counted. Unit tests cover the rules of the draft, see the table above. ' +
      'READ and networks of tens of thousands of hosts are not part of these runs.',
    'ACKs do not space packets equally here. Each ACK releases one packet, so packets leave with the gaps with which the previous ones arrived, and bursts persist from round trip to round trip: ' +
      `with an ACK for each packet, the gaps of one of two, four and eight long flows have a standard deviation of ${gaps.join(', ')} times their mean, and the longest is ` +
      `${text('clock', 8, 'LDCP', 'longestGapPs', humanDuration)} with eight, nearly a round trip including its queue. The draft does not say how flows get spaced in the first place.`,
    'Fewer ACKs make the queue of two and of four flows less stable, the more packets an ACK covers. With eight flows the queue stays at K_max, where the marking probability jumps from 10 % to 1, and an ACK for up to eight packets makes it more stable than one for each. ' +
      `ACKs of marked packets are not delayed, and none is delayed longer than 10 us, so that an ACK for up to 16 packets covers ${text('clock', 2, 'LDCP, an ACK for 16', 'packetsPerAck', times)} with two flows and ${text('clock', 8, 'LDCP, an ACK for 16', 'packetsPerAck', times)} with eight.`,
  ]
}

export const ldcp = defineExperiment({
  name: 'ldcp',
  title: 'LDCP: low queues without PFC',
  source: '[LDCP] sections 1 to 3',
  help:
    'LDCP adjusts its window with every ACK, and switches may drop packets of its first round trip early. It is compared with DCQCN, TIMELY and DCTCP ' +
    'for long flows to one receiver, with additional short flows, under incast, with up to 2000 flows at once, and among 16 hosts, to judge ' +
    "the draft's claims on queue, loss and utilisation.",
  sizes: {
    small: 'a few runs of each kind, cut short',
    full: '30 ms of long flows after 10 ms of warm-up, incasts to their end, 12 ms of arrivals in the cluster',
  },
  points: ldcpPoints,
  measure: ldcpMeasures,
  conclude: (runs, size) => ({
    tables: [
      ...FAMILIES.filter((family) => GRIDS[size][family].scales.length > 0).map((family) =>
        familyTable(runs, size, family),
      ),
      ...(size === 'full' ? [rulesTable()] : []),
    ],
    figures: figures(runs, size),
    claims: size === 'full' ? ldcpClaims(runs) : [],
    remarks: size === 'full' ? remarks(runs) : SMALL_REMARKS,
  }),
})
