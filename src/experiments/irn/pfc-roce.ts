/**
 * PFC and RoCE: the cost of disabling PFC for RoCE with go-back-N, with and without congestion control.
 * Readings of what the paper leaves open: all flows count, or only those that have finished when arrivals end; and PFC
 * pauses at the printed threshold, or 4 KB below it.
 * Source: [IRN] 4.2.3 (Figure 3) and 4.2.4 (Figure 6).
 */
import { exactCount, humanDuration, humanNumber, humanShare } from '../../report/index.ts'
import { interval95 } from '../../results/index.ts'
import { defineExperiment } from '../core/old/plan.ts'
import type { Outcome, Point, Size } from '../core/old/plan.ts'
import {
  ABOVE_ONE,
  bracketClaim,
  type Claim,
  type Findings,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  meanCountText,
  type Reading,
  rightColumn,
} from '../core/findings.ts'
import { arm, armName, CONTROL_NAMES, CONTROLS, irnMeasures, pointsOfArms } from './arms.ts'
import type { Control, Pfc, Traffic } from './default-case.ts'
import { DEFAULT_SETTING, printedRows } from './printed.ts'
import { DEFAULT_PAUSE_KB } from './readings.ts'
import { endClaims } from '../core/range-ends.ts'
import { overSeeds, ratiosOf, sumOver } from '../core/old/over-seeds.ts'

const TRAFFIC: Readonly<Record<Size, Traffic>> = { small: 'irn-default, 5 ms', full: 'irn-default' }
const PFC: Readonly<Record<Size, readonly Pfc[]>> = { small: ['PFC', 'no PFC'], full: ['PFC', 'PFC early', 'no PFC'] }
/** The small size has no TIMELY, whose ACK per packet doubles the cost of a run. */
const CONTROLS_OF: Readonly<Record<Size, readonly Control[]>> = { small: ['none', 'dcqcn'], full: CONTROLS }

/** The three metrics of section 4.1, over all flows and over those finished when arrivals end. */
const METRICS = [
  { name: 'average slowdown', drained: 'meanSlowdown', stopped: 'stoppedMeanSlowdown', text: humanNumber },
  { name: 'average FCT', drained: 'meanFctPs', stopped: 'stoppedMeanFctPs', text: humanDuration },
  { name: '99% FCT', drained: 'p99FctPs', stopped: 'stoppedP99FctPs', text: humanDuration },
] as const
const ENDS = ['drained', 'stopped'] as const
type End = (typeof ENDS)[number]

/** The paper's ratios without over with PFC, over the three metrics. */
const PAPER = {
  none: { figure: 'Figure 3', id: 'irn.fig3.range', low: 1.5, high: 3 },
  control: { figure: 'Figure 6', id: 'irn.fig6.range', low: 1.35, high: 3.5 },
} as const
const paperOf = (control: Control) => PAPER[control === 'none' ? 'none' : 'control']
const TOLERANCE = 0.25

const conditionOf = (control: Control, pfc: Pfc): string => armName(arm('roce', pfc, control))
/** Ways to count flows; the small size has one. */
const endsOf = (size: Size): readonly End[] => (size === 'full' ? ENDS : ['drained'])

function points(size: Size, seed: number): Point[] {
  const arms = CONTROLS_OF[size].flatMap((control) => PFC[size].map((pfc) => arm('roce', pfc, control)))
  return pointsOfArms(arms, TRAFFIC[size], seed)
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  return {
    tables: [ratioTable(outcomes, size), ...endsOf(size).map((end) => valueTable(outcomes, size, end))],
    figures: [ratioFigure(outcomes, size)],
    claims: claims(outcomes, size),
    remarks: remarks(outcomes, size),
  }
}

const pfcName = (pfc: Pfc): string => (pfc === 'no PFC' ? pfc : `PFC at ${DEFAULT_PAUSE_KB[pfc]} KB`)

function valueTable(outcomes: readonly Outcome[], size: Size, end: End): FindingsTable {
  return {
    title: `RoCE with and without PFC, ${END_NAMES[end]}`,
    columns: [
      { head: 'congestion control' },
      { head: 'flow control' },
      ...METRICS.map(({ name }) => rightColumn(name)),
      ...(end === 'stopped' ? ['flows counted'] : ['unfinished', 'data lost', 'retransmitted', 'pause frames']).map(
        rightColumn,
      ),
    ],
    rows: CONTROLS_OF[size].flatMap((control) => [
      ...PFC[size].map((pfc) => {
        const condition = conditionOf(control, pfc)
        const at = (key: string): number => overSeeds(outcomes, condition, (m) => m[key]!).mean
        return [
          CONTROL_NAMES[control],
          pfcName(pfc),
          ...METRICS.map(({ [end]: key, text }) => {
            const { mean, low, high } = overSeeds(outcomes, condition, (m) => m[key]!)
            return Number.isNaN(low) ? text(mean) : `${text(mean)} (${text(low)} to ${text(high)})`
          }),
          ...(end === 'stopped'
            ? [humanShare(at('stoppedFlows') / at('measuredFlows'))]
            : [
                meanCountText(at('unfinishedFlows')),
                humanShare(at('dataDrops') / at('dataPackets')),
                humanShare(at('retransmissions') / at('dataPackets')),
                exactCount(Math.round(at('pauseFrames'))),
              ]),
        ]
      }),
      paperRow(control, end),
    ]),
  }
}

const END_NAMES: Readonly<Record<End, string>> = { drained: 'all flows', stopped: 'flows finished when arrivals end' }

/** RoCE with PFC in Table 3: IRN's value divided by its ratio to RoCE. */
function paperRow(control: Control, end: End): string[] {
  const values = printedRows(DEFAULT_SETTING, control).map(([irn, , overRocePfc], i) =>
    METRICS[i]!.text(irn / overRocePfc),
  )
  return [CONTROL_NAMES[control], 'PFC, paper', ...values, ...(end === 'stopped' ? [''] : ['', '', '', ''])]
}

/** RoCE without PFC over RoCE with PFC, in every reading. */
function readings(
  outcomes: readonly Outcome[],
  size: Size,
  control: Control,
  metric: (typeof METRICS)[number],
): Reading[] {
  return endsOf(size).flatMap((end) =>
    PFC[size].flatMap((pfc): Reading[] => {
      if (pfc === 'no PFC') return []
      const conditions = { of: conditionOf(control, 'no PFC'), to: conditionOf(control, pfc) }
      const values = ratiosOf(outcomes, conditions, (m) => m[metric[end]]!)
      return [{ name: `${DEFAULT_PAUSE_KB[pfc]} KB, ${END_NAMES[end]}`, measured: interval95(values), values }]
    }),
  )
}

function ratioTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  return {
    title: 'Ratios without over with PFC',
    columns: [
      { head: 'congestion control' },
      { head: 'metric' },
      { head: 'PFC pauses at; flows' },
      { head: 'without / with PFC', align: 'right' },
      { head: 'paper', align: 'right' },
    ],
    rows: CONTROLS_OF[size].flatMap((control) =>
      METRICS.flatMap((metric) =>
        readings(outcomes, size, control, metric).map(({ name, measured }) => [
          CONTROL_NAMES[control],
          metric.name,
          name,
          intervalText(measured),
          `${paperOf(control).low} to ${paperOf(control).high}`,
        ]),
      ),
    ),
  }
}

function ratioFigure(outcomes: readonly Outcome[], size: Size): FindingsFigure {
  const groups = METRICS.flatMap((metric) =>
    CONTROLS_OF[size].flatMap((control) => {
      const all = readings(outcomes, size, control, metric)
      const means = all.map(({ measured }) => measured.mean)
      const bar = { label: metric.name, series: CONTROL_NAMES[control] }
      const ends = all.length === 1 ? all[0]!.measured : { low: Math.min(...means), high: Math.max(...means) }
      const { low, high } = paperOf(control)
      // A bar has one mark; the other end of the range is a bar that is not drawn.
      return [
        {
          ...bar,
          value: Math.max(...means),
          ...(Number.isNaN(ends.low) ? {} : { low: ends.low, high: ends.high }),
          paper: low,
        },
        { ...bar, value: NaN, paper: high },
      ]
    }),
  )
  return {
    name: 'ratio',
    bars: {
      title: 'RoCE without PFC, over RoCE with PFC',
      subtitle:
        size === 'small'
          ? 'above 1: PFC helps; means over seeds, with 95 % intervals where there are several'
          : 'above 1: PFC helps; the bar is the highest of four readings, and its line ends at the lowest',
      yLabel: 'ratio',
      yScale: groups.some(({ value }) => value > 10) ? 'log' : 'linear',
      groups,
      paperLabel: 'lowest and highest of the paper',
      showValues: true,
    },
  }
}

function claims(outcomes: readonly Outcome[], size: Size): Claim[] {
  return [...metricClaims(outcomes, size), ...(size === 'full' ? rangeClaims(outcomes) : [])]
}

const bandOf = ({ low, high }: (typeof PAPER)['none' | 'control']) => ({
  low: low * (1 - TOLERANCE),
  high: high * (1 + TOLERANCE),
})
const RANGE_TOLERANCE = "the paper's range, 25 % wider at its ends"

/** The paper does not print the value of each metric: the least and the most of them have to be near its range's ends. */
function rangeClaims(outcomes: readonly Outcome[]): Claim[] {
  return Object.values(PAPER).flatMap((paper) =>
    endClaims({
      ...paper,
      statement: `${paper.figure}: without PFC the three metrics of RoCE are worse by`,
      paper: `${paper.low} to ${paper.high} x over three metrics`,
      band: bandOf(paper),
      tolerance: RANGE_TOLERANCE,
      unit: ' x',
      of: CONTROLS_OF.full
        .filter((control) => paperOf(control) === paper)
        .flatMap((control) => METRICS.map((metric) => readings(outcomes, 'full', control, metric))),
    }),
  )
}

function metricClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  return CONTROLS_OF[size].flatMap((control) => {
    const { figure, id, low, high } = paperOf(control)
    return METRICS.map((metric) =>
      bracketClaim({
        id: `${id} [${CONTROL_NAMES[control]}, ${metric.name}]`,
        statement: `${figure}: without PFC the ${metric.name} of RoCE with ${CONTROL_NAMES[control]} is worse by`,
        paper: `${low} to ${high} x over three metrics`,
        readings: readings(outcomes, size, control, metric),
        paperValues: [low, high],
        unit: ' x',
        band: bandOf(paperOf(control)),
        tolerance: RANGE_TOLERANCE,
        // Runs that are cut short show the direction, not the amount.
        cutShort: size === 'small' ? ABOVE_ONE : undefined,
      }),
    )
  })
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const of = (control: Control, pfc: Pfc, key: string): number =>
    sumOver(outcomes, conditionOf(control, pfc), (m) => m[key]!)
  const lost = (control: Control): string => {
    const share = humanShare(of(control, 'PFC', 'dataDrops') / of(control, 'PFC', 'dataPackets'))
    const flows = of(control, 'PFC', 'unfinishedFlows')
    return `${share} of the data packets with ${CONTROL_NAMES[control]} (${flows === 0 ? 'every flow finishes' : `${exactCount(flows)} ${flows === 1 ? 'flow does' : 'flows do'} not finish`})`
  }
  const common = [
    'With PFC there are no ACKs (except for TIMELY) and no timeouts; without it every packet is acknowledged and the timeout is 320 us, as in the paper. ' +
      'A receiver sends one NAK per missing packet, and the retry limit is off. Flows, sizes and destinations of one seed are the same in all its runs, ' +
      'and ratios are taken seed by seed. "PFC, paper" is computed from Table 3: the value of IRN divided by its ratio to RoCE with PFC.',
    'Pausing at 220 KB of 240 KB, as in the paper, is not lossless: up to 21 packets arrive after the one that crosses ' +
      `the threshold, and 20 KB hold 18. The losses are ${CONTROLS_OF[size].map(lost).join(', and ')}. The sender of a flow that loses its last packets never detects it, since there is no timeout, and the flow counts in no average.`,
  ]
  if (size === 'small') {
    return [
      ...common,
      'This size is cut short: 5 ms of arrivals, and flows unfinished after 40 ms are left out. Most of these are slow flows without PFC and control, ' +
        'so that the ratios depend on where the run is cut and are lower than in a complete run. The verdicts cover only the direction.',
    ]
  }
  return [
    ...common,
    `At 216 KB ${humanNumber(CONTROLS.reduce((total, control) => total + of(control, 'PFC early', 'drops'), 0))} packets are lost in all runs together.`,
    'Without PFC and control hundreds of flows resend the same packets again and again, because they keep causing losses to each other, and the last one needs seconds to finish: ' +
      `with all flows, the ratios reflect the length of this tail more than the network under load. These runs end after 1 s whatever is left (${exactCount(of('none', 'no PFC', 'unfinishedFlows'))} flows in all), so that their ratios are too low rather than too high. ` +
      'Counting only flows finished when arrivals end leaves out the slowest flows of both sides, and more of those without PFC, which lowers the ratios. The paper does not say which flows it counts.',
  ]
}

export const pfcRoce = defineExperiment({
  name: 'pfc-roce',
  title: 'RoCE needs PFC: the cost of disabling it',
  source: '[IRN] sections 4.2.3 and 4.2.4, Figures 3 and 6',
  help:
    'RoCE recovers losses with go-back-N. In the default case of the IRN paper (54 hosts in a fat tree, 40 Gb/s, 70 % load of heavy-tailed ' +
    'flows) it runs on a network with PFC and on one that drops packets, with and without congestion control. The paper finds that ' +
    'without PFC all three metrics are 1.5 to 3 times as high, and 1.35 to 3.5 times with congestion control.',
  sizes: {
    small: 'the default case cut short: 5 ms of arrivals, stopped after 40 ms; without control and with DCQCN',
    full: 'some 52,000 flows in 75 ms, run to their end, and counted when arrivals end too',
  },
  points,
  measure: irnMeasures,
  conclude,
})
