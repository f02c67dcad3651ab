/**
 * Incast with background traffic, with IRN and with RoCE: request completion times, and the effect on background messages.
 * Source: [IRN] section 4.4.3, "incast with cross traffic", which has numbers and no figure.
 * Deviates: the response has 20 MB and not 150 MB, and PFC pauses at 216 KB and not at 220 KB; see the remarks.
 */
import { humanNumber } from '../../../report/index.ts'
import { completionsOf, interval95, mean, numbersOf, quantile, type Result, textsOf } from '../../../results/index.ts'
import type { Scenario } from '../../../scenario/index.ts'
import { defineExperiment } from '../../core/old/plan.ts'
import type { Measures, Outcome, Point, Size } from '../../core/old/plan.ts'
import {
  ABOVE_ZERO,
  barOf,
  type Claim,
  claimOf,
  type Findings,
  type FindingsTable,
  intervalText,
  seedsClaim,
  rightColumn,
} from '../../core/findings.ts'
import { CONTROL_NAMES, METRICS } from '../arms.ts'
import type { Control } from '../default-case.ts'
import {
  completedText,
  REQUEST_CONTROLS,
  dataLossText,
  durationText,
  IRN,
  IRN_PFC,
  percentLess,
  percentMore,
  percentsOver,
  type RequestArm,
  requestMeasures,
  requestName,
  requestScenario,
  ROCE,
  SIDE_HEADS,
  SIDES,
} from './request.ts'
import { overSeeds } from '../../core/old/over-seeds.ts'
import { endClaims } from '../../core/range-ends.ts'

const SENDERS = 30

interface Timing {
  readonly totalMb: number
  /** Start of the request; the background starts at 0. */
  readonly startMs: number
  /** Background messages that start within this time after the request count: the time of the response alone at 40 Gb/s. */
  readonly countedMs: number
  /** Duration of the background after the start of the request: longer than the request takes, mainly under TIMELY. */
  readonly goesOnMs: Readonly<Record<'none' | 'timely' | 'dcqcn', number>>
}

const TIMING: Readonly<Record<Size, Timing>> = {
  small: { totalMb: 5, startMs: 1, countedMs: 1, goesOnMs: { none: 3, timely: 8, dcqcn: 4 } },
  full: { totalMb: 20, startMs: 2, countedMs: 4, goesOnMs: { none: 15, timely: 60, dcqcn: 20 } },
}

type Side = (typeof SIDES)[number]
const armOf = (control: Control, side: Side): RequestArm => ({ senders: SENDERS, control, ...side })

/** Metrics: completion of the request, and the three metrics of [IRN] 4.1 for the background. */
const REQUEST = { name: 'completion of the request', key: 'requestPs' } as const
const BACKGROUND = METRICS.map(({ name, key, text }) => ({ name: `background, ${name}`, key, text }))

/** Condition of the request without background. */
const aloneName = (arm: RequestArm): string => `alone | ${requestName(arm)}`
/** Sides that also run without background. */
const ALONE = [ROCE, IRN] as const

function aloneOf(arm: RequestArm, size: Size, seed: number): Scenario {
  return requestScenario({
    condition: aloneName(arm),
    fabric: arm,
    seed,
    workload: [`{kind: incast, senders: ${SENDERS}, receiver: 0, total: ${TIMING[size].totalMb}MB}`],
  })
}

function scenarioOf(arm: RequestArm, size: Size, seed: number): Scenario {
  const { totalMb, startMs, countedMs, goesOnMs } = TIMING[size]
  const untilMs = startMs + goesOnMs[arm.control as keyof typeof goesOnMs]
  return requestScenario({
    condition: `cross ${requestName(arm)}`,
    fabric: arm,
    seed,
    workload: [
      '{kind: poisson, load: 0.5, loadBasis: payload, sizes: heavy-tailed}',
      `{kind: incast, senders: ${SENDERS}, receiver: 0, total: ${totalMb}MB, start: ${startMs}ms}`,
    ],
    measure: `generate: ${untilMs}ms, warmUp: ${startMs}ms, window: ${countedMs}ms, `,
  })
}

function points(size: Size, seed: number): Point[] {
  return REQUEST_CONTROLS.flatMap((control) => [
    ...SIDES.map((side): Point => {
      const arm = armOf(control, side)
      return { condition: requestName(arm), seed, scenario: scenarioOf(arm, size, seed) }
    }),
    ...ALONE.map((side): Point => {
      const arm = armOf(control, side)
      return { condition: aloneName(arm), seed, scenario: aloneOf(arm, size, seed) }
    }),
  ])
}

function measure(result: Result): Measures {
  const { completionPs, slowdown } = completionsOf(result)
  const tags = textsOf(result.flows, 'tag')
  const measured = numbersOf(result.flows, 'measured')
  const isCounted = (_: number, row: number): boolean => tags[row] === 'background' && measured[row] === 1
  const finished = (values: Float64Array): Float64Array =>
    values.filter(isCounted).filter((value) => !Number.isNaN(value))
  const times = finished(completionPs)
  return {
    ...requestMeasures(result),
    meanSlowdown: mean(finished(slowdown)),
    meanFctPs: mean(times),
    p99FctPs: quantile(times, 0.99),
    countedFlows: times.length,
  }
}

function valueTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'The request and the background',
    columns: [
      { head: 'congestion control' },
      { head: 'transport' },
      ...[REQUEST.name, ...BACKGROUND.map(({ name }) => name), 'data lost', 'pause frames'].map(rightColumn),
    ],
    rows: REQUEST_CONTROLS.flatMap((control) =>
      SIDES.map((side, i) => {
        const arm = armOf(control, side)
        const over = (key: string) => overSeeds(outcomes, requestName(arm), (m) => m[key]!)
        return [
          CONTROL_NAMES[control],
          SIDE_HEADS[i]!,
          durationText(outcomes, requestName(arm), REQUEST.key),
          intervalText(over('meanSlowdown')),
          durationText(outcomes, requestName(arm), 'meanFctPs'),
          durationText(outcomes, requestName(arm), 'p99FctPs'),
          dataLossText(outcomes, requestName(arm)),
          humanNumber(over('pauseFrames').mean),
        ]
      }),
    ),
  }
}

function comparisonTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'IRN compared with RoCE + PFC, and the effect of PFC on IRN',
    columns: [
      { head: 'congestion control' },
      { head: 'metric' },
      rightColumn('IRN less than RoCE + PFC'),
      rightColumn('IRN + PFC more than IRN'),
    ],
    rows: REQUEST_CONTROLS.flatMap((control) =>
      [REQUEST, ...BACKGROUND].map(({ name, key }) => [
        CONTROL_NAMES[control],
        name,
        intervalText(percentLess(outcomes, armOf(control, IRN), armOf(control, ROCE), key), ' %'),
        intervalText(percentMore(outcomes, armOf(control, IRN_PFC), armOf(control, IRN), key), ' %'),
      ]),
    ),
  }
}

/** The request without background, compared with the request with background. */
function aloneTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'The same request without background traffic',
    columns: [
      { head: 'congestion control' },
      rightColumn('RoCE + PFC'),
      rightColumn('IRN'),
      rightColumn('IRN more than RoCE + PFC'),
      rightColumn('with background'),
    ],
    rows: REQUEST_CONTROLS.map((control) => [
      CONTROL_NAMES[control],
      ...ALONE.map((side) => durationText(outcomes, aloneName(armOf(control, side)), REQUEST.key)),
      ...[aloneName, requestName].map((nameOf) =>
        intervalText(interval95(requestPercents(outcomes, control, nameOf)), ' %'),
      ),
    ]),
  }
}

const REQUEST_BAND = { low: 0, high: 40 }
const BACKGROUND_BAND = { low: 20, high: 92 }
const PAUSING_BAND = { low: 0, high: 85 }

function claims(outcomes: readonly Outcome[], size: Size): Claim[] {
  // A short response consists of its first burst, so that only the background shows a direction.
  const cutShortOf = (key: string) => (size === 'full' ? undefined : key === REQUEST.key ? null : ABOVE_ZERO)
  const better = REQUEST_CONTROLS.flatMap((control) =>
    [REQUEST, ...BACKGROUND].map(({ name, key }) => {
      const isRequest = key === REQUEST.key
      const band = isRequest ? REQUEST_BAND : BACKGROUND_BAND
      return claimOf({
        id: isRequest
          ? `irn.443.cross.rct-4-30 [${CONTROL_NAMES[control]}]`
          : `irn.443.cross.bg-32-87 [${CONTROL_NAMES[control]}, ${name}]`,
        statement: `IRN is better than RoCE with PFC by: ${name}`,
        paper: isRequest ? '4 to 30 %' : '32 to 87 %',
        measured: percentLess(outcomes, armOf(control, IRN), armOf(control, ROCE), key),
        unit: ' %',
        band,
        tolerance: 'the range suggested for it',
        cutShort: cutShortOf(key),
      })
    }),
  )
  const pausing = REQUEST_CONTROLS.flatMap((control) =>
    [REQUEST, ...BACKGROUND]
      .filter(({ key }) => control !== 'dcqcn' || key !== REQUEST.key)
      .map(({ name, key }) =>
        claimOf({
          id: `irn.443.cross.pfc-1-75 [${CONTROL_NAMES[control]}, ${name}]`,
          statement: `IRN with PFC is worse than without by: ${name}`,
          paper: '1 to 75 %',
          measured: percentMore(outcomes, armOf(control, IRN_PFC), armOf(control, IRN), key),
          unit: ' %',
          band: PAUSING_BAND,
          tolerance: 'the range suggested for it',
          cutShort: cutShortOf(key),
        }),
      ),
  )
  const exception = claimOf({
    id: 'irn.443.cross.dcqcn-1.13',
    statement: 'With DCQCN the request of IRN takes less time with PFC than without by',
    paper: '1.13 %',
    measured: percentLess(outcomes, armOf('dcqcn', IRN_PFC), armOf('dcqcn', IRN), REQUEST.key),
    unit: ' %',
    band: { low: 1.13 - 3, high: 1.13 + 3 },
    tolerance: '3 percentage points',
    why: "The paper's one exception to its statement about PFC.",
    cutShort: cutShortOf(REQUEST.key),
  })
  // Alone, only flows that cause the congestion are paused.
  const bestCases = REQUEST_CONTROLS.map((control) =>
    seedsClaim({
      id: `irn.fig9.best-case-for-pfc [${CONTROL_NAMES[control]}]`,
      statement:
        'Distance of the request completion of IRN from that of RoCE with PFC, in percent of the latter: with background less without',
      paper: 'more than 0: alone is the best case of PFC',
      values: awayBeside(outcomes, control),
      band: ABOVE_ZERO,
      judge: 'mean',
      unit: ' points',
      cutShort: size === 'small' ? 'not judged' : undefined,
    }),
  )
  return [...better, ...pausing, ...(size === 'full' ? rangeClaims(outcomes) : []), exception, ...bestCases]
}

/** Ranges over all controls and metrics, of which the paper prints no single value. */
function rangeClaims(outcomes: readonly Outcome[]): Claim[] {
  const range = { unit: ' %', tolerance: 'the range suggested for it' }
  const is = 'IRN is better than RoCE with PFC by'
  const over = (metrics: readonly { readonly key: string }[], percent: typeof percentLess, side: Side, other: Side) =>
    REQUEST_CONTROLS.flatMap((control) =>
      metrics
        .filter(({ key }) => side !== IRN_PFC || control !== 'dcqcn' || key !== REQUEST.key)
        .map(({ key }) => [
          {
            name: 'all controls and metrics',
            measured: percent(outcomes, armOf(control, side), armOf(control, other), key),
          },
        ]),
    )
  return [
    ...endClaims({
      ...range,
      id: 'irn.443.cross.rct-4-30',
      statement: `${is}: ${REQUEST.name}`,
      paper: '4 to 30 %',
      low: 4,
      high: 30,
      band: REQUEST_BAND,
      of: over([REQUEST], percentLess, IRN, ROCE),
    }),
    ...endClaims({
      ...range,
      id: 'irn.443.cross.bg-32-87',
      statement: `${is}: background`,
      paper: '32 to 87 %',
      low: 32,
      high: 87,
      band: BACKGROUND_BAND,
      of: over(BACKGROUND, percentLess, IRN, ROCE),
    }),
    ...endClaims({
      ...range,
      id: 'irn.443.cross.pfc-1-75',
      statement: 'IRN with PFC is worse than without by',
      paper: '1 to 75 %',
      low: 1,
      high: 75,
      band: PAUSING_BAND,
      of: over([REQUEST, ...BACKGROUND], percentMore, IRN_PFC, IRN),
    }),
  ]
}

/** For each seed, the distance of the ratio from 1 with background less that without, in percentage points. */
function awayBeside(outcomes: readonly Outcome[], control: Control): number[] {
  const alone = requestPercents(outcomes, control, aloneName)
  return requestPercents(outcomes, control, requestName).map((percent, i) => Math.abs(percent) - Math.abs(alone[i]!))
}

/** For each seed, the percentage by which IRN takes longer for the request than RoCE with PFC. */
function requestPercents(
  outcomes: readonly Outcome[],
  control: Control,
  nameOf: (arm: RequestArm) => string,
): number[] {
  return percentsOver(outcomes, { of: nameOf(armOf(control, IRN)), to: nameOf(armOf(control, ROCE)) }, REQUEST.key)
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const { totalMb, startMs, countedMs, goesOnMs } = TIMING[size]
  const beside = outcomes.filter(({ condition }) => !condition.startsWith('alone'))
  const outlasts = ({ condition, measures }: Outcome): boolean => {
    const control = REQUEST_CONTROLS.find((each) => condition.endsWith(each)) as keyof typeof goesOnMs
    return !(measures['requestPs']! <= goesOnMs[control] * 1e9)
  }
  const outlasting = beside.filter(outlasts).length
  const timely = overSeeds(outcomes, requestName(armOf('timely', IRN)), (m) => m['requestPs']! / m['idealPs']!)
  return [
    `The response has ${totalMb} MB here, which take ${humanNumber(totalMb / 5)} ms at line rate; the paper's has 150 MB. With TIMELY, whose rates recover slowly, IRN takes ${humanNumber(timely.mean)} times as long as that, and the background has ` +
      `to last as long: a hundred such repetitions with 150 MB would cost too much. The smaller response has two effects. Its first burst of up to 110 packets per sender is ${humanNumber((SENDERS * 110 * 1.024) / (totalMb * 10))} % ` +
      'of the response instead of 2 %, so its losses weigh more for IRN without PFC; and pauses have less time to spread, so their cost for the background is likely to be too small here.',
    `The background starts at 0, the request at ${startMs} ms. Background messages count if they start within the next ${countedMs} ms, the time of the response alone at line rate: the same messages on all sides. The background lasts ` +
      `${goesOnMs.none} ms after the start of the request without control, ${goesOnMs.timely} ms with TIMELY and ${goesOnMs.dcqcn} ms with DCQCN. ${outlasting === 0 ? 'No request took longer.' : `${outlasting} of ${beside.length} requests took longer, and had no background at their end.`}`,
    'PFC pauses at 216 KB of 240 KB. At the 220 KB that the paper gives packets are lost, and RoCE, which has no timeout with PFC, does not finish messages that lose their last packets. ' +
      `Flows, sizes, destinations and senders of one seed are the same in all its runs. ${completedText(outcomes, points(size, 1), ' and count nowhere')}`,
    'The paper gives neither the background messages that count nor the duration of the background. Its three controls are read as none, TIMELY and DCQCN.',
    ...(size === 'small'
      ? [
          'This size is cut short. The response is hardly longer than its first burst, of which IRN without PFC loses much, so that the request is not judged, and the background only by direction.',
        ]
      : []),
  ]
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  return {
    tables: [valueTable(outcomes), comparisonTable(outcomes), aloneTable(outcomes)],
    figures: [
      {
        name: 'less',
        bars: {
          title: 'Incast with background: IRN without PFC against RoCE with PFC',
          subtitle: `${TIMING[size].totalMb} MB from ${SENDERS} senders, background load 50 %; means over seeds with 95 % intervals; above 0: IRN is better`,
          yLabel: '% less than RoCE with PFC',
          groups: [REQUEST, ...BACKGROUND].flatMap(({ name, key }) =>
            REQUEST_CONTROLS.map((control) => ({
              label: name,
              series: CONTROL_NAMES[control],
              ...barOf(percentLess(outcomes, armOf(control, IRN), armOf(control, ROCE), key)),
            })),
          ),
          showValues: true,
        },
      },
    ],
    claims: claims(outcomes, size),
    remarks: remarks(outcomes, size),
  }
}

export const irnCross = defineExperiment({
  name: 'irn-cross',
  title: 'Incast with background traffic, with IRN and with RoCE',
  source: '[IRN] section 4.4.3, incast with cross traffic',
  help:
    '30 senders respond to one host at the same time while all hosts send to each other at 50 % load. Completion times of the request and ' +
    'of the background messages: with IRN, with IRN and PFC, and with RoCE and PFC, without ' +
    'congestion control, with TIMELY and with DCQCN.',
  sizes: {
    small: '5 MB from 30 senders',
    full: '20 MB from 30 senders (150 MB in the paper), 100 repetitions (--seeds 1..20 for a fifth of them)',
  },
  points,
  measure,
  conclude,
})
