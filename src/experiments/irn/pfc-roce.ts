/**
 * PFC and RoCE: the cost of disabling PFC for RoCE with go-back-N, with and without congestion control.
 * Readings of what the paper leaves open: all flows count, or only those that have finished when arrivals end; and PFC
 * pauses at the printed threshold, or 4 KB below it.
 * Source: [IRN] 4.2.3 (Figure 3) and 4.2.4 (Figure 6).
 */
import { exactCount, humanShare } from '../../report/index.ts'
import { interval95 } from '../../results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  ABOVE_ONE,
  between,
  bracketClaim,
  type Claim,
  type FindingsFigure,
  type FindingsTable,
  meanCountText,
} from '../core/findings.ts'
import type { Size } from '../core/plan.ts'
import { endClaims } from '../core/range-ends.ts'
import type { Runs } from '../core/runs.ts'
import { label, means, tableAt } from '../core/tables.ts'
import { type Arm, arm, CONTROLS, irnMeasures, METRICS, pointsOfArms } from './arms.ts'
import { controlName, type Control, type Pfc, pauseKbOf } from './default-case.ts'
import { bracketOf } from './readings.ts'

/** The small size has no TIMELY, whose ACK per packet doubles the cost of a run, and neither of the other readings. */
const GRIDS = {
  small: { controls: ['none', 'dcqcn'], paused: ['pfc'], ends: ['key'] },
  full: { controls: CONTROLS, paused: ['pfc', 'pfc-early'], ends: ['key', 'stopped'] },
} as const satisfies Record<Size, { controls: readonly Control[]; paused: readonly Pfc[]; ends: readonly string[] }>
const END_NAMES = { key: 'all flows', stopped: 'flows finished when arrivals end' }

/** The paper's ranges of the ratio without over with PFC, over the three metrics and the controls. */
const RANGES = {
  none: { id: 'irn.fig3.range', low: 1.5, high: 3, band: between(1.5 * 0.75, 3 * 1.25) },
  control: { id: 'irn.fig6.range', low: 1.35, high: 3.5, band: between(1.35 * 0.75, 3.5 * 1.25) },
}
const TOLERANCE = "the paper's range, 25 % wider at its ends"

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
      range: RANGES[control === 'none' ? 'none' : 'control'],
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
  const shareOf =
    (key: string) =>
    (m: Readonly<Record<string, number>>): number =>
      m[key]! / m['dataPackets']!
  return tableAt(runs, armsOf(size), {
    title: 'RoCE with and without PFC, all flows',
    columns: [
      label('congestion control', ({ control }) => controlName(control)),
      label('flow control', ({ pfc }) => (pfc === 'no-pfc' ? 'no PFC' : `PFC at ${pauseKbOf(pfc)} KB`)),
      ...METRICS.map(({ name, key, text }) => means<Arm>(name, key, text)),
      means('unfinished', 'unfinishedFlows', meanCountText),
      means('data lost', shareOf('dataDrops'), (share) => humanShare(share)),
      means('retransmitted', shareOf('retransmissions'), (share) => humanShare(share)),
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
      subtitle: 'above 1: PFC helps; the bar is the highest of several readings, and its line ends at the lowest',
      yLabel: 'ratio',
      yScale: groups.some(({ value }) => value > 10) ? 'log' : 'linear',
      groups,
      paperLabel: 'lowest and highest of the paper',
      showValues: true,
    },
  }
}

/** The paper does not print the value of each metric: the least and the most of them have to be near its range's ends. */
function claims(ratios: readonly Ratio[], size: Size): Claim[] {
  const common = { unit: ' x', tolerance: TOLERANCE }
  const metrics = ratios.map(({ control, metric, range: { id, low, high, band }, readings }) =>
    bracketClaim({
      ...common,
      id,
      check: `${controlName(control)}, ${metric}`,
      readings,
      paperValues: [low, high],
      band,
      // Runs that are cut short show the direction, not the amount.
      cutShort: size === 'small' ? ABOVE_ONE : undefined,
    }),
  )
  const ends = Object.values(RANGES).flatMap((range) =>
    endClaims({ ...common, ...range, of: ratios.flatMap((each) => (each.range === range ? [each.readings] : [])) }),
  )
  return [...metrics, ...(size === 'full' ? ends : [])]
}

function remarks(runs: Runs, size: Size): string[] {
  const of = (control: Control, pfc: Pfc, key: string): number => runs.sum(key, arm('roce', pfc, control))
  const lost = (control: Control): string => {
    const share = humanShare(of(control, 'pfc', 'dataDrops') / of(control, 'pfc', 'dataPackets'))
    return `${share} of the data packets with ${controlName(control)}`
  }
  const common = [
    'With PFC there are no ACKs (except for TIMELY) and no timeouts; without it every packet is acknowledged and the timeout is 320 us. ' +
      'A receiver sends one NAK per missing packet, and the retry limit is off. Flows, sizes and destinations of one seed are the same in all its runs.',
    'Pausing at 220 KB of 240 KB, as in the paper, is not lossless: up to 21 packets arrive after the one that crosses ' +
      `the threshold, and 20 KB hold 18. The losses are ${GRIDS[size].controls.map(lost).join(', and ')}. Without a timeout a flow that loses its last packets never finishes, and counts in no average.`,
  ]
  if (size === 'small') {
    return [
      ...common,
      'This size is cut short: 5 ms of arrivals, and flows unfinished after 40 ms are left out. Most of these are slow flows without PFC and control, ' +
        'so that the ratios are lower than in a complete run. The verdicts cover only the direction.',
    ]
  }
  return [
    ...common,
    'Without PFC and control hundreds of flows resend the same packets again and again, because they keep causing losses to each other: ' +
      `with all flows, the ratios reflect the length of this tail more than the network under load, and are too low, since these runs end after 1 s whatever is left (${exactCount(of('none', 'no-pfc', 'unfinishedFlows'))} flows in all). ` +
      'Counting only flows finished when arrivals end leaves out the slowest flows, and more of those without PFC, which lowers the ratios. The paper does not say which flows it counts.',
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
  points: (size, seed) => pointsOfArms(armsOf(size), size === 'full' ? 'irn-default' : 'irn-default-5-ms', seed),
  measure: irnMeasures,
  conclude(runs, size) {
    const ratios = ratiosOf(runs, size)
    return {
      tables: [valueTable(runs, size)],
      figures: [ratioFigure(ratios)],
      claims: claims(ratios, size),
      remarks: remarks(runs, size),
    }
  },
})
