/**
 * LDCP: queue, loss and utilisation without PFC, compared with DCQCN, TIMELY and DCTCP; under incast, with short flows, and
 * with more flows than the path holds packets.
 * Orders and numbers are judged by the interval of their mean; a behaviour has to hold in every seed.
 * Source: [LDCP], whose draft has claims and no evaluation: networks, traffic, thresholds and steps are ours. "Very low",
 * "almost no" and "remarkably" have no numbers in the draft; the criterion is part of each claim.
 */
import { humanBytes, humanDuration, humanNumber, humanShare } from '../../show/index.ts'
import { interval95, mean } from '../../core/results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  atLeast,
  atMost,
  type Band,
  BELOW_ONE,
  between,
  type Claim,
  claim,
  equalTo,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  nearShare,
} from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Size } from '../core/plan.ts'
import type { Runs, ValueOf } from '../core/runs.ts'
import { barsAt, label, means, tableAt } from '../core/tables.ts'
import { ldcpMeasures } from './measures.ts'
import {
  atsOf,
  BDP_BYTES,
  COALESCED,
  type Control,
  type Family,
  fullShare,
  GRIDS,
  KMAX_BYTES,
  KMIN_BYTES,
  type LdcpAt,
  ldcpPoints,
} from './runs.ts'

/** Share of packets lost that counts as almost none. */
const ALMOST_NONE = between(0, 1e-4)
const FRAME_BYTES = 1086
const BDP_PACKETS = BDP_BYTES / 1024
const DIRECTION = 'the direction; the draft gives no number'
/** Least use of the link with which a short queue counts. */
const LEAST_USE = 0.9

const percent =
  (of: string): ValueOf =>
  (m) =>
    (m[of] ?? NaN) * 100

/**
 * A check under each of some loads: a measure under a control, or with `over` its ratio to that under another, seed by
 * seed. A check that is made once has no load in its name.
 */
type Row = readonly [id: string, check: string, of: ValueOf, at: Control, band: Band, unit: string, over?: Control]
/** "churn 32". */
type Load = { readonly family: Family; readonly flows: number }

const loads = (...families: Family[]): Load[] =>
  families.flatMap((family) => GRIDS.full[family].scales.map((flows) => ({ family, flows })))
const nameOf = ({ family, flows }: Load, check = ''): string => `${family} ${flows}${check === '' ? '' : `, ${check}`}`

function rowClaims(runs: Runs, under: readonly Load[], rows: readonly Row[]): Claim[] {
  return under.flatMap((load) =>
    rows.map(([id, check, of, control, band, unit, over]) => {
      const at = { ...load, control }
      const values = over === undefined ? runs.values(of, at) : runs.ratios(of, at, { ...load, control: over })
      const isOnce = load.family === 'step' || load.family === 'idle'
      return claim(id, values, band, { check: isOnce ? check : nameOf(load, check), unit })
    }),
  )
}

function ldcpClaims(runs: Runs): Claim[] {
  const rows = (family: Family): Claim[] => rowClaims(runs, loads(family), ROWS[family])
  const lost = (id: string, load: Load, of: ValueOf, among: string, check = ''): Claim => {
    const tolerance = `a share of 0.0001 of the packets ${among}`
    return claim(id, runs.mean(of, { ...load, control: 'LDCP' }), ALMOST_NONE, {
      check: nameOf(load, check),
      tolerance,
    })
  }
  return [
    ...loads('long', 'churn').flatMap((load) => queueClaims(runs, load)),
    ...rows('long'),
    ...loads('churn').map((load) => lost('ldcp.fs.stable-seldom-loss', load, fullShare, 'sent')),
    ...loads('incast', 'cluster', 'many').map((load) => lost('ldcp.abs.almost-no-loss', load, fullShare, 'sent')),
    ...loads('many').map((load) =>
      lost('ldcp.abs.almost-no-loss', load, 'lateLossShare', 'to the receiver', 'behind the start'),
    ),
    ...rowClaims(runs, loads('cluster'), PFC_FREE),
    ...rows('idle'),
    ...manyClaims(runs),
    ...rows('step'),
    ...[8, 32].flatMap((flows) => desyncClaims(runs, { family: 'long', flows })),
    ...rows('churn'),
    ...rows('incast'),
    ...rows('cluster'),
    ...loads('clock').map((load) =>
      claim('ldcp.pawa.pacing', runs.mean('gapVariation', { ...load, control: 'LDCP' }), between(0, 0.5), {
        check: nameOf(load),
        tolerance: 'standard deviation of the gaps over their mean, at most 0.5',
      }),
    ),
    ...rows('clock'),
  ]
}

const PFC_FREE: readonly Row[] = [
  ['ldcp.abs.pfc-free', 'pauses', 'pauseFrames', 'LDCP', equalTo(0), ''],
  ['ldcp.abs.pfc-free', "FCT over DCQCN's with PFC", 'meanFctPs', 'LDCP', BELOW_ONE, ' x', 'DCQCN with PFC'],
]

const QUEUE = 'ldcp.fs.without-aqm-large-queue'
const LAST = 'ldcp.unic.last-ecn-capable'
const ROWS: Readonly<Record<Family, readonly Row[]>> = {
  long: [
    ['ldcp.intro.stable-low-queue', 'use', percent('use'), 'LDCP', atLeast(90), ' %'],
    ['ldcp.intro.stable-low-queue', "spread over DCTCP's", 'sdQueueBytes', 'LDCP', BELOW_ONE, ' x', 'DCTCP'],
  ],
  churn: [
    ['ldcp.fs.protects-long', 'share', percent('longShare'), 'LDCP', atLeast(90), ' %'],
    [
      'ldcp.fs.protects-long',
      'over a start that is not dropped',
      'longShare',
      'LDCP',
      ABOVE_ONE,
      ' x',
      'LDCP, capable start',
    ],
  ],
  // Four flows join a long one; both begin from the same start.
  step: (
    [
      ['first fall of the window', 'reactionPs'],
      ['highest queue', 'overshootBytes'],
      ['queue below K_max again', 'settlePs'],
    ] as const
  ).map(([what, of]) => {
    const check = `${what}, DCTCP over LDCP`
    return ['ldcp.pawa.faster-than-dctcp', check, of, 'DCTCP', ABOVE_ONE, ' x', 'LDCP, capable start']
  }),
  incast: [
    [QUEUE, 'highest queue without over with', 'mostQueueBytes', 'LDCP, no early drop', ABOVE_ONE, ' x', 'LDCP'],
    [QUEUE, 'lost to a full buffer', 'fullDrops', 'LDCP, no early drop', ABOVE_ZERO, ' packets'],
    [LAST, 'with', 'timeouts', 'LDCP', equalTo(0), ' timeouts'],
    [LAST, 'without', 'timeouts', 'LDCP, last incapable', atLeast(1), ' timeouts'],
  ],
  many: [],
  cluster: (['DCQCN with PFC', 'TIMELY with PFC'] as const).flatMap((other) =>
    (
      [
        ['goodput over', 'goodputBps', ABOVE_ONE],
        ['large flows, rate over', 'largeBps', ABOVE_ONE],
        ['small flows, slowdown over', 'shortSlowdown', BELOW_ONE],
        ['small flows, 99 % slowdown over', 'shortSlowdownP99', BELOW_ONE],
      ] as const
    ).map(
      ([what, of, band]) => ['ldcp.pcc.outperforms', `${what} ${other}`, of, 'LDCP-PCC', band, ' x', other] as const,
    ),
  ),
  idle: [
    [
      'ldcp.abs.full-speed-start',
      'slowest of five sizes',
      'shortSlowdownMost',
      'LDCP',
      between(0, 1.1),
      ' x its ideal',
    ],
    ['ldcp.abs.full-speed-start', 'slow start over LDCP', 'meanFctPs', 'DCTCP, slow start', ABOVE_ONE, ' x', 'LDCP'],
  ],
  clock: COALESCED.slice(1).map(({ packets, control }) => {
    const check = `an ACK for ${packets} over one for each`
    return ['ldcp.pawa.control-principle', check, 'sdQueueBytes', control, ABOVE_ONE, ' x the spread', 'LDCP']
  }),
}

/** The queue of a link; it is not reproduced if the link is idle, however short the queue. */
function queueClaims(runs: Runs, load: Load): Claim[] {
  const at = { ...load, control: 'LDCP' }
  const used = mean(runs.values('use', at))
  const bounds = [
    ['mean', 'meanQueueBytes', KMIN_BYTES + 5 * FRAME_BYTES, 'K_min and five packets'],
    ['99 %', 'p99QueueBytes', KMAX_BYTES, 'K_max'],
  ] as const
  return bounds.map(([what, of, mostBytes, bound]): Claim => {
    const own = claim('ldcp.abs.low-queue', runs.mean(of, at, 1 / 1000), between(0, mostBytes / 1000), {
      check: nameOf(load, what),
      unit: ' KB',
      tolerance: `${bound}, ours, with ${LEAST_USE * 100} % of the link used or more`,
    })
    if (used >= LEAST_USE) return own
    const idle = `The link is used by ${humanNumber(used * 100)} %: the queue is short because the link is idle.`
    return { ...own, verdict: 'not reproduced', reason: `${own.reason} ${idle}` }
  })
}

/** Windows of long flows against those of ECN-TCP, which the first mark halves. */
function desyncClaims(runs: Runs, load: Load): Claim[] {
  const [ldcp, ecnTcp] = [
    { ...load, control: 'LDCP' },
    { ...load, control: 'ECN-TCP' },
  ]
  const apart = interval95(runs.differences('windowCorrelation', ldcp, ecnTcp))
  return [
    claim('ldcp.pawa.desync', apart, atMost(0), {
      check: nameOf(load, 'correlation less that of ECN-TCP'),
      tolerance: DIRECTION,
    }),
    claim('ldcp.pawa.desync', runs.ratio('windowVariation', ldcp, ecnTcp), BELOW_ONE, {
      check: nameOf(load, 'spread over that of ECN-TCP'),
      unit: ' x',
      tolerance: DIRECTION,
    }),
  ]
}

/** Hundreds and thousands of flows, whose windows are below one packet. */
function manyClaims(runs: Runs): Claim[] {
  const load = { family: 'many', flows: 1000 } as const
  const atLeastOne = { ...load, control: 'LDCP, window of 1 at least' }
  const ratio = runs.ratio('meanQueueBytes', atLeastOne, { ...load, control: 'LDCP' })
  const ofPackets = runs.mean('meanQueueBytes', atLeastOne, 1 / ((1000 - BDP_PACKETS) * FRAME_BYTES))
  const [over, unit] = ['queue with a window of 1 over LDCP', ' x']
  return [
    enduranceClaim(runs, 'LDCP', ABOVE_ZERO),
    enduranceClaim(runs, 'LDCP, gamma 1/16', ABOVE_ZERO),
    enduranceClaim(runs, 'TCP', { low: -Infinity, high: 0, isOpen: true }),
    ...rowClaims(
      runs,
      [1400, 2000].map((flows) => ({ family: 'many', flows })),
      [['ldcp.intro.cw-below-one', 'loss of DCTCP over LDCP', 'lateLossShare', 'DCTCP', ABOVE_ONE, ' x', 'LDCP']],
    ),
    claim('ldcp.sub1.need', ratio, ABOVE_ONE, { check: nameOf(load, over), unit, tolerance: DIRECTION }),
    claim('ldcp.sub1.need', ofPackets, nearShare(1, 0.1), {
      check: nameOf(load, 'queue over packets of all windows less a BDP'),
      unit,
      tolerance: '10 %',
    }),
  ]
}

/** For each seed, the largest number of flows with which at most one packet in 1000 is lost. */
function endured(runs: Runs, control: Control): Map<number, number> {
  const bySeed = new Map<number, number>()
  for (const { at, seed, measures } of runs.where({ family: 'many', control }).outcomes) {
    const most = bySeed.get(seed) ?? 0
    bySeed.set(seed, (measures['lateLossShare'] ?? NaN) <= 1e-3 ? Math.max(most, Number(at['flows'])) : most)
  }
  return bySeed
}

function enduranceClaim(runs: Runs, control: Control, band: Band): Claim {
  const [own, dctcp] = [endured(runs, control), endured(runs, 'DCTCP')]
  const more = [...own].map(([seed, most]) => most - (dctcp.get(seed) ?? NaN))
  return claim('ldcp.intro.cw-below-one', more, band, {
    check: control,
    unit: ' flows more',
    why: `Flows with at most one packet in 1000 lost, of ${GRIDS.full.many.scales.join(', ')}: ${control} supports ${intervalText(interval95(own.values()))}, DCTCP ${intervalText(interval95(dctcp.values()))}.`,
  })
}

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
