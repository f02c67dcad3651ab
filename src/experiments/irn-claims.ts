/**
 * Claims of S3 that the IRN experiment decides. An ordering has to hold in every seed.
 * Source: S3 sections 4.2 to 4.5 and 6.3, Table 3; tolerances as suggested for each claim.
 */
import { humanNumber } from '../report/index.ts'
import type { Interval } from '../results/index.ts'
import type { Outcome, Size } from './experiment.ts'
import { ABOVE_ONE, ABOVE_ZERO, type Claim, claimOf, everySeedClaim } from './findings.ts'
import {
  arm,
  type Arm,
  armName,
  comparisonsOf,
  CONTROL_NAMES,
  METRICS,
  nameOf,
  ratio,
  ratios,
  TAILS,
  tailKey,
  WINDOWS,
} from './irn-arms.ts'
import { alwaysClaims } from './irn-always.ts'
import type { Control } from './irn-default.ts'
import { cellClaims } from './irn-cells.ts'
import { DEFAULT_SETTING } from './irn-printed.ts'
import { overSeeds } from './over-seeds.ts'

/** @param controls that were run; what is without congestion control is left out where `none` is not among them. */
export function irnClaims(outcomes: readonly Outcome[], size: Size, controls: readonly Control[]): Claim[] {
  const isCutShort = size === 'small'
  return [
    ...comparisonsOf(controls).flatMap(({ id, of, to, low, high }) =>
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
          band,
          tolerance: isNeutral ? '3 percentage points at both ends' : '25 % at both ends',
          cutShort: isCutShort ? (isNeutral ? null : ABOVE_ONE) : undefined,
        })
      }),
    ),
    ...orderings(outcomes, controls, isCutShort),
    ...(controls.includes('none') ? alone(outcomes, isCutShort) : []),
    ...overheads(outcomes, controls, isCutShort),
    ...controls.flatMap((control) => {
      const place = {
        setting: DEFAULT_SETTING,
        control,
        irn: armName(arm('irn', 'no PFC', control)),
        irnPfc: armName(arm('irn', 'PFC', control)),
        rocePfc: armName(arm('roce', 'PFC', control)),
        isCutShort,
      }
      return [...alwaysClaims(outcomes, place), ...cellClaims(outcomes, place)]
    }),
  ]
}

const isAbove1 = (value: number): boolean => value > 1

/** What has to be better, in every seed. */
function orderings(outcomes: readonly Outcome[], controls: readonly Control[], isCutShort: boolean): Claim[] {
  const irn = (control: Control): Arm => arm('irn', 'no PFC', control)
  const order = (id: string, better: Arm, worse: Arm, key: string, what: string): Claim =>
    everySeedClaim({
      id: `${id} [${CONTROL_NAMES[better.control]}, ${what}]`,
      statement: `${nameOf(better)} is better than ${nameOf(worse)}: ${what}, the second over the first`,
      paper: 'above 1',
      values: ratios(outcomes, worse, better, key),
      holds: isAbove1,
      counts: 'above 1',
      unit: ' x',
      cutShort: isCutShort ? 'direction' : undefined,
    })
  const isAlone = controls.includes('none')
  return [
    ...(isAlone ? METRICS : []).map(({ key, name }) =>
      order('irn.fig2.not-required', irn('none'), arm('irn', 'PFC', 'none'), key, name),
    ),
    ...METRICS.flatMap(({ key, name }) =>
      controls.map((control) => order('irn.takeaways', irn(control), arm('roce', 'PFC', control), key, name)),
    ),
    ...needs(outcomes, controls, isCutShort),
    ...controls.map((control) =>
      order(
        'irn.fig7.gbn-worse',
        irn(control),
        arm('irn with go-back-n', 'no PFC', control),
        'meanFctPs',
        'average FCT',
      ),
    ),
    ...controls.map((control) =>
      order(
        'irn.fig7.no-bdpfc-worse',
        irn(control),
        arm('irn without bdp-fc', 'no PFC', control),
        'meanFctPs',
        'average FCT',
      ),
    ),
    ...controls.map((control) =>
      order(
        'irn.fig7.gbn-worse-than-no-bdpfc',
        arm('irn without bdp-fc', 'no PFC', control),
        arm('irn with go-back-n', 'no PFC', control),
        'meanFctPs',
        'average FCT',
      ),
    ),
    ...controls.flatMap((control) =>
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
    ...(isAlone ? METRICS : []).map(({ key, name }) => {
      const resilient = arm('roce', 'no PFC', 'dcqcn')
      return order('irn.fig10.resilient', irn('none'), resilient, key, name)
    }),
    ...(isAlone ? WINDOWS : []).flatMap((control) =>
      METRICS.map(({ key, name }) => order('irn.444.window-cc', irn(control), arm('irn', 'PFC', control), key, name)),
    ),
    ...(isAlone ? aimdStronger(outcomes, isCutShort) : []),
    ...(isAlone ? METRICS : []).map(({ key, name }) =>
      order(
        'irn.fig12.fetch-delay-small',
        arm('irn with fetch delay', 'no PFC', 'none'),
        arm('irn with longer headers', 'no PFC', 'none'),
        key,
        name,
      ),
    ),
  ]
}

/** What PFC costs IRN under AIMD, which hears of congestion by losses alone, over what it costs without control. */
function aimdStronger(outcomes: readonly Outcome[], isCutShort: boolean): Claim[] {
  const cost = (control: Control, key: string): number[] =>
    ratios(outcomes, arm('irn', 'PFC', control), arm('irn', 'no PFC', control), key)
  return METRICS.map(({ key, name }) => {
    const none = cost('none', key)
    return everySeedClaim({
      id: `irn.444.aimd-stronger [${name}]`,
      statement: `With AIMD disabling PFC helps IRN even more: ${name}, IRN + PFC over IRN with AIMD over the same without control`,
      paper: 'above 1',
      values: cost('aimd', key).map((times, seed) => times / none[seed]!),
      holds: isAbove1,
      counts: 'above 1',
      unit: ' x',
      cutShort: isCutShort ? 'direction' : undefined,
    })
  })
}

/**
 * The other two of the three takeaways: RoCE is worse without PFC, in every seed; IRN does without it, which is less
 * than to be better without: it may lose what Figure 5 and its tolerance leave.
 */
function needs(outcomes: readonly Outcome[], controls: readonly Control[], isCutShort: boolean): Claim[] {
  const least = 0.99 - 0.03
  const each = METRICS.flatMap((metric) => controls.map((control) => ({ ...metric, control })))
  return [
    ...each.map(({ key, name, control }) =>
      everySeedClaim({
        id: `irn.takeaways [${CONTROL_NAMES[control]}, RoCE needs PFC, ${name}]`,
        statement: `RoCE needs PFC: ${name} without it over that with it, ${CONTROL_NAMES[control]}`,
        paper: 'above 1',
        values: ratios(outcomes, arm('roce', 'no PFC', control), arm('roce', 'PFC', control), key),
        holds: isAbove1,
        counts: 'above 1',
        unit: ' x',
        cutShort: isCutShort ? 'direction' : undefined,
      }),
    ),
    ...each.map(({ key, name, control }) =>
      everySeedClaim({
        id: `irn.takeaways [${CONTROL_NAMES[control]}, IRN needs no PFC, ${name}]`,
        statement: `IRN needs no PFC: ${name} with it over that without it, ${CONTROL_NAMES[control]}`,
        paper: 'not below 0.99 (Figure 5)',
        values: ratios(outcomes, arm('irn', 'PFC', control), arm('irn', 'no PFC', control), key),
        holds: (times) => times >= least,
        counts: `at least ${least}`,
        unit: ' x',
        cutShort: isCutShort ? 'not judged' : undefined,
        why: 'Not to need PFC is not to be better without it: PFC may help by what Figure 5 has, 1 %, and its tolerance of 3 percentage points.',
      }),
    ),
  ]
}

/** What IRN loses without PFC and control. */
function alone(outcomes: readonly Outcome[], isCutShort: boolean): Claim[] {
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
      cutShort: isCutShort ? null : undefined,
    }),
  ]
}

/** Figure 12. */
function overheads(outcomes: readonly Outcome[], controls: readonly Control[], isCutShort: boolean): Claim[] {
  const percent = ({ mean, low, high, count }: Interval, of: (x: number) => number): Interval => {
    const [a, b] = [of(low), of(high)]
    return { mean: of(mean), low: a < b ? a : b, high: a < b ? b : a, count }
  }
  return [
    ...controls.flatMap((control) =>
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
          cutShort: isCutShort ? ABOVE_ZERO : undefined,
        }),
      ),
    ),
    ...controls.flatMap((control) =>
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
          cutShort: isCutShort ? ABOVE_ZERO : undefined,
        }),
      ),
    ),
  ]
}
