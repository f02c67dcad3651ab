/**
 * Tables and figures of the default case.
 * Source: [IRN] Figures 1 to 8, 10, 12, Table 3.
 */
import { MS } from '../../base/index.ts'
import { exactCount, humanDuration, humanNumber, humanShare } from '../../report/index.ts'
import type { Interval } from '../../results/index.ts'
import type { Outcome } from '../core/old/plan.ts'
import {
  barOf,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  meanCountText,
  rightColumn,
} from '../core/findings.ts'
import {
  arm,
  type Arm,
  armName,
  CONTROL_NAMES,
  CONTROLS,
  METRICS,
  nameOf,
  ratio,
  TAIL_CURVE,
  TAILS,
  tailKey,
  TRANSPORT_NAMES,
} from './arms.ts'
import { COMPARISONS } from './claims.ts'
import type { Control, Pfc, Transport } from './default-case.ts'
import { DEFAULT_SETTING, printedRows } from './printed.ts'
import {
  bracketOf,
  burstName,
  defaultCell,
  conditionIn,
  IRN,
  IRN_PFC,
  readingName,
  readingsIn,
  readingsOf,
  ROCE_PFC,
  type Side,
} from './readings.ts'
import { overSeeds } from '../core/old/over-seeds.ts'

export function irnTables(outcomes: readonly Outcome[]): FindingsTable[] {
  return [figureTable(outcomes), table3(outcomes), tailTable(outcomes), valueTable(outcomes)]
}

/** Arms that were run, in order. */
function armsIn(outcomes: readonly Outcome[]): string[] {
  return [...new Set(outcomes.map(({ condition }) => condition))]
}

/** Every arm that was run: the three metrics, losses, retransmissions, timeouts, pauses and unfinished flows. */
export function valueTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'All runs',
    columns: [
      { head: 'transport' },
      { head: 'flow control' },
      { head: 'congestion control' },
      ...METRICS.map(({ name }) => rightColumn(name)),
      ...['data lost', 'retransmitted', 'timeouts', 'pause frames', 'unfinished'].map(rightColumn),
    ],
    rows: armsIn(outcomes).map((condition) => {
      const [transport, pfc, control, burst = ''] = condition.split(' | ') as [Transport, Pfc, Control, string?]
      const at = (key: string): number => overSeeds(outcomes, condition, (m) => m[key]!).mean
      return [
        TRANSPORT_NAMES[transport],
        burst === '' ? pfc : `${pfc}, ${burst}`,
        transport.startsWith('iwarp') ? 'its own' : CONTROL_NAMES[control],
        ...METRICS.map(({ key, text: show }) => {
          const { mean, low, high } = overSeeds(outcomes, condition, (m) => m[key]!)
          return Number.isNaN(low) ? show(mean) : `${show(mean)} (${show(low)} to ${show(high)})`
        }),
        humanShare(at('dataDrops') / at('dataPackets')),
        humanShare(at('retransmissions') / at('dataPackets')),
        exactCount(Math.round(at('timeouts'))),
        exactCount(Math.round(at('pauseFrames'))),
        meanCountText(at('unfinishedFlows')),
      ]
    }),
  }
}

function figureTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'Figures 1, 2, 4 and 5: ratios of two sides',
    columns: [
      { head: 'figure' },
      { head: 'sides' },
      { head: 'congestion control' },
      { head: 'reading' },
      ...METRICS.map(({ name }) => rightColumn(name)),
      { head: 'paper', align: 'right' },
    ],
    rows: COMPARISONS.flatMap(({ figure, of, to, controls, low, high }) =>
      controls.flatMap((control) => {
        const cell = defaultCell(control)
        const byMetric = METRICS.map(({ key }) => readingsOf(outcomes, { of, to, at: cell }, (m) => m[key]!))
        return byMetric[0]!.map(({ name }, i) => [
          figure,
          `${sideName(of)} over ${sideName(to)}`,
          CONTROL_NAMES[control],
          name,
          ...byMetric.map((readings) => intervalText(readings[i]!.measured)),
          `${low} to ${high}`,
        ])
      }),
    ),
  }
}

export const sideName = ({ transport, hasPfc }: Side): string =>
  `${TRANSPORT_NAMES[transport]}${hasPfc ? ' + PFC' : ''}`

function table3(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'Table 3 at 70 % load; ratios with PFC from the lowest to the highest reading',
    columns: [
      { head: 'congestion control' },
      { head: 'metric' },
      ...['IRN', 'paper', 'IRN / IRN + PFC', 'paper', 'IRN / RoCE + PFC', 'paper'].map(rightColumn),
    ],
    rows: CONTROLS.flatMap((control) =>
      METRICS.map(({ name, key, text: show }, i) => {
        const [value, toIrn, toRoce] = printedRows(DEFAULT_SETTING, control)[i]!
        const over = (to: Side): string =>
          bracketText(readingsOf(outcomes, { of: IRN, to, at: defaultCell(control) }, (m) => m[key]!))
        return [
          CONTROL_NAMES[control],
          name,
          show(overSeeds(outcomes, armName(arm('irn', 'no PFC', control)), (m) => m[key]!).mean),
          show(value),
          over(IRN_PFC),
          humanNumber(toIrn),
          over(ROCE_PFC),
          humanNumber(toRoce),
        ]
      }),
    ),
  }
}

/** "0.45 to 0.62", from the means of several readings. */
export function bracketText(readings: readonly { readonly measured: Interval }[]): string {
  if (readings.length === 0) return '-'
  const { low, high } = bracketOf(readings)
  return readings.length === 1 ? humanNumber(low) : `${humanNumber(low)} to ${humanNumber(high)}`
}

const TAIL_SIDES = [ROCE_PFC, IRN_PFC, IRN]

function tailTable(outcomes: readonly Outcome[]): FindingsTable {
  const at = (condition: string, share: number): string => {
    const { mean, low, high } = overSeeds(outcomes, condition, (m) => m[tailKey(share)]!)
    return Number.isNaN(low)
      ? humanDuration(mean)
      : `${humanDuration(mean)} (${humanDuration(low)} to ${humanDuration(high)})`
  }
  return {
    title: 'Figure 8: completion times of messages of one packet',
    columns: [
      { head: 'congestion control' },
      { head: 'transport' },
      { head: 'reading' },
      ...TAILS.map((share) => ({ head: `${humanNumber(share * 100)} %`, align: 'right' }) as const),
    ],
    rows: CONTROLS.flatMap((control) =>
      TAIL_SIDES.flatMap((side) =>
        readingsIn(outcomes, [side], defaultCell(control))
          .filter(({ pfc }) => side.hasPfc || pfc === 'PFC')
          .map((reading) => [
            CONTROL_NAMES[control],
            sideName(side),
            side.hasPfc ? readingName(reading, {}) : burstName(reading.burst),
            ...TAILS.map((share) => at(conditionIn(side, reading, defaultCell(control)), share)),
          ]),
      ),
    ),
  }
}

export function irnFigures(outcomes: readonly Outcome[]): FindingsFigure[] {
  return [
    ...CONTROLS.map((control) => valueFigure(outcomes, control)),
    ...CONTROLS.map((control) => tailFigure(outcomes, control)),
    partsFigure(outcomes),
    resilientFigure(outcomes),
    overheadFigure(outcomes),
  ]
}

const slug = (control: Control): string => control.split(' ')[0]!

/** Bars up to the highest reading, with a line down to the lowest. */
function valueFigure(outcomes: readonly Outcome[], control: Control): FindingsFigure {
  const cell = defaultCell(control)
  const figures = control === 'none' ? 'Figures 1 and 2' : 'Figures 4 and 5'
  return {
    name: `values-${slug(control)}`,
    bars: {
      title: `${figures}: IRN and RoCE, ${CONTROL_NAMES[control]}`,
      subtitle: 'lower is better; with PFC the bar is the highest reading, and its line ends at the lowest',
      yLabel: 'slowdown; milliseconds',
      yScale: 'log',
      showValues: true,
      groups: METRICS.flatMap(({ name, key }, i) =>
        [IRN, IRN_PFC, ROCE_PFC].map((side) => {
          const scale = i === 0 ? 1 : 1 / MS
          const [irn, overIrnPfc, overRocePfc] = printedRows(DEFAULT_SETTING, control)[i]!
          const paper = (irn / (side === IRN ? 1 : side === IRN_PFC ? overIrnPfc : overRocePfc)) * scale
          const means = readingsIn(outcomes, [side], cell).map(
            (reading) => overSeeds(outcomes, conditionIn(side, reading, cell), (m) => m[key]! * scale).mean,
          )
          const [low, high] = [Math.min(...means), Math.max(...means)]
          return { label: name, series: sideName(side), value: high, low, high, paper }
        }),
      ),
    },
  }
}

/** The tail distribution: the share of messages that take longer, down to one in two thousand. */
function tailFigure(outcomes: readonly Outcome[], control: Control): FindingsFigure {
  const cell = defaultCell(control)
  return {
    name: `tail-${slug(control)}`,
    lines: {
      title: `Figure 8: messages of one packet, ${CONTROL_NAMES[control]}`,
      subtitle: 'share that takes longer; bursts of one packet, PFC at both thresholds; means over seeds',
      xLabel: 'completion time, us',
      xScale: 'log',
      yLabel: 'share of messages',
      yScale: 'log',
      lines: TAIL_SIDES.flatMap((side) =>
        readingsIn(outcomes, [side], cell)
          .filter(({ burst, pfc }) => burst === 1 && (side.hasPfc || pfc === 'PFC'))
          .map((reading) => ({
            series: side.hasPfc ? `${sideName(side)} at ${reading.pfc === 'PFC' ? 220 : 216} KB` : sideName(side),
            points: TAIL_CURVE.map((share) => ({
              x: overSeeds(outcomes, conditionIn(side, reading, cell), (m) => m[tailKey(share)]! / 1e6).mean,
              y: 1 - share,
            })),
          })),
      ),
    },
  }
}

function partsFigure(outcomes: readonly Outcome[]): FindingsFigure {
  return {
    name: 'factors',
    bars: {
      title: 'Figure 7: IRN without one of its parts',
      subtitle: 'lower is better; means over seeds with 95 % intervals',
      yLabel: 'average FCT, ms',
      showValues: true,
      groups: CONTROLS.flatMap((control) =>
        (['irn', 'irn without bdp-fc', 'irn with go-back-n'] as const).map((transport) => ({
          label: CONTROL_NAMES[control],
          series: TRANSPORT_NAMES[transport],
          ...barOf(overSeeds(outcomes, armName(arm(transport, 'no PFC', control)), (m) => m['meanFctPs']! / MS)),
        })),
      ),
    },
  }
}

function resilientFigure(outcomes: readonly Outcome[]): FindingsFigure {
  return {
    name: 'resilient',
    bars: {
      title: 'Figure 10: IRN without control and RoCE under DCQCN (Resilient RoCE), both without PFC',
      subtitle: 'lower is better; means over seeds with 95 % intervals',
      yLabel: 'slowdown; milliseconds',
      yScale: 'log',
      showValues: true,
      groups: METRICS.flatMap(({ name, key }, i) =>
        [arm('irn', 'no PFC', 'none'), arm('roce', 'no PFC', 'dcqcn')].map((each) => ({
          label: name,
          series: nameOf(each),
          ...barOf(overSeeds(outcomes, armName(each), (m) => m[key]! / (i === 0 ? 1 : MS))),
        })),
      ),
    },
  }
}

function overheadFigure(outcomes: readonly Outcome[]): FindingsFigure {
  const roce = (control: Control): Arm => arm('roce', 'PFC', control)
  return {
    name: 'overheads',
    bars: {
      title: 'Figure 12: IRN with its overheads at their worst',
      subtitle:
        'average completion time over that of RoCE with PFC at 220 KB; overheads: 2 us to fetch a retransmission, 16 bytes in ' +
        'each packet; lower is better; means over seeds with 95 % intervals',
      yLabel: 'average FCT over that of RoCE + PFC',
      showValues: true,
      groups: CONTROLS.flatMap((control) =>
        [roce(control), arm('irn with overheads', 'no PFC', control), arm('irn', 'no PFC', control)].map((each) => ({
          label: CONTROL_NAMES[control],
          series: `${TRANSPORT_NAMES[each.transport]}${each.pfc === 'PFC' ? ' + PFC' : ''}`,
          ...barOf(ratio(outcomes, each, roce(control), 'meanFctPs')),
        })),
      ),
    },
  }
}
