/**
 * The experiments on the IRN paper's Tables 3 to 9 (list.ts): IRN without PFC, IRN with PFC and RoCE with PFC under each
 * congestion control, in the default case and in settings that differ from it in one parameter. The default case's own
 * cells are judged in the experiment irn.
 * Source: [IRN] appendix A.
 */
import { defineExperiment, type Experiment } from '../../core/experiment.ts'
import type { Claim, FindingsFigure } from '../../core/findings.ts'
import type { Plan, Point, Size } from '../../core/plan.ts'
import type { Runs } from '../../core/runs.ts'
import { type Arm, arm, CONTROL_NAMES, CONTROLS, DEFAULT, irnMeasures, LONG_BURST, METRICS } from '../arms.ts'
import { cellClaims, cellTable, irnIn, type NamedCell } from '../cells.ts'
import { type Control, irnDefault, type Pfc } from '../default-case.ts'
import { printedValues } from '../printed.ts'
import { IRN, IRN_PFC, ratioReadings, ROCE_PFC } from '../readings.ts'
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
  const { settings, trends = [], claims, remarks = [], hasBursts = false, ...head } = plan
  const controlsOf = (size: Size): readonly Control[] => (size === 'full' ? CONTROLS : ['none'])
  const cellsOf = (size: Size, own: (setting: Setting) => boolean): NamedCell[] =>
    settings.filter(own).flatMap((setting) => controlsOf(size).map((control) => cellOf(setting, control)))
  const usual = settings.find(({ id }) => id === DEFAULT)!
  return defineExperiment({
    ...head,
    sizes: {
      small: '2 ms of arrivals, no control',
      full: `956 flows per host, run to their end; ${CONTROLS.map((control) => CONTROL_NAMES[control]).join(', ')}`,
    },
    points: (size, seed) =>
      controlsOf(size).flatMap((control) =>
        settings.flatMap((setting) =>
          armsIn(setting, control, hasBursts && size === 'full').map((at) => pointOf(setting, at, size, seed)),
        ),
      ),
    measure: irnMeasures,
    conclude: (runs, size) => ({
      tables: [
        cellTable(
          runs,
          cellsOf(size, ({ only }) => only !== 'irn-pfc'),
        ),
      ],
      figures: [paperFigure(runs, plan.title, cellsOf(size, isPrinted))],
      claims:
        size === 'small'
          ? []
          : [
              ...trends.flatMap((trend) => trendClaims(runs, settings, trend)),
              ...(claims?.(runs, settings) ?? []),
              ...cellsOf(size, (setting) => setting !== usual && isPrinted(setting)).flatMap((cell) =>
                cellClaims(runs, cell),
              ),
            ],
      remarks: [
        ...remarks,
        `The setting "${usual.name}" is the default case, whose cells the experiment irn judges. In every setting PFC is run at the printed threshold, and 4 KB below it, where nothing is lost.`,
      ],
    }),
  })
}

/** Sides of every setting: IRN without PFC, and both transports with PFC at both of its thresholds. */
const SIDES = [
  { transport: 'irn', pfc: 'no-pfc' },
  { transport: 'irn', pfc: 'pfc' },
  { transport: 'irn', pfc: 'pfc-early' },
  { transport: 'roce', pfc: 'pfc' },
  { transport: 'roce', pfc: 'pfc-early' },
] as const satisfies readonly { readonly transport: 'irn' | 'roce'; readonly pfc: Pfc }[]

function armsIn({ id, only }: Setting, control: Control, hasBursts: boolean): Arm[] {
  if (only === 'irn-pfc') return control === 'none' ? [arm('irn', 'pfc', control, 1, id)] : []
  const sides = only === 'irn' ? SIDES.slice(0, 1) : SIDES
  const bursts = hasBursts ? [1, LONG_BURST] : [1]
  return bursts.flatMap((burst) => sides.map(({ transport, pfc }) => arm(transport, pfc, control, burst, id)))
}

function pointOf({ id, name, load, sets = () => [] }: Setting, at: Arm, size: Size, seed: number): Point<Arm> {
  const { transport, pfc, control, burst } = at
  const scenario = irnDefault({
    traffic: size === 'full' ? 'irn-default' : 'irn-default-2-ms',
    transport,
    pfc,
    control,
    burst,
    seed,
    ...(load === undefined ? {} : { load }),
    ...(id === DEFAULT ? {} : { setting: name, sets: sets(at, size === 'full' ? 75 : 2) }),
  })
  return { at, seed, scenario }
}

/** A heat map of our values over the paper's. */
function paperFigure(runs: Runs, title: string, cells: readonly NamedCell[]): FindingsFigure {
  const rows = cells.map((cell) => ({
    label: `${cell.name}, ${CONTROL_NAMES[cell.control]}`,
    cells: METRICS.flatMap(({ key, scale }, i) => {
      const [value, ...ratios] = printedValues(cell.setting, cell.control, i)
      const own = runs.mean(key, irnIn(cell), scale).mean / value
      const others = [IRN_PFC, ROCE_PFC].map((to, k) =>
        ratioReadings(runs, cell, IRN, to, key).map(({ measured }) => measured.mean / ratios[k]!),
      )
      return [[own], ...others]
    }),
  }))
  return {
    name: 'to-paper',
    heatMap: {
      title: `Ours over the paper's: ${title}`,
      subtitle: '1: equal; below 1: ours is smaller; two numbers: the lowest and the highest reading of PFC',
      columns: METRICS.flatMap(({ name }) =>
        ['IRN', 'IRN / IRN + PFC', 'IRN / RoCE + PFC'].map((label) => ({ group: name, label })),
      ),
      rows,
    },
  }
}
