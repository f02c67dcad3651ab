/**
 * LDCP's ACK clock: how evenly ACKs space the packets of a flow, and how stable the queue is, with an ACK for each packet
 * and for several. Runs: the family `clock` (runs.ts).
 * Source: [LDCP] section 2.2, which claims almost equal spacing, and more stability from more and smaller actions, without
 * numbers.
 */
import type { Line } from '../../report/index.ts'
import type { Measures, Outcome } from '../core/plan.ts'
import { ABOVE_ONE, type Claim, claimOf, type FindingsFigure, seedsClaim } from '../core/findings.ts'
import type { Control } from './controls.ts'
import { conditionOf, GRIDS } from './runs.ts'
import { overSeeds, ratiosOf } from '../core/over-seeds.ts'

const { scales: FLOWS } = GRIDS.full.clock

/** Controls by the number of packets that an ACK may cover. */
const COALESCED: readonly { readonly packets: number; readonly control: Control }[] = [
  { packets: 1, control: 'LDCP' },
  { packets: 2, control: 'LDCP, an ACK for 2' },
  { packets: 4, control: 'LDCP, an ACK for 4' },
  { packets: 8, control: 'LDCP, an ACK for 8' },
  { packets: 16, control: 'LDCP, an ACK for 16' },
]

type ValueOf = (measures: Measures) => number
const spreadBytes: ValueOf = (m) => m['sdQueueBytes'] ?? NaN
const gapVariation: ValueOf = (m) => m['gapVariation'] ?? NaN

export function clockClaims(outcomes: readonly Outcome[]): Claim[] {
  return [
    ...FLOWS.map((flows) =>
      claimOf({
        id: `ldcp.pawa.pacing [clock ${flows}]`,
        statement: 'An ACK for each packet spaces the packets of a flow almost equally behind the bottleneck',
        paper: 'almost equispaced',
        measured: overSeeds(outcomes, conditionOf('clock', flows, 'LDCP'), gapVariation),
        band: { low: 0, high: 0.5 },
        tolerance: 'standard deviation of the gaps over their mean, at most 0.5',
      }),
    ),
    ...FLOWS.flatMap((flows) =>
      COALESCED.slice(1).map(({ packets, control }) =>
        seedsClaim({
          id: `ldcp.pawa.control-principle [clock ${flows}, an ACK for ${packets} over one for each]`,
          statement: 'Fewer actions with larger steps, due to ACKs for several packets, make the queue less stable',
          paper: 'less steady',
          values: ratiosOf(
            outcomes,
            { of: conditionOf('clock', flows, control), to: conditionOf('clock', flows, 'LDCP') },
            spreadBytes,
          ),
          unit: ' x the spread',
          band: ABOVE_ONE,
          judge: 'mean',
        }),
      ),
    ),
  ]
}

export function clockFigures(outcomes: readonly Outcome[]): FindingsFigure[] {
  const lines = (valueOf: ValueOf): Line[] =>
    FLOWS.map((flows) => ({
      series: `${flows} flows`,
      points: COALESCED.map(({ packets, control }) => {
        const { mean, low, high } = overSeeds(outcomes, conditionOf('clock', flows, control), valueOf)
        return { x: packets, y: mean, ...(Number.isNaN(low) ? {} : { low, high }) }
      }),
    }))
  const axes = { xLabel: 'packets that an ACK may cover', xScale: 'log', fromZero: true } as const
  return [
    {
      name: 'clock-queue',
      lines: {
        ...axes,
        title: 'Queue of the bottleneck, by packets that an ACK may cover',
        subtitle: 'standard deviation, long flows under LDCP; means over seeds with 95 % bands',
        yLabel: 'spread of the queue (KB)',
        lines: lines((m) => spreadBytes(m) / 1000),
      },
    },
    {
      name: 'clock-gaps',
      lines: {
        ...axes,
        title: 'Gaps between the packets of a flow, by packets that an ACK may cover',
        subtitle: 'standard deviation over mean, long flows under LDCP; means over seeds with 95 % bands',
        yLabel: 'coefficient of variation',
        lines: lines(gapVariation),
      },
    },
  ]
}
