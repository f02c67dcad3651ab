/**
 * The experiments on the IRN paper's Tables 3 to 9 (list.ts): IRN without PFC, IRN with PFC and RoCE with PFC under each
 * congestion control, in the default case and in settings that differ from it in one parameter. The default case's own
 * cells are judged in the experiment irn.
 * Source: [IRN] appendix A.
 */
import { defineExperiment, type Experiment } from '../../core/experiment.ts'
import type { Claim } from '../../core/findings.ts'
import type { Plan, Point, Size } from '../../core/plan.ts'
import type { Runs } from '../../core/runs.ts'
import { type Arm, arm, CONTROLS, DEFAULT, irnMeasures, LONG_BURST, SIDES } from '../arms.ts'
import { cellClaims, cellTables } from '../cells.ts'
import { controlName, type Control, irnDefault } from '../default-case.ts'
import { type Trend, trendClaims } from './claims.ts'
import { cellOf, isPrinted, type Setting } from './setting.ts'

export interface SettingsPlan extends Pick<Plan, 'name' | 'title' | 'source' | 'help'> {
  /** In the order of the paper's table. */
  readonly settings: readonly Setting[]
  /** Also runs the longer burst. */
  readonly hasBursts?: boolean
  readonly trends?: readonly Trend[]
  /** Further claims on more than one cell, at full size only. */
  readonly claims?: (runs: Runs, settings: readonly Setting[]) => readonly Claim[]
  readonly remarks?: readonly string[]
}

export function settingsExperiment(plan: SettingsPlan): Experiment<Plan<Arm>> {
  const { settings, trends = [], claims = () => [], remarks = [], hasBursts = false, ...head } = plan
  const controlsOf = (size: Size): readonly Control[] => (size === 'full' ? CONTROLS : ['none'])
  const usual = settings.find(({ id }) => id === DEFAULT)!
  return defineExperiment({
    ...head,
    sizes: {
      small: '2 ms of arrivals, no control',
      full: `956 flows per host, run to their end; ${CONTROLS.map((control) => controlName(control)).join(', ')}`,
    },
    points: (size, seed) =>
      controlsOf(size).flatMap((control) =>
        settings.flatMap((setting) =>
          armsIn(setting, control, hasBursts && size === 'full').map((at) => pointOf(setting, at, size, seed)),
        ),
      ),
    measure: irnMeasures,
    conclude(runs, size) {
      const controls = controlsOf(size)
      const cells = settings.filter(isPrinted).flatMap((setting) => controls.map((control) => cellOf(setting, control)))
      const others = cells.filter(({ setting }) => setting !== DEFAULT)
      const all = (): Claim[] => [
        ...trends.flatMap((trend) => trendClaims(runs, settings, trend)),
        ...claims(runs, settings),
        ...others.flatMap((cell) => cellClaims(runs, cell)),
      ]
      return {
        tables: cellTables(runs, cells),
        figures: [],
        claims: size === 'small' ? [] : all(),
        remarks: [
          ...remarks,
          `The setting "${usual.name}" is the default case, whose cells the experiment irn judges. In every setting PFC is run at the printed threshold, and 4 KB below it, where nothing is lost.`,
          ...(size === 'small' ? ['This size is cut short: nothing is judged.'] : []),
        ],
      }
    },
  })
}

function armsIn({ id, only }: Setting, control: Control, hasBursts: boolean): Arm[] {
  if (only === 'irn-pfc') return control === 'none' ? [arm('irn', 'pfc', control, 1, id)] : []
  const sides = only === 'irn' ? SIDES.slice(0, 1) : SIDES
  const bursts = hasBursts ? [1, LONG_BURST] : [1]
  return bursts.flatMap((burst) => sides.map(({ transport, pfc }) => arm(transport, pfc, control, burst, id)))
}

function pointOf({ id, name, load, sets = () => [] }: Setting, at: Arm, size: Size, seed: number): Point<Arm> {
  const [traffic, arrivalsMs] = size === 'full' ? (['irn-default', 75] as const) : (['irn-default-2-ms', 2] as const)
  const setting = id === DEFAULT ? '' : name
  return { at, seed, scenario: irnDefault({ ...at, setting, sets: sets(at, arrivalsMs), load, traffic, seed }) }
}
