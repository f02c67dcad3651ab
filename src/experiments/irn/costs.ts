/**
 * Claims of the IRN paper on losses, pauses, slowdown by flow size, and IRN's overheads in the default case.
 * Source: [IRN] 4.2, 6.3 (Figure 12), A.4.
 */
import { interval95 } from '../../results/index.ts'
import type { Outcome } from '../core/old/plan.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  BELOW_ONE,
  bracketClaim,
  type Claim,
  claimOf,
  type Reading,
  seedsClaim,
} from '../core/findings.ts'
import { arm, type Arm, armName, CONTROL_NAMES, CONTROLS, METRICS, ratio, ratios, TENTHS, tenthKey } from './arms.ts'
import type { Control } from './default-case.ts'
import { defaultCell, IRN, IRN_PFC, ratiosIn, readingName, readingsOf, ROCE_PFC } from './readings.ts'
import { endClaims } from '../core/range-ends.ts'
import { percentLarger, valuesOf } from '../core/old/over-seeds.ts'

const SIGN = 'the sign'

/** The runs of one size. */
interface Runs {
  readonly outcomes: readonly Outcome[]
  readonly isCutShort: boolean
}

const LOSS_PERCENT = (m: Readonly<Record<string, number>>): number => (100 * m['dataDrops']!) / m['dataPackets']!

/** Losses of IRN without PFC, and the effect of congestion control on losses and pauses. */
export function lossClaims({ outcomes, isCutShort }: Runs): Claim[] {
  const lossOf = (control: Control): number[] =>
    valuesOf(outcomes, armName(arm('irn', 'no PFC', control)), LOSS_PERCENT)
  const none = lossOf('none')
  return [
    claimOf({
      id: 'irn.fig2.drop-rate-8.5',
      statement: 'Share of data packets that IRN loses without PFC and without congestion control',
      paper: '8.5 %',
      measured: interval95(none),
      unit: ' %',
      band: { low: 5.5, high: 11.5 },
      tolerance: '3 percentage points',
      cutShort: isCutShort ? null : undefined,
    }),
    ...CONTROLS.filter((control) => control !== 'none').flatMap((control) => [
      seedsClaim({
        id: `irn.cc-reduces-drops-and-pauses [${CONTROL_NAMES[control]}, losses]`,
        statement: `Share of data packets that IRN without PFC loses under ${CONTROL_NAMES[control]}, over the share without control`,
        paper: 'below 1',
        values: lossOf(control).map((percent, seed) => percent / none[seed]!),
        band: BELOW_ONE,
        judge: 'mean',
        unit: ' x',
        cutShort: isCutShort ? 'direction' : undefined,
      }),
      bracketClaim({
        id: `irn.cc-reduces-drops-and-pauses [${CONTROL_NAMES[control]}, pauses]`,
        statement: `Pause frames of RoCE with PFC under ${CONTROL_NAMES[control]}, over those without control`,
        paper: 'below 1',
        readings: pausesOverNone(outcomes, control),
        paperValues: [],
        unit: ' x',
        band: BELOW_ONE,
        tolerance: SIGN,
        cutShort: isCutShort ? BELOW_ONE : undefined,
      }),
    ]),
  ]
}

function pausesOverNone(outcomes: readonly Outcome[], control: Control) {
  // Both sides of the ratio are RoCE with PFC, under one control and under none.
  const [of, to] = [control, 'none' as const].map((each) =>
    ratiosIn(outcomes, { of: ROCE_PFC, to: ROCE_PFC, at: defaultCell(each) }, (m) => m['pauseFrames']!).map(
      ({ reading }) => ({
        reading,
        values: valuesOf(
          outcomes,
          armName({ transport: 'roce', pfc: reading.pfc, control: each, burst: reading.burst }),
          (m) => m['pauseFrames']!,
        ),
      }),
    ),
  )
  return of!.map(({ reading, values }, i) => {
    const times = values.map((value, seed) => value / to![i]!.values[seed]!)
    return { name: readingName(reading, {}), measured: interval95(times), values: times }
  })
}

/** The claim that flows of all sizes behave alike, judged in the decile by size where the difference is smallest. */
export function sizeClaims({ outcomes, isCutShort }: Runs): Claim[] {
  const sides = [
    { side: ROCE_PFC, controls: CONTROLS, name: 'RoCE' },
    { side: IRN_PFC, controls: ['none'], name: 'IRN' },
  ] as const
  return sides.flatMap(({ side, controls, name }) =>
    controls.map((control) => {
      const byTenth = TENTHS.map((tenth) =>
        readingsOf(outcomes, { of: side, to: IRN, at: defaultCell(control) }, (m) => m[tenthKey(tenth)]!),
      )
      const readings = byTenth[0]!.map(({ name: reading, values = [] }, i) => {
        const least = values.map((_, seed) =>
          Math.min(...byTenth.map((readingsOfTenth) => readingsOfTenth[i]!.values![seed]!)),
        )
        return { name: reading, measured: interval95(least), values: least }
      })
      return bracketClaim({
        id: `irn.A4.no-size-deviation [${name} with PFC over IRN, ${CONTROL_NAMES[control]}]`,
        statement: `Slowdown of ${name} with PFC over that of IRN, in the decile of flows by size where it is smallest`,
        paper: 'no deviation by size',
        readings,
        paperValues: [],
        unit: ' x',
        band: ABOVE_ONE,
        tolerance: SIGN,
        cutShort: isCutShort ? ABOVE_ONE : undefined,
      })
    }),
  )
}

/** The paper's ranges over the controls and metrics. */
const COST = {
  paper: '4 to 7 %',
  band: { low: 1, high: 10 },
  tolerance: '3 percentage points at both ends',
  unit: ' %',
}
const GAIN = {
  paper: '35 to 63 %',
  band: { low: 25, high: 75 },
  tolerance: 'the range suggested for it',
  unit: ' %',
}

/** Figure 12: the cost of IRN's overheads. */
export function overheadClaims({ outcomes, isCutShort }: Runs): Claim[] {
  const worst: Arm['transport'] = 'irn with overheads'
  const cells = CONTROLS.flatMap((control) => METRICS.map(({ name, key }) => ({ control, name, key })))
  const costOf = ({ control, key }: (typeof cells)[number]) =>
    percentLarger(ratio(outcomes, arm(worst, 'no PFC', control), arm('irn', 'no PFC', control), key))
  const gainOf = ({ control, key }: (typeof cells)[number]): Reading[] =>
    readingsOf(
      outcomes,
      { of: { transport: worst, hasPfc: false }, to: ROCE_PFC, at: defaultCell(control) },
      (m) => m[key]!,
      (over) => 100 * (1 - over),
    )
  const cutShort = isCutShort ? ABOVE_ZERO : undefined
  return [
    ...cells.flatMap((cell) => [
      claimOf({
        ...COST,
        id: `irn.fig12.overhead-4-7 [${CONTROL_NAMES[cell.control]}, ${cell.name}]`,
        statement: `A delay of 2 us per retransmission and 16 B more in each packet make the ${cell.name} worse by`,
        measured: costOf(cell),
        cutShort,
      }),
      bracketClaim({
        ...GAIN,
        id: `irn.fig12.still-35-63 [${CONTROL_NAMES[cell.control]}, ${cell.name}]`,
        statement: `With these overheads IRN's ${cell.name} is still better than that of RoCE with PFC by`,
        readings: gainOf(cell),
        paperValues: [35, 63],
        cutShort,
      }),
    ]),
    ...(isCutShort
      ? []
      : [
          ...endClaims({
            ...COST,
            id: 'irn.fig12.overhead-4-7',
            statement:
              'A delay of 2 us per retransmission and 16 B more in each packet make the three metrics worse by',
            low: 4,
            high: 7,
            of: cells.map((cell) => [{ name: 'all controls and metrics', measured: costOf(cell) }]),
          }),
          ...endClaims({
            ...GAIN,
            id: 'irn.fig12.still-35-63',
            statement: 'With these overheads IRN is still better than RoCE with PFC by',
            low: 35,
            high: 63,
            of: cells.map(gainOf),
          }),
        ]),
    ...METRICS.map(({ key, name }) =>
      seedsClaim({
        id: `irn.fig12.fetch-delay-small [${name}]`,
        statement: `The fetch delay costs less than the longer headers: ${name} with 16 B over that with 2 us`,
        paper: 'above 1',
        values: ratios(
          outcomes,
          arm('irn with longer headers', 'no PFC', 'none'),
          arm('irn with fetch delay', 'no PFC', 'none'),
          key,
        ),
        band: ABOVE_ONE,
        judge: 'mean',
        unit: ' x',
        cutShort: isCutShort ? 'direction' : undefined,
      }),
    ),
  ]
}
