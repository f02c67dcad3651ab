/**
 * Incast with IRN over slower and faster links, and with several connections from each sender.
 * Source: [IRN] section 4.4.3, one sentence without a figure. The cap, the buffers and the thresholds of PFC and marking
 * scale with the rate as in bandwidth.ts; the paper does not give the number of connections.
 */
import type { Scenario } from '../../../scenario/index.ts'
import { defineExperiment } from '../../core/old/plan.ts'
import type { Measures, Outcome, Point, Size } from '../../core/old/plan.ts'
import { barOf, type Claim, claimOf, type Findings, intervalText, rightColumn } from '../../core/findings.ts'
import { CONTROL_NAMES } from '../arms.ts'
import { fabricAt } from '../settings/bandwidth.ts'
import type { Control } from '../default-case.ts'
import {
  completedText,
  dataLossText,
  IRN,
  IRN_PFC,
  percentsOver,
  REQUEST_CONTROLS,
  requestMeasures,
  requestScenario,
  ROCE,
  SIDE_HEADS,
  SIDES,
} from './request.ts'
import { overSeeds } from '../../core/old/over-seeds.ts'
import { humanDuration } from '../../../report/index.ts'
import { type Interval, interval95, type Result } from '../../../results/index.ts'

const SENDERS = 30
const TOTAL: Readonly<Record<Size, string>> = { small: '6MB', full: '150MB' }
const DEFAULT_GBPS = 40

interface Variant {
  readonly name: string
  readonly gbps: number
  readonly connections: number
}

const VARIANTS: readonly Variant[] = [
  ...[10, 100].map((gbps) => ({ name: `${gbps} Gb/s`, gbps, connections: 1 })),
  ...[1, 2, 4, 8].map((connections) => ({ name: `${connections} a sender`, gbps: DEFAULT_GBPS, connections })),
]

type Side = (typeof SIDES)[number]

const conditionOf = ({ name }: Variant, { transport, pfc }: Side, control: Control): string =>
  `${name} | ${transport} | ${pfc} | ${control}`

function scenarioOf(variant: Variant, arm: Side & { readonly control: Control }, size: Size, seed: number): Scenario {
  const { gbps, connections } = variant
  return requestScenario({
    condition: conditionOf(variant, arm, arm.control),
    fabric: arm,
    seed,
    workload: [`{kind: incast, senders: ${SENDERS}, connections: ${connections}, receiver: 0, total: ${TOTAL[size]}}`],
    sets: gbps === DEFAULT_GBPS ? [] : fabricAt(gbps, arm),
  })
}

function points(size: Size, seed: number): Point[] {
  return VARIANTS.flatMap((variant) =>
    REQUEST_CONTROLS.flatMap((control) =>
      SIDES.map((side): Point => ({
        condition: conditionOf(variant, side, control),
        seed,
        scenario: scenarioOf(variant, { ...side, control }, size, seed),
      })),
    ),
  )
}

function measure(result: Result, { condition }: Point): Measures {
  const measures = requestMeasures(result)
  const { gbps } = VARIANTS.find(({ name }) => condition.startsWith(`${name} |`))!
  return { ...measures, idealPs: (measures['idealPs']! * DEFAULT_GBPS) / gbps }
}

/** Interval of the percentage by which IRN takes longer than another side, from ratios per seed. */
function longer(outcomes: readonly Outcome[], variant: Variant, to: Side, control: Control): Interval {
  const conditions = { of: conditionOf(variant, IRN, control), to: conditionOf(variant, to, control) }
  return interval95(percentsOver(outcomes, conditions, 'requestPs'))
}

const each = (): { readonly variant: Variant; readonly control: Control }[] =>
  REQUEST_CONTROLS.flatMap((control) => VARIANTS.map((variant) => ({ variant, control })))

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const timeText = (condition: string): string =>
    humanDuration(overSeeds(outcomes, condition, (m) => m['requestPs']!).mean)
  return {
    tables: [
      {
        title: 'Request completion time',
        columns: [
          { head: 'congestion control' },
          { head: 'links or connections' },
          ...[...SIDE_HEADS, 'IRN over RoCE + PFC', 'IRN over IRN + PFC', 'data lost by IRN'].map(rightColumn),
        ],
        rows: each().map(({ variant, control }) => [
          CONTROL_NAMES[control],
          variant.name,
          ...SIDES.map((side) => timeText(conditionOf(variant, side, control))),
          intervalText(longer(outcomes, variant, ROCE, control), ' %'),
          intervalText(longer(outcomes, variant, IRN_PFC, control), ' %'),
          dataLossText(outcomes, conditionOf(variant, IRN, control)),
        ]),
      },
    ],
    figures: [
      {
        name: 'increase',
        bars: {
          title: `Incast from ${SENDERS} senders: how much longer IRN takes than RoCE with PFC`,
          subtitle: `${TOTAL[size]}; means over seeds with 95 % intervals; below 0: IRN is faster`,
          yLabel: '%',
          groups: each().map(({ variant, control }) => ({
            label: variant.name,
            series: CONTROL_NAMES[control],
            ...barOf(longer(outcomes, variant, ROCE, control)),
          })),
        },
      },
    ],
    claims: each().map(({ variant, control }) => claimOfVariant(outcomes, variant, control, size)),
    remarks: remarks(outcomes, size),
  }
}

function claimOfVariant(outcomes: readonly Outcome[], variant: Variant, control: Control, size: Size): Claim {
  return claimOf({
    id: `irn.443.variants-9pct [${variant.name}, ${CONTROL_NAMES[control]}]`,
    statement: 'Without PFC IRN takes longer than RoCE with it by',
    paper: 'at most 9 %',
    measured: longer(outcomes, variant, ROCE, control),
    unit: ' %',
    band: { low: -Infinity, high: 11 },
    tolerance: 'upper bound',
    cutShort: size === 'small' ? null : undefined,
  })
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  return [
    `One connection per sender at ${DEFAULT_GBPS} Gb/s is the incast of Figure 9. Buffers (twice the BDP of the network), PFC's threshold (a link's BDP less), the cap (the BDP) and the marking thresholds scale with the rate. Each connection has its own cap, so that more connections have more data in flight, and a longer first burst.`,
    `Each repetition has other senders, which are the same in all runs of a seed. ${completedText(outcomes, points(size, 1), '; their requests count nowhere')}`,
    ...(size === 'small' ? ['This size sends 6 MB instead of 150 MB: nothing is judged.'] : []),
  ]
}

export const irnIncastVariants = defineExperiment({
  name: 'irn-incast-variants',
  title: 'Incast with IRN over other links, and with more connections',
  source: '[IRN] section 4.4.3',
  help:
    '150 MB, striped over 30 senders, go to one host at the same time over links of 10 and 100 Gb/s, and over 1, 2, 4 and 8 connections from ' +
    'each sender at 40 Gb/s: how much longer does that take without PFC?',
  sizes: { small: '6 MB', full: '150 MB' },
  points,
  measure,
  conclude,
})
