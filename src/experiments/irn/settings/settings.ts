/**
 * Common part of the experiments on the IRN paper's Tables 3 to 9: IRN without PFC, IRN with PFC and RoCE with PFC under
 * each congestion control, in the default case and in settings that differ from it in one parameter.
 * Source: [IRN] appendix A. The default case's own cells are judged in the experiment irn.
 */
import { humanNumber } from '../../../report/index.ts'
import { defineExperiment, type Experiment } from '../../core/old/plan.ts'
import type { Outcome, Point, Size } from '../../core/old/plan.ts'
import {
  ABOVE_ONE,
  BELOW_ONE,
  bracketClaim,
  type Claim,
  type Findings,
  type FindingsFigure,
  type FindingsTable,
  rightColumn,
} from '../../core/findings.ts'
import { alwaysClaims } from '../always.ts'
import { type Arm, armName, CONTROL_NAMES, CONTROLS, irnMeasures, LONG_BURST, METRICS } from '../arms.ts'
import { cellClaims, type CellAt, ratioReadings } from '../cells.ts'
import { type Control, irnDefault, type Pfc, type Traffic } from '../default-case.ts'
import { DEFAULT_SETTING, printedRows } from '../printed.ts'
import {
  combinedReadings,
  DEFAULT_PAUSE_KB,
  IRN,
  IRN_PFC,
  type PauseKb,
  type CellReading,
  ratiosIn,
  ROCE_PFC,
  type Side,
} from '../readings.ts'
import { bracketText, valueTable } from '../tables.ts'
import { overSeeds, ratiosOf } from '../../core/old/over-seeds.ts'

/** Sides of every setting: IRN without PFC, and both transports with PFC at both of its thresholds. */
const SIDES: readonly { readonly transport: 'irn' | 'roce'; readonly pfc: Pfc }[] = [
  { transport: 'irn', pfc: 'no PFC' },
  { transport: 'irn', pfc: 'PFC' },
  { transport: 'irn', pfc: 'PFC early' },
  { transport: 'roce', pfc: 'PFC' },
  { transport: 'roce', pfc: 'PFC early' },
]

/** A difference from the default case. */
export interface Setting {
  /** Name in printed.ts, or another name if the paper has no cells. */
  readonly name: string
  /** False if the paper has no cells. */
  readonly isPrinted?: boolean
  /** The setting changes IRN without PFC only; other sides have the runs of the default case. */
  readonly isOfIrnAlone?: boolean
  /** The setting has runs of IRN with PFC only, without congestion control. */
  readonly isOfIrnPfcAlone?: boolean
  /** Share of the hosts' links, 0.7 by default. */
  readonly load?: number
  /** Thresholds of PFC, if they differ from the default case. */
  readonly pauseKb?: PauseKb
  /** Changes to the scenario of an arm, as "path=value". */
  readonly sets: (arm: Arm, arrivalsMs: number) => readonly string[]
}

/** A claim that a ratio rises or falls from setting to setting, in the average slowdown without congestion control. */
interface Trend {
  readonly id: string
  readonly to: 'IRN + PFC' | 'RoCE + PFC'
  /** Direction of IRN's slowdown over that of the other, in the order of the settings. */
  readonly direction: 'rises' | 'falls'
}

interface SettingsPlan {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly help: string
  /** Name of the default case among the settings: "40 Gb/s". */
  readonly defaultName: string
  /** Settings in the order of the table, including the default case (`defaultName`, without changes). */
  readonly settings: readonly Setting[]
  /** Also runs the longer burst. */
  readonly hasBursts?: boolean
  /** Congestion controls of the full size; the small size has the first of them. */
  readonly controls?: readonly Control[]
  readonly trends?: readonly Trend[]
  /** Further claims, at full size only. */
  readonly claims?: (runs: Runs) => readonly Claim[]
  readonly remarks: readonly string[]
}

/** The runs of an experiment, looked up by setting and control. */
export class Runs {
  readonly outcomes: readonly Outcome[]
  readonly controls: readonly Control[]
  readonly #defaultName: string

  constructor(outcomes: readonly Outcome[], controls: readonly Control[], defaultName: string) {
    this.outcomes = outcomes
    this.controls = controls
    this.#defaultName = defaultName
  }

  /** The runs of a setting under a control. */
  cell({ name, isOfIrnAlone = false, pauseKb = DEFAULT_PAUSE_KB }: Setting, control: Control): CellAt {
    const isDefault = name === this.#defaultName
    const at: CellReading = { control, setting: isDefault ? '' : name, pauseKb }
    const others: CellReading = { control, setting: '', pauseKb }
    return { at, printed: isDefault ? DEFAULT_SETTING : name, ...(isOfIrnAlone && !isDefault ? { others } : {}) }
  }

  /** IRN's metric in a setting over that in the default case, seed by seed. */
  overDefault({ name }: Setting, control: Control, key: string): number[] {
    const irn = { transport: 'irn', pfc: 'no PFC', control } as const
    const of = armName(irn, name === this.#defaultName ? '' : name)
    return ratiosOf(this.outcomes, { of, to: armName(irn) }, (m) => m[key]!)
  }
}

export function defineIrnSettings(plan: SettingsPlan): Experiment {
  const { name, title, source, help, defaultName } = plan
  const fullControls = plan.controls ?? CONTROLS
  const controlsOf = (size: Size): readonly Control[] => (size === 'full' ? fullControls : fullControls.slice(0, 1))
  return defineExperiment({
    name,
    title,
    source,
    help,
    sizes: {
      small: `2 ms of arrivals, ${CONTROL_NAMES[fullControls[0]!]}`,
      full: `956 flows per host, run to their end; ${fullControls.map((control) => CONTROL_NAMES[control]).join(', ')}`,
    },
    points: (size, seed) => controlsOf(size).flatMap((control) => pointsOf(plan, { size, seed, control })),
    measure: irnMeasures,
    conclude(outcomes, size): Findings {
      const runs = new Runs(outcomes, controlsOf(size), defaultName)
      return {
        tables: [cellTable(plan, runs), valueTable(outcomes)],
        figures: figures(plan, runs),
        claims: size === 'small' ? [] : claims(plan, runs),
        remarks: [
          ...plan.remarks,
          `The setting "${defaultName}" is the default case. Its runs are those of the experiment irn, which judges its cells. PFC is run at two thresholds in every setting: the printed one, and 4 KB below it, where nothing is lost. Flows, sizes and destinations of one seed are the same in all runs of one setting.`,
          ...(size === 'small' ? ['This size is cut short, to 2 ms of arrivals, and judges no claim.'] : []),
        ],
      }
    },
  })
}

/** The runs of all settings of a size under a control. */
function pointsOf(
  { settings, defaultName, hasBursts = false }: SettingsPlan,
  { size, seed, control }: { readonly size: Size; readonly seed: number; readonly control: Control },
): Point[] {
  const traffic: Traffic = size === 'full' ? 'irn-default' : 'irn-default, 2 ms'
  const bursts = hasBursts && size === 'full' ? [1, LONG_BURST] : [1]
  return settings.flatMap(({ name, isOfIrnAlone = false, isOfIrnPfcAlone = false, load, sets }) =>
    bursts.flatMap((burst) =>
      SIDES.filter(({ transport, pfc }) =>
        isOfIrnPfcAlone
          ? transport === 'irn' && pfc === 'PFC' && control === 'none'
          : pfc === 'no PFC' || !isOfIrnAlone,
      ).map((side) => {
        const each: Arm = { ...side, control, burst }
        const setting = name === defaultName ? '' : name
        return {
          condition: armName(each, setting),
          seed,
          scenario: irnDefault({
            ...each,
            traffic,
            seed,
            packetsPerTurn: burst,
            ...(load === undefined ? {} : { load }),
            ...(setting === '' ? {} : { setting, sets: sets(each, size === 'full' ? 75 : 2) }),
          }),
        }
      }),
    ),
  )
}

const isPrinted = (setting: Setting): boolean => setting.isPrinted !== false

function cellTable({ settings }: SettingsPlan, runs: Runs): FindingsTable {
  return {
    title: 'IRN, and its ratios to sides with PFC from the lowest to the highest reading',
    columns: [
      { head: 'setting' },
      { head: 'congestion control' },
      { head: 'metric' },
      ...['IRN', 'paper', 'IRN / IRN + PFC', 'paper', 'IRN / RoCE + PFC', 'paper'].map(rightColumn),
    ],
    rows: settings
      .filter((setting) => setting.isOfIrnPfcAlone !== true)
      .flatMap((setting) =>
        runs.controls.flatMap((control) => {
          const cell = runs.cell(setting, control)
          const paper = isPrinted(setting) ? printedRows(cell.printed, control) : undefined
          const irn = armName({ transport: 'irn', pfc: 'no PFC', control }, cell.at.setting)
          return METRICS.map(({ name, key, text: show }, i) => {
            const [value, overIrnPfc, overRocePfc] = paper?.[i] ?? []
            return [
              setting.name,
              CONTROL_NAMES[control],
              name,
              show(overSeeds(runs.outcomes, irn, (m) => m[key]!).mean),
              value === undefined ? '-' : show(value),
              bracketText(ratioReadings(runs.outcomes, cell, IRN_PFC, key)),
              overIrnPfc === undefined ? '-' : humanNumber(overIrnPfc),
              bracketText(ratioReadings(runs.outcomes, cell, ROCE_PFC, key)),
              overRocePfc === undefined ? '-' : humanNumber(overRocePfc),
            ]
          })
        }),
      ),
  }
}

/** A heat map of our values over the paper's. */
function figures(plan: SettingsPlan, runs: Runs): FindingsFigure[] {
  const columns = METRICS.flatMap(({ name }) =>
    ['IRN', 'IRN / IRN + PFC', 'IRN / RoCE + PFC'].map((what) => ({ name, what })),
  )
  const rows = plan.settings.filter(isPrinted).flatMap((setting) =>
    runs.controls.map((control) => {
      const cell = runs.cell(setting, control)
      const paper = printedRows(cell.printed, control)
      const irn = armName({ transport: 'irn', pfc: 'no PFC', control }, cell.at.setting)
      return {
        label: `${setting.name}, ${CONTROL_NAMES[control]}`,
        cells: METRICS.flatMap(({ key }, i) => {
          const [value, ...ratios] = paper[i]!
          const own = overSeeds(runs.outcomes, irn, (m) => m[key]!).mean / value
          const others = [IRN_PFC, ROCE_PFC].map((to, k) =>
            ratioReadings(runs.outcomes, cell, to, key).map(({ measured }) => measured.mean / ratios[k]!),
          )
          return [[own], ...others]
        }),
      }
    }),
  )
  return [
    {
      name: 'to-paper',
      heatMap: {
        title: `Ours over the paper's: ${plan.title}`,
        subtitle: '1: equal; below 1: ours is smaller; two numbers: the lowest and the highest reading of PFC',
        columns: columns.map(({ name, what }) => ({ group: name, label: what })),
        rows,
      },
    },
  ]
}

function claims(plan: SettingsPlan, runs: Runs): Claim[] {
  const { settings, defaultName, trends = [] } = plan
  const cells = settings
    .filter((setting) => setting.name !== defaultName && isPrinted(setting))
    .flatMap((setting) =>
      runs.controls.flatMap((control) => {
        const cell = runs.cell(setting, control)
        return [...alwaysClaims(runs.outcomes, cell), ...cellClaims(runs.outcomes, cell)]
      }),
    )
  return [...trends.flatMap((trend) => trendClaims(plan, trend, runs)), ...(plan.claims?.(runs) ?? []), ...cells]
}

/** The claims of a trend, one for each step from setting to setting. */
function trendClaims({ settings }: SettingsPlan, { id, to, direction }: Trend, runs: Runs): Claim[] {
  const side: Side = to === 'IRN + PFC' ? IRN_PFC : ROCE_PFC
  const column = to === 'IRN + PFC' ? 1 : 2
  const slowdowns = (setting: Setting) =>
    ratiosIn(runs.outcomes, { of: IRN, to: side, at: runs.cell(setting, 'none').at }, (m) => m['meanSlowdown']!)
  const printed = (setting: Setting): number => printedRows(runs.cell(setting, 'none').printed, 'none')[0]![column]
  const ordered = settings.filter(isPrinted)
  return ordered.slice(1).map((setting, i) => {
    const before = ordered[i]!
    const readings = combinedReadings(slowdowns(setting), slowdowns(before), (own, previous) => own / previous, setting)
    const step = printed(setting) / printed(before)
    const isRise = direction === 'rises'
    return bracketClaim({
      id: `${id} [IRN over ${to}, ${before.name} to ${setting.name}]`,
      statement: `The average slowdown of IRN over that of ${to} ${direction} from ${before.name} to ${setting.name}; the latter over the former`,
      paper: `${isRise ? 'above' : 'below'} 1; ${humanNumber(step)} in its table`,
      readings,
      paperValues: [],
      band: isRise ? ABOVE_ONE : BELOW_ONE,
      tolerance: 'the sign',
      unit: ' x',
      ...(isRise === step > 1 ? {} : { why: "The paper's own cells have the opposite direction here." }),
    })
  })
}
