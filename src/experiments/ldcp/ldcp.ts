/**
 * LDCP: queue, loss and utilisation without PFC, compared with DCQCN, TIMELY and DCTCP; under incast, with short flows, and
 * with more flows than the path holds packets.
 * Source: [LDCP], whose draft has claims and no evaluation: networks, traffic, thresholds and steps are ours.
 */
import { humanBytes, humanDuration, humanNumber, humanShare } from '../../report/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { FindingsFigure, FindingsTable } from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Size } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { barsAt, label, means, tableAt } from '../core/tables.ts'
import { ldcpClaims } from './claims.ts'
import type { Control } from './controls.ts'
import { ldcpMeasures } from './measures.ts'
import { atsOf, type Family, fullShare, GRIDS, type LdcpAt, ldcpPoints } from './runs.ts'

const earlyShare: ValueOf = (m) => m['earlyDrops']! / m['dataPackets']!

const tables = (runs: Runs, size: Size): FindingsTable[] =>
  [
    {
      title: '32 long flows with short ones',
      ats: atsOf(size, 'churn').filter(({ flows }) => flows === 32),
      columns: [
        means('queue, mean', 'meanQueueBytes', humanBytes),
        means('99 %', 'p99QueueBytes', humanBytes),
        means('link used', 'use', humanShare),
        means('long flows get of the rest', 'longShare', humanShare),
        means('short flows, slowdown', 'shortSlowdown', humanNumber),
        means('99 %', 'shortSlowdownP99', humanNumber),
        means('short flows without an end', 'shortOpen', humanNumber),
        means('dropped early', earlyShare, humanShare),
        means('lost', fullShare, humanShare),
        means('pause frames', 'pauseFrames', humanNumber),
      ],
    },
    {
      title: 'One long flow, and four more at once',
      ats: atsOf(size, 'step'),
      columns: [
        means('first fall of the window', 'reactionPs', humanDuration),
        means('highest queue', 'overshootBytes', humanBytes),
        means('queue below K_max after', 'settlePs', humanDuration),
        means('dropped early', earlyShare, humanShare),
      ],
    },
    {
      title: 'Few long flows, with ACKs for one packet or for several',
      ats: atsOf(size, 'clock'),
      columns: [
        means('queue, mean', 'meanQueueBytes', humanBytes),
        means('spread', 'sdQueueBytes', humanBytes),
        means('packets of an ACK', 'packetsPerAck', humanNumber),
        means('gap of a flow, mean', 'meanGapPs', humanDuration),
        means('spread over mean', 'gapVariation', humanNumber),
        means('longest', 'longestGapPs', humanDuration),
      ],
    },
  ].flatMap(({ title, ats, columns }) => {
    const names = [
      label<LdcpAt>('flows', ({ flows }) => flows, 'right'),
      label<LdcpAt>('control', ({ control }) => control),
    ]
    return ats.length === 0 ? [] : [tableAt(runs, ats, { title, columns: [...names, ...columns] })]
  })

const BESIDE: readonly Control[] = ['LDCP', 'LDCP-PCC with PFC', 'DCTCP', 'DCQCN with PFC', 'TIMELY with PFC']

function queueFigure(runs: Runs, size: Size): FindingsFigure {
  const ats = (['long', 'churn'] as const).flatMap((family) =>
    product({ family: [family], flows: GRIDS[size][family].scales, control: BESIDE }),
  )
  const known = ats.filter((at) => runs.where(at).outcomes.length > 0)
  return {
    name: 'queue',
    bars: {
      title: 'Queue of the link to the receiver',
      subtitle: '99th percentile, long flows alone and with short ones; means over seeds with 95 % intervals',
      yLabel: 'queue (KB)',
      yScale: 'log',
      groups: barsAt(
        runs,
        known,
        'p99QueueBytes',
        ({ family, flows, control }) => ({ label: `${family} ${flows}`, series: control }),
        1e-3,
      ),
    },
  }
}

const SMALL_REMARKS = [
  'This size is cut short: the rates of DCQCN and TIMELY, which fall at the common start, have no time to recover. It judges no claim.',
]

function remarks(runs: Runs): string[] {
  const text = (family: Family, flows: number, control: Control, of: ValueOf, to: (value: number) => string): string =>
    to(runs.mean(of, { family, flows, control }).mean)
  const used = (control: Control): string => text('many', 1000, control, 'use', (share) => humanShare(share))
  return [
    'The draft has no evaluation: network, load, thresholds, alpha and beta are ours: 40 Gb/s, a round trip of ' +
      '24 us (110 packets), 1 MB per port, alpha 1, beta 0.5, gamma 1/8, a marking probability from 0 at 20 KB to 10 % at 60 KB and 1 above, early drop from 60 KB. DCQCN and TIMELY have the ' +
      'parameters of their papers; with PFC their buffers are large enough for all headrooms. A window grows by alpha / window and shrinks by beta, so its equilibrium is at a share of marks of alpha / (beta x window): ' +
      'more than 10 % from some eight flows on, where the queue stays at K_max. The thresholds, and not the scheme, thus determine the queue.',
    'Fast starts lose many packets, since long flows keep the queue near the threshold of early drop. That protects the long flows and costs the short ones, which continue with a window of the few packets that arrived. ' +
      'With two long flows the queue is often empty, and they lose bandwidth while their windows grow back by a packet per round trip.',
    'LDCP on a commercial NIC does not react to a loss except by retransmission: its window changes with CNPs and round trips only, and it starts at line rate without a limit. It does not recover from overflowing buffers: ' +
      `with 128 long flows and short ones it loses ${text('churn', 128, 'LDCP-PCC', fullShare, (share) => humanShare(share))} of the packets it sends. With PFC this does not happen.`,
    `A mark halves a window below one packet, and each flow receives one mark in some eight round trips. 1000 flows oscillate together: the queue runs empty, and the link is used ${used('LDCP')} of the time, against ` +
      `${used('DCTCP')} with DCTCP and a queue of ${text('many', 1000, 'DCTCP', 'meanQueueBytes', humanBytes)}. With a gamma of 1/8 these oscillations fill the buffer from 1400 flows on. ` +
      'So LDCP with 1/8 supports no more flows without loss than DCTCP, but loses far less beyond; with 1/16 it supports twice as many.',
    'Correlation is the mean over all pairs of flows of the correlation of their windows over time. Windows of LDCP take small steps, all of them down while the queue is above K_max, and are therefore more correlated than windows that random marks halve, with smaller oscillations.',
    'Long flows start together at full speed. DCQCN takes milliseconds to recover from that, and TIMELY, with steps of 10 Mb/s, longer than these runs last: its empty queues are those of an unused link.',
    'ACKs do not space packets equally here. Each releases one packet, so packets leave with the gaps with which the previous ones arrived, and bursts persist from round trip to round trip. The draft does not say how flows get spaced in the first place.',
    'Fewer ACKs make the queue of two and of four flows less stable, the more packets an ACK covers. With eight flows the queue stays at K_max, where the marking probability jumps from 10 % to 1, and an ACK for up to eight packets makes it more stable than one for each. ' +
      'ACKs of marked packets are not delayed, and none is delayed longer than 10 us, so that an ACK covers fewer packets than it may.',
    'READ and networks of tens of thousands of hosts are not part of these runs.',
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
    tables: tables(runs, size),
    figures: [queueFigure(runs, size)],
    claims: size === 'full' ? ldcpClaims(runs) : [],
    remarks: size === 'full' ? remarks(runs) : SMALL_REMARKS,
  }),
})
