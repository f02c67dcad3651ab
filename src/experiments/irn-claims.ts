/**
 * Claims of S3 that the IRN experiment decides. An ordering has to hold in every seed.
 * Source: S3 sections 4.2 to 4.5 and 6.3, Table 3; tolerances as suggested for each claim.
 */
import { MS } from '../base/index.ts'
import { humanNumber } from '../report/index.ts'
import type { Interval } from '../results/index.ts'
import type { Outcome, Size } from './experiment.ts'
import { type Claim, claimOf } from './findings.ts'
import {
  arm,
  type Arm,
  armName,
  COMPARISONS,
  CONTROL_NAMES,
  CONTROLS,
  METRICS,
  nameOf,
  ratio,
  ratioRange,
  TABLE_3,
  TAILS,
  tailKey,
} from './irn-arms.ts'
import type { Control } from './irn-default.ts'
import { overSeeds } from './over-seeds.ts'

export function irnClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const isDirection = size === 'small'
  return [
    ...COMPARISONS.flatMap(({ id, of, to, low, high }) =>
      METRICS.map(({ name, key }) => {
        const isNeutral = id === 'irn.fig5.range'
        const band = isNeutral
          ? { low: 1 - 0.01 - 0.03, high: 1 + 0.034 + 0.03 }
          : { low: low * 0.75, high: high * 1.25 }
        return claimOf({
          id: `${id} [${CONTROL_NAMES[of.control]}, ${name}]`,
          statement: `${nameOf(of)}: ${name} over that of ${nameOf(to)}`,
          paper: `${low} to ${high} x over the metrics`,
          measured: ratio(outcomes, of, to, key),
          unit: ' x',
          band: isDirection && !isNeutral ? { low: 1, high: Infinity } : band,
          tolerance: isNeutral ? '3 percentage points at both ends' : '25 % at both ends',
          isDirection,
        })
      }),
    ),
    ...orderings(outcomes),
    ...percentages(outcomes, isDirection),
    ...cells(outcomes, isDirection),
  ]
}

/** What has to be better, in every seed. */
function orderings(outcomes: readonly Outcome[]): Claim[] {
  const irn = (control: Control): Arm => arm('irn', 'no PFC', control)
  const order = (id: string, better: Arm, worse: Arm, key: string, what: string): Claim =>
    claimOf({
      id: `${id} [${CONTROL_NAMES[better.control]}, ${what}]`,
      statement: `${nameOf(better)} is better than ${nameOf(worse)}: ${what}, the second over the first`,
      paper: 'above 1',
      measured: ratioRange(outcomes, worse, better, key),
      unit: ' x',
      band: { low: 1, high: Infinity },
      tolerance: 'in every seed; the range is that of the seeds',
    })
  return [
    ...METRICS.map(({ key, name }) =>
      order('irn.fig2.not-required', irn('none'), arm('irn', 'PFC', 'none'), key, name),
    ),
    ...METRICS.flatMap(({ key, name }) =>
      CONTROLS.map((control) => order('irn.takeaways', irn(control), arm('roce', 'PFC', control), key, name)),
    ),
    ...CONTROLS.map((control) =>
      order(
        'irn.fig7.gbn-worse',
        irn(control),
        arm('irn with go-back-n', 'no PFC', control),
        'meanFctPs',
        'average FCT',
      ),
    ),
    ...CONTROLS.map((control) =>
      order(
        'irn.fig7.no-bdpfc-worse',
        irn(control),
        arm('irn without bdp-fc', 'no PFC', control),
        'meanFctPs',
        'average FCT',
      ),
    ),
    ...CONTROLS.map((control) =>
      order(
        'irn.fig7.gbn-worse-than-no-bdpfc',
        arm('irn without bdp-fc', 'no PFC', control),
        arm('irn with go-back-n', 'no PFC', control),
        'meanFctPs',
        'average FCT',
      ),
    ),
    ...CONTROLS.flatMap((control) =>
      TAILS.map((share) =>
        order(
          'irn.fig8.tail-single-packet',
          irn(control),
          arm('roce', 'PFC', control),
          tailKey(share),
          `${humanNumber(share * 100)} %`,
        ),
      ),
    ),
    ...METRICS.map(({ key, name }) => {
      const resilient = arm('roce', 'no PFC', 'dcqcn')
      return order('irn.fig10.resilient', irn('none'), resilient, key, name)
    }),
    ...METRICS.map(({ key, name }) =>
      order('irn.444.aimd-stronger', irn('aimd'), arm('irn', 'PFC', 'aimd'), key, name),
    ),
    order(
      'irn.fig12.fetch-delay-small',
      arm('irn with fetch delay', 'no PFC', 'none'),
      arm('irn with longer headers', 'no PFC', 'none'),
      'meanSlowdown',
      'average slowdown',
    ),
  ]
}

function percentages(outcomes: readonly Outcome[], isDirection: boolean): Claim[] {
  const percent = ({ mean, low, high, count }: Interval, of: (x: number) => number): Interval => {
    const [a, b] = [of(low), of(high)]
    return { mean: of(mean), low: a < b ? a : b, high: a < b ? b : a, count }
  }
  const irn = arm('irn', 'no PFC', 'none')
  const lost = overSeeds(outcomes, armName(irn), (m) => (100 * m['drops']!) / m['dataPackets']!)
  return [
    claimOf({
      id: 'irn.fig2.drop-rate-8.5',
      statement: 'IRN without PFC and control loses packets',
      paper: '8.5 %',
      measured: lost,
      unit: ' %',
      band: { low: 5.5, high: 11.5 },
      tolerance: '3 percentage points',
      isDirection,
    }),
    ...CONTROLS.flatMap((control) =>
      METRICS.map(({ name, key }) =>
        claimOf({
          id: `irn.fig12.overhead-4-7 [${CONTROL_NAMES[control]}, ${name}]`,
          statement: `2 us before a packet is resent and 16 B in each make the ${name} worse by`,
          paper: '4 to 7 %',
          measured: percent(
            ratio(outcomes, arm('irn with overheads', 'no PFC', control), arm('irn', 'no PFC', control), key),
            (x) => 100 * (x - 1),
          ),
          unit: ' %',
          band: { low: 1, high: 10 },
          tolerance: '3 percentage points at both ends',
          isDirection,
        }),
      ),
    ),
    ...CONTROLS.flatMap((control) =>
      METRICS.map(({ name, key }) =>
        claimOf({
          id: `irn.fig12.still-35-63 [${CONTROL_NAMES[control]}, ${name}]`,
          statement: `With them IRN's ${name} is still better than that of RoCE with PFC by`,
          paper: '35 to 63 %',
          measured: percent(
            ratio(outcomes, arm('irn with overheads', 'no PFC', control), arm('roce', 'PFC', control), key),
            (x) => 100 * (1 - x),
          ),
          unit: ' %',
          band: { low: 25, high: 75 },
          tolerance: 'the range suggested for it',
          isDirection,
        }),
      ),
    ),
  ]
}

/** Table 3: ratios within 25 % and on the same side of 1 where the paper's is away from it; times within 1.5. */
function cells(outcomes: readonly Outcome[], isDirection: boolean): Claim[] {
  return CONTROLS.flatMap((control) =>
    METRICS.flatMap(({ name, key }, i) => {
      const [value, toIrn, toRoce] = TABLE_3[control]![i]!
      const irn = arm('irn', 'no PFC', control)
      const scale = key === 'meanSlowdown' ? 1 : 1 / MS
      const bandOf = (x: number): { low: number; high: number } => ({
        low: x > 1.05 ? Math.max(1, x * 0.75) : x * 0.75,
        high: x < 0.95 ? Math.min(1, x * 1.25) : x * 1.25,
      })
      const cell = (
        what: string,
        paper: number,
        measured: Interval,
        band: { low: number; high: number },
        tolerance: string,
        unit = '',
      ): Claim =>
        claimOf({
          id: `irn.table3.cells [70 %, ${CONTROL_NAMES[control]}, ${name}, ${what}]`,
          statement: `Table 3: ${name} of ${what}`,
          paper: `${humanNumber(paper)}${unit}`,
          measured,
          unit,
          band,
          tolerance,
          isDirection,
        })
      const near = '25 % and on the same side of 1'
      return [
        cell(
          'IRN',
          value * scale,
          overSeeds(outcomes, armName(irn), (m) => m[key]! * scale),
          { low: (value * scale) / 1.5, high: value * scale * 1.5 },
          'a factor of 1.5',
          scale === 1 ? '' : ' ms',
        ),
        cell('IRN over IRN + PFC', toIrn, ratio(outcomes, irn, arm('irn', 'PFC', control), key), bandOf(toIrn), near),
        cell(
          'IRN over RoCE + PFC',
          toRoce,
          ratio(outcomes, irn, arm('roce', 'PFC', control), key),
          bandOf(toRoce),
          near,
        ),
      ]
    }),
  )
}
