/**
 * PFC and RoCE: the cost of disabling PFC for RoCE with go-back-N, with and without congestion control.
 * Readings of what the paper leaves open: all flows count, or only those that have finished when arrivals end; and PFC
 * pauses at the printed threshold, or 4 KB below it.
 * Source: [IRN] 4.2.3 (Figure 3) and 4.2.4 (Figure 6).
 */
import { exactCount, humanShare } from '../../show/index.ts'
import { interval95 } from '../../core/results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { ABOVE_ONE, between, type FindingsFigure, type FindingsTable, meanCountText } from '../core/findings.ts'
import type { Measures, Size } from '../core/plan.ts'
import { rangeClaims } from '../core/range-ends.ts'
import type { Runs } from '../core/runs.ts'
import { label, means, tableAt } from '../core/tables.ts'
import { type Arm, arm, CONTROLS, irnMeasures, METRICS, pointsOfArms } from './arms.ts'
import { controlName, pauseKbOf } from './default-case.ts'
import { bracketOf } from './cells.ts'

/** The small size has no TIMELY, whose ACK per packet doubles the cost of a run, and neither of the other readings. */
const GRIDS = {
  small: { controls: ['none', 'dcqcn'], paused: ['pfc'], ends: ['key'] },
  full: { controls: CONTROLS, paused: ['pfc', 'pfc-early'], ends: ['key', 'stopped'] },
} as const
const END_NAMES = { key: 'all flows', stopped: 'flows finished when arrivals end' }

/** The paper's ranges of the ratio without over with PFC, over the three metrics and the controls. */
const FIGURE_3 = { id: 'irn.fig3.range', low: 1.5, high: 3, band: between(1.5 * 0.75, 3 * 1.25) }
const FIGURE_6 = { id: 'irn.fig6.range', low: 1.35, high: 3.5, band: between(1.35 * 0.75, 3.5 * 1.25) }

const armsOf = (size: Size): Arm[] =>
  GRIDS[size].controls.flatMap((control) =>
    [...GRIDS[size].paused, 'no-pfc' as const].map((pfc) => arm('roce', pfc, control)),
  )

/** Each metric under each control: the ratio without over with PFC in every reading. */
function ratiosOf(runs: Runs, size: Size) {
  const { controls, paused, ends } = GRIDS[size]
  return controls.flatMap((control) =>
    METRICS.map((metric) => ({
      control,
      metric: metric.name,
      range: control === 'none' ? FIGURE_3 : FIGURE_6,
      check: `${controlName(control)}, ${metric.name}`,
      // Runs that are cut short show the direction, not the amount.
      cutShort: size === 'small' ? ABOVE_ONE : undefined,
      readings: ends.flatMap((end) =>
        paused.map((pfc) => {
          const values = runs.ratios(metric[end], arm('roce', 'no-pfc', control), arm('roce', pfc, control))
          return { name: `${pauseKbOf(pfc)} KB, ${END_NAMES[end]}`, measured: interval95(values), values }
        }),
      ),
    })),
  )
}

type Ratio = ReturnType<typeof ratiosOf>[number]

function valueTable(runs: Runs, size: Size): FindingsTable {
  const share = (of: string) => (m: Measures) => m[of]! / m['dataPackets']!
  return tableAt(runs, armsOf(size), {
    title: 'RoCE with and without PFC, all flows',
    columns: [
      label('congestion control', ({ control }) => controlName(control)),
      label('flow control', ({ pfc }) => (pfc === 'no-pfc' ? 'no PFC' : `PFC at ${pauseKbOf(pfc)} KB`)),
      ...METRICS.map(({ name, key, text }) => means<Arm>(name, key, text)),
      means('unfinished', 'unfinishedFlows', meanCountText),
      means('data lost', share('dataDrops'), (value) => humanShare(value)),
      means('retransmitted', share('retransmissions'), (value) => humanShare(value)),
      means('pause frames', 'pauseFrames', (count) => exactCount(Math.round(count))),
    ],
  })
}

function ratioFigure(ratios: readonly Ratio[]): FindingsFigure {
  const groups = ratios.flatMap(({ control, metric, range, readings }) => {
    const { low, high } = bracketOf(readings)
    const ends = readings.length === 1 ? readings[0]!.measured : { low, high }
    const bar = { label: metric, series: controlName(control) }
    // A bar has one mark; the other end of the range is a bar that is not drawn.
    return [
      { ...bar, value: high, ...(Number.isNaN(ends.low) ? {} : { low: ends.low, high: ends.high }), paper: range.low },
      { ...bar, value: NaN, paper: range.high },
    ]
  })
  return {
    name: 'ratio',
    bars: {
      title: 'RoCE without PFC, over RoCE with PFC',
      subtitle: 'above 1: PFC helps; the mark is the highest of several readings, and its line ends at the lowest',
      yLabel: 'ratio',
      yScale: groups.some(({ value }) => value > 10) ? 'log' : 'linear',
      groups,
      paperLabel: 'lowest and highest of the paper',
      showValues: true,
    },
  }
}

const REMARKS = [
  'With PFC there are no ACKs (except for TIMELY) and no timeouts; without it every packet is acknowledged and the timeout is 320 us. ' +
    'A receiver sends one NAK per missing packet, and the retry limit is off. Flows, sizes and destinations of one seed are the same in all its runs.',
  'Pausing at 220 KB of 240 KB, as in the paper, is not lossless: up to 21 packets arrive after the one that crosses ' +
    'the threshold, and 20 KB hold 18. Without a timeout a flow that loses its last packets never finishes, and counts in no average.',
]
const SIZE_REMARKS: Readonly<Record<Size, string>> = {
  small:
    'This size is cut short, and leaves out flows that are unfinished after 40 ms. Most of these are slow flows without PFC and control, ' +
    'so that the ratios are lower than in a complete run. The verdicts cover only the direction.',
  full:
    'Without PFC and control hundreds of flows resend the same packets again and again, because they keep causing losses to each other: ' +
    'with all flows, the ratios reflect the length of this tail more than the network under load, and are too low, since these runs end after 1 s whatever is left. ' +
    'Counting only flows finished when arrivals end leaves out the slowest flows, and more of those without PFC, which lowers the ratios. The paper does not say which flows it counts.',
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
  points: (size, seed) => pointsOfArms(armsOf(size), size === 'full' ? 'irn-default' : 'irn-default-5-ms', seed),
  measure: irnMeasures,
  conclude(runs, size) {
    const ratios = ratiosOf(runs, size)
    return {
      tables: [valueTable(runs, size)],
      figures: [ratioFigure(ratios)],
      claims: [FIGURE_3, FIGURE_6].flatMap((range) =>
        rangeClaims({ ...range, unit: ' x', cells: ratios.filter((each) => each.range === range) }),
      ),
      remarks: [...REMARKS, SIZE_REMARKS[size]],
    }
  },
})
