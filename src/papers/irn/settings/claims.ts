/**
 * Settings of the IRN paper's Tables 3 to 9, and claims on how IRN's value or its ratios to sides with PFC change from one
 * to the next.
 * Source: [IRN] 3.2, 4.4.1, appendix A.
 */
import { humanNumber } from '../../../show/index.ts'
import {
  ABOVE_ONE,
  atLeast,
  BELOW_ONE,
  between,
  bracket,
  type Claim,
  claim,
  near,
  type Reading,
} from '../../core/findings.ts'
import type { Runs } from '../../core/runs.ts'
import { type Arm, arm, CONTROLS, DEFAULT, METRICS } from '../arms.ts'
import { eachSeed, IRN, IRN_PFC, irnIn, type NamedCell, readingsOf, ROCE_PFC, type Side, sideName } from '../cells.ts'
import { type Control, controlName } from '../default-case.ts'
import { printedTable, printedValues } from '../printed.ts'

/** The default case, or a difference from it. */
export interface Setting {
  readonly id: string
  /** The paper's name, if it has the setting. */
  readonly name: string
  /** Runs of IRN without PFC only (other sides have those of the default case), or of IRN with PFC and without control. */
  readonly only?: 'irn' | 'irn-pfc' | undefined
  /** Share of the hosts' links. */
  readonly load?: number
  /** Printed threshold of PFC. */
  readonly pauseKb?: number
  /** Changes to the scenario of an arm, as "path=value". */
  readonly sets?: (arm: Arm, arrivalsMs: number) => readonly string[]
}

export const cellOf = ({ id, name, only, pauseKb }: Setting, control: Control): NamedCell => ({
  control,
  setting: id,
  name,
  ...(only === 'irn' ? { pfcSetting: DEFAULT } : {}),
  ...(pauseKb === undefined ? {} : { pauseKb }),
})

export const isPrinted = ({ id }: Setting): boolean => printedTable(id) !== undefined

/** A ratio of IRN to a side with PFC that rises or falls from setting to setting. */
export interface Trend {
  readonly id: string
  readonly to: Side
  readonly direction: 'rises' | 'falls'
}

/** A claim for each step of a trend, in the average slowdown without congestion control. */
export function trendClaims(runs: Runs, settings: readonly Setting[], { id, to, direction }: Trend): Claim[] {
  const isRise = direction === 'rises'
  const printed = (setting: Setting): number => printedValues(setting.id, 'none', 0)[to === IRN_PFC ? 1 : 2]
  const ordered = settings.filter(isPrinted)
  return ordered.slice(1).map((setting, i) => {
    const before = ordered[i]!
    const step = printed(setting) / printed(before)
    const readings = slowdownReadings(runs, [setting, before], 'none', to, (own, previous) => own / previous)
    return bracket(id, readings, isRise ? ABOVE_ONE : BELOW_ONE, {
      check: `IRN over ${sideName(to)}, ${before.name} to ${setting.name}`,
      paper: `${isRise ? 'above' : 'below'} 1; ${humanNumber(step)} in its table`,
      unit: ' x',
      ...(isRise === step > 1 ? {} : { why: "The paper's own cells have the opposite direction here." }),
    })
  })
}

/** IRN's average slowdown over a side's in two settings, combined in every reading. */
function slowdownReadings(
  runs: Runs,
  settings: readonly [Setting, Setting],
  control: Control,
  to: Side,
  combine: (first: number, second: number) => number,
): Reading[] {
  return readingsOf(runs, cellOf(settings[0], control), [IRN, to], (armOf) => {
    const ratios = settings.map(({ id: setting }) =>
      runs.ratios('meanSlowdown', armOf(IRN, { setting }), armOf(to, { setting })),
    )
    return eachSeed(ratios, (first, second) => combine(first!, second!))
  })
}

/** Claims on each setting beside the default case, under each control. */
function ofEach(settings: readonly Setting[], claimsOf: (setting: Setting, control: Control) => Claim[]): Claim[] {
  const others = settings.filter(({ id }) => id !== DEFAULT)
  return others.flatMap((setting) => CONTROLS.flatMap((control) => claimsOf(setting, control)))
}

/** That the ratios in larger networks differ little from those in the usual one. */
export function similar(runs: Runs, settings: readonly Setting[]): Claim[] {
  const usual = settings.find(({ id }) => id === DEFAULT)!
  return ofEach(settings, (setting, control) =>
    [IRN_PFC, ROCE_PFC].map((to) =>
      bracket(
        'irn.A3.scale-similar',
        slowdownReadings(runs, [setting, usual], control, to, (own, before) => own - before),
        near(0, 0.1),
        { check: `${setting.name}, ${controlName(control)}, over ${sideName(to)}` },
      ),
    ),
  )
}

/** That a lower threshold alone makes IRN with PFC worse, as a smaller buffer does. */
export function thresholds(runs: Runs, settings: readonly Setting[]): Claim[] {
  const steps = [...settings.filter(({ only }) => only === 'irn-pfc'), { id: DEFAULT, name: 'at 220 KB' }]
  return steps.slice(1).map(({ id, name }, i) => {
    const lower = steps[i]!
    const [over, under] = [id, lower.id].map((setting) => arm('irn', 'pfc', 'none', 1, setting))
    return claim('irn.A5.threshold-like-buffer', runs.ratios('meanSlowdown', over!, under!), BELOW_ONE, {
      check: `${lower.name} to ${name}`,
      unit: ' x',
    })
  })
}

/** That the paper's other parameters hardly matter, and that larger caps keep most of IRN's gain over RoCE with PFC. */
export function parameterClaims(runs: Runs, settings: readonly Setting[]): Claim[] {
  return ofEach(settings, (setting, control) => {
    const check = `${setting.name}, ${controlName(control)}`
    /** IRN's metric in the setting over that in the default case, by metric. */
    const moved = METRICS.map(({ key }) =>
      runs.ratios(key, irnIn({ control, setting: setting.id }), irnIn({ control, setting: DEFAULT })),
    )
    const mostPercent = eachSeed(moved, (...ratios) => Math.max(...ratios.map((ratio) => 100 * Math.abs(ratio - 1))))
    const keptPercent = readingsOf(runs, cellOf(setting, control), [IRN, ROCE_PFC], (armOf) => {
      const byMetric = METRICS.map(({ key }, i) =>
        eachSeed([runs.ratios(key, armOf(IRN), armOf(ROCE_PFC)), moved[i]!], (ratio, change) => {
          return (100 * (1 - ratio)) / (1 - ratio / change)
        }),
      )
      return eachSeed(byMetric, Math.min)
    })
    const own = isPrinted(setting)
      ? claim('irn.441.param-insensitive', mostPercent, between(0, 30), { check, unit: ' %' })
      : bracket('irn.rule.bdp-overestimate', keptPercent, atLeast(50), {
          check,
          tolerance: 'a half, our choice: the paper gives no number',
          unit: ' %',
        })
    return [own]
  })
}
