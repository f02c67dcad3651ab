/**
 * Incast with IRN and with RoCE: time until 150 MB from M senders to one host have arrived.
 * Source: [IRN] section 4.4.3, Figure 9.
 * Deviates: PFC pauses at 216 KB and not at the paper's 220 KB, at which it loses packets; see the remarks.
 */
import type { Scenario } from '../../../scenario/index.ts'
import { defineExperiment } from '../../core/old/plan.ts'
import type { Outcome, Point, Size } from '../../core/old/plan.ts'
import {
  barOf,
  type Claim,
  claimOf,
  seedsClaim,
  type Findings,
  intervalText,
  rightColumn,
} from '../../core/findings.ts'
import { CONTROL_NAMES } from '../arms.ts'
import type { Control } from '../default-case.ts'
import {
  completedText,
  REQUEST_CONTROLS,
  dataLossText,
  durationText,
  IRN,
  IRN_PFC,
  percentMore,
  percentsMore,
  type RequestArm,
  requestMeasures,
  requestName,
  requestScenario,
  ROCE,
  SIDE_HEADS,
  SIDES,
} from './request.ts'

const SENDERS: Readonly<Record<Size, readonly number[]>> = { small: [10, 30], full: [10, 20, 30, 40, 50] }
const TOTAL: Readonly<Record<Size, string>> = { small: '6MB', full: '150MB' }

function incastOf(arm: RequestArm, size: Size, seed: number): Scenario {
  return requestScenario({
    condition: requestName(arm),
    fabric: arm,
    seed,
    workload: [`{kind: incast, senders: ${arm.senders}, receiver: 0, total: ${TOTAL[size]}}`],
  })
}

function points(size: Size, seed: number): Point[] {
  return SENDERS[size].flatMap((senders) =>
    REQUEST_CONTROLS.flatMap((control) =>
      SIDES.map((side): Point => {
        const arm = { senders, control, ...side }
        return { condition: requestName(arm), seed, scenario: incastOf(arm, size, seed) }
      }),
    ),
  )
}

const each = (size: Size): { senders: number; control: Control }[] =>
  REQUEST_CONTROLS.flatMap((control) => SENDERS[size].map((senders) => ({ senders, control })))

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  return {
    tables: [
      {
        title: 'Request completion time',
        columns: [
          { head: 'congestion control' },
          rightColumn('senders'),
          ...[...SIDE_HEADS, 'IRN over RoCE + PFC', 'IRN over IRN + PFC', 'data lost by IRN'].map(rightColumn),
        ],
        rows: each(size).map((at) => [
          CONTROL_NAMES[at.control],
          `${at.senders}`,
          ...SIDES.map((side) => durationText(outcomes, requestName({ ...at, ...side }), 'requestPs')),
          intervalText(percentMore(outcomes, { ...at, ...IRN }, { ...at, ...ROCE }, 'requestPs'), ' %'),
          intervalText(percentMore(outcomes, { ...at, ...IRN }, { ...at, ...IRN_PFC }, 'requestPs'), ' %'),
          dataLossText(outcomes, requestName({ ...at, ...IRN })),
        ]),
      },
    ],
    figures: [
      {
        name: 'increase',
        bars: {
          title: 'Incast: how much longer IRN takes than RoCE with PFC',
          subtitle: `${TOTAL[size]} from M senders to one; means over seeds with 95 % intervals; below 0: IRN is faster`,
          yLabel: '%',
          limit: { value: 2.5, label: 'paper: at most 2.5 %' },
          groups: each(size).map((at) => ({
            label: `M = ${at.senders}`,
            series: CONTROL_NAMES[at.control],
            ...barOf(percentMore(outcomes, { ...at, ...IRN }, { ...at, ...ROCE }, 'requestPs')),
          })),
          showValues: true,
        },
      },
    ],
    claims: claims(outcomes, size),
    remarks: remarks(outcomes, size),
  }
}

function claims(outcomes: readonly Outcome[], size: Size): Claim[] {
  // A short response consists of its first burst, which loses more packets: the bounds do not apply to it.
  const cutShort = size === 'small' ? null : undefined
  return each(size).flatMap((at) => {
    const where = `[${CONTROL_NAMES[at.control]}, M = ${at.senders}]`
    return [
      claimOf({
        id: `irn.fig9.incast-2.5pct ${where}`,
        statement: 'Without PFC IRN takes longer than RoCE with it by',
        paper: 'at most 2.5 %',
        measured: percentMore(outcomes, { ...at, ...IRN }, { ...at, ...ROCE }, 'requestPs'),
        unit: ' %',
        band: { low: -Infinity, high: 3.5 },
        tolerance: 'upper bound',
        cutShort,
      }),
      seedsClaim({
        id: `irn.fig9.with-without-pfc-similar ${where}`,
        statement: 'IRN without PFC takes longer than IRN with it by',
        paper: 'very similar',
        values: percentsMore(outcomes, { ...at, ...IRN }, { ...at, ...IRN_PFC }, 'requestPs'),
        band: { low: -5, high: 5 },
        judge: 'mean',
        unit: ' %',
        why: 'Each seed has other senders; Figure 9 shows the mean of a hundred repetitions.',
        cutShort: size === 'small' ? 'not judged' : undefined,
      }),
    ]
  })
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  return [
    'PFC pauses at 216 KB of 240 KB here. At the 220 KB that the paper gives, up to three packets per port are lost at every pause, RoCE goes back N for each, and with 30 senders ' +
      'most requests are not completed within 200 ms, since a message that loses its last packets is never completed without a timeout. PFC in the paper is meant to be lossless.',
    `Each repetition has other senders; flow starts are the same in all runs of a seed. ${completedText(outcomes, points(size, 1), '; their requests count nowhere')}`,
    ...(size === 'small' ? ['This size sends 6 MB instead of 150 MB: nothing is judged.'] : []),
  ]
}

export const irnIncast = defineExperiment({
  name: 'irn-incast',
  title: 'Incast with IRN, without PFC',
  source: '[IRN] section 4.4.3, Figure 9',
  help:
    '150 MB, striped over 10 to 50 senders, go to one host at the same time: the best case for PFC. Request completion times ' +
    'of IRN with and without PFC and of RoCE with PFC, without congestion control, with TIMELY and with DCQCN.',
  sizes: {
    small: '6 MB from 10 and 30 senders',
    full: '150 MB from 10, 20, 30, 40 and 50 senders; the paper repeats each 100 times (--seeds 100)',
  },
  points,
  measure: requestMeasures,
  conclude,
})
