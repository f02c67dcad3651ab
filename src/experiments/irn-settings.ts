/**
 * What the experiments on S3's Tables 3 to 9 share: IRN without PFC, IRN with PFC and RoCE with PFC, under each congestion
 * control, in the default case and in settings that differ from it in one thing; each cell of a table beside its run.
 * Source: S3 appendix A. Where RoCE and IRN pause they do so early enough to lose nothing (irn-default.ts).
 */
import { exactCount, humanNumber, humanShare } from '../report/index.ts'
import type { Interval } from '../results/index.ts'
import { defineExperiment, type Experiment, type Outcome, type Point, type Size } from './experiment.ts'
import {
  barOf,
  type Claim,
  everySeedClaim,
  type Findings,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  meanCountText,
} from './findings.ts'
import { alwaysClaims } from './irn-always.ts'
import { arm, type Arm, CONTROL_NAMES, CONTROLS, irnMeasures, METRICS } from './irn-arms.ts'
import { type CellPlace, cellClaims } from './irn-cells.ts'
import { type Control, irnDefault, type Traffic } from './irn-default.ts'
import { DEFAULT_SETTING, printedRows } from './irn-printed.ts'
import { overSeeds, ratioOverSeeds, ratiosOf } from './over-seeds.ts'

/** Who is held against whom, without congestion control. */
const IRN = arm('irn', 'no PFC', 'none')
const IRN_PFC = arm('irn', 'PFC at 216 KB', 'none')
const ROCE_PFC = arm('roce', 'PFC at 216 KB', 'none')
const NAMES: ReadonlyMap<Arm, string> = new Map([
  [IRN, 'IRN'],
  [IRN_PFC, 'IRN + PFC'],
  [ROCE_PFC, 'RoCE + PFC'],
])

/** Something else than in the default case. */
export interface Setting {
  /** As irn-printed.ts has it, or a name of its own where the paper has no cells. */
  readonly name: string
  /** False: the paper has no cells. */
  readonly isPrinted?: boolean
  /** True: it is about IRN without PFC, and the others run as in the default case. */
  readonly isOfIrnAlone?: boolean
  /** What is changed in the scenario of an arm, as "path=value". */
  readonly sets: (arm: Arm, size: Size) => readonly string[]
}

/** An order from setting to setting, in the average slowdown without congestion control. */
export interface Trend {
  readonly id: string
  readonly to: 'IRN + PFC' | 'RoCE + PFC'
  /** Of IRN's slowdown over that of the other, in the order of the settings. */
  readonly way: 'rises' | 'falls'
}

export interface SettingsPlan {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly help: string
  /** What the default case is called among the settings: "40 Gb/s". */
  readonly defaultName: string
  /** In the order of the table, with the default case (`defaultName`, no changes) in its place. */
  readonly settings: readonly Setting[]
  /** In runs of full size; a first look has none. */
  readonly controls?: readonly Control[]
  readonly trends?: readonly Trend[]
  /** What else is claimed of the runs; full size only. */
  readonly claims?: (runs: Runs) => readonly Claim[]
  readonly remarks: readonly string[]
}

/** The runs of an experiment, and how they are found again. */
export class Runs {
  readonly outcomes: readonly Outcome[]
  readonly controls: readonly Control[]
  readonly #defaultName: string

  constructor(outcomes: readonly Outcome[], controls: readonly Control[], defaultName: string) {
    this.outcomes = outcomes
    this.controls = controls
    this.#defaultName = defaultName
  }

  /** The conditions of a setting under a control. */
  place(setting: Setting, control: Control): CellPlace {
    const others = setting.isOfIrnAlone === true ? this.#defaultName : setting.name
    return {
      setting: setting.name === this.#defaultName ? DEFAULT_SETTING : setting.name,
      control,
      irn: conditionOf(IRN, setting.name, control),
      irnPfc: conditionOf(IRN_PFC, others, control),
      rocePfc: conditionOf(ROCE_PFC, others, control),
      isCutShort: false,
    }
  }

  /** IRN's metric in a setting over that in the default case, seed by seed. */
  overDefault(setting: Setting, control: Control, key: string): number[] {
    const of = conditionOf(IRN, setting.name, control)
    const to = conditionOf(IRN, this.#defaultName, control)
    return ratiosOf(this.outcomes, { of, to }, (m) => m[key]!)
  }
}

const conditionOf = (each: Arm, setting: string, control: Control): string =>
  `${NAMES.get(each)!} | ${setting} | ${CONTROL_NAMES[control]}`

const right = (head: string) => ({ head, align: 'right' }) as const

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
      full: `20 ms of arrivals, run to their end; ${fullControls.map((control) => CONTROL_NAMES[control]).join(', ')}`,
    },
    points: (size, seed) => controlsOf(size).flatMap((control) => pointsOf(plan, { size, seed, control })),
    measure: irnMeasures,
    conclude(outcomes, size): Findings {
      const runs = new Runs(outcomes, controlsOf(size), defaultName)
      return {
        tables: [cellTable(plan, runs), valueTable(plan, runs)],
        figures: figures(plan, runs),
        claims: size === 'small' ? [] : claims(plan, runs),
        remarks: [
          ...plan.remarks,
          `The row "${defaultName}" is the default case, with PFC pausing at 216 of 240 KB, where nothing is lost; its cells are judged in the experiment irn, where it pauses at the paper's 220 KB. Flows, sizes and destinations of one seed are the same in all runs of one setting.`,
          ...(size === 'small' ? ['This size is cut short, to 2 ms of arrivals, and judges nothing.'] : []),
        ],
      }
    },
  })
}

/** The runs of all settings of a size under a control. */
function pointsOf(
  { settings, defaultName }: SettingsPlan,
  { size, seed, control }: { readonly size: Size; readonly seed: number; readonly control: Control },
): Point[] {
  const traffic: Traffic = size === 'full' ? 'irn-default' : 'irn-default, 2 ms'
  return settings.flatMap((setting) =>
    [...NAMES.keys()]
      .filter((each) => each === IRN || setting.isOfIrnAlone !== true)
      .map((each) => ({
        condition: conditionOf(each, setting.name, control),
        seed,
        scenario: irnDefault({
          ...each,
          control,
          traffic,
          seed,
          ...(setting.name === defaultName ? {} : { setting: setting.name, sets: setting.sets(each, size) }),
        }),
      })),
  )
}

const ratioOf = ({ outcomes }: Runs, of: string, to: string, key: string): Interval =>
  ratioOverSeeds(outcomes, { of, to }, (m) => m[key]!)

const isPrinted = (setting: Setting): boolean => setting.isPrinted !== false

function cellTable({ settings }: SettingsPlan, runs: Runs): FindingsTable {
  return {
    title: 'IRN, and what it has of the others',
    columns: [
      { head: 'setting' },
      { head: 'congestion control' },
      { head: 'metric' },
      ...['IRN', 'paper', 'IRN / IRN + PFC', 'paper', 'IRN / RoCE + PFC', 'paper'].map(right),
    ],
    rows: settings.flatMap((setting) =>
      runs.controls.flatMap((control) => {
        const { irn, irnPfc, rocePfc, setting: printed } = runs.place(setting, control)
        const paper = isPrinted(setting) ? printedRows(printed, control) : undefined
        return METRICS.map(({ name, key, text: show }, i) => {
          const [value, overIrnPfc, overRocePfc] = paper?.[i] ?? []
          return [
            setting.name,
            CONTROL_NAMES[control],
            name,
            show(overSeeds(runs.outcomes, irn, (m) => m[key]!).mean),
            value === undefined ? '-' : show(value),
            intervalText(ratioOf(runs, irn, irnPfc, key)),
            overIrnPfc === undefined ? '-' : humanNumber(overIrnPfc),
            intervalText(ratioOf(runs, irn, rocePfc, key)),
            overRocePfc === undefined ? '-' : humanNumber(overRocePfc),
          ]
        })
      }),
    ),
  }
}

function valueTable({ settings }: SettingsPlan, runs: Runs): FindingsTable {
  return {
    title: 'All runs',
    columns: [
      { head: 'transport' },
      { head: 'setting' },
      { head: 'congestion control' },
      ...METRICS.map(({ name }) => right(name)),
      ...['packets lost', 'timeouts', 'pause frames', 'unfinished'].map(right),
    ],
    rows: [...NAMES].flatMap(([each, transport]) =>
      settings
        .filter((setting) => each === IRN || setting.isOfIrnAlone !== true)
        .flatMap((setting) =>
          runs.controls.map((control) => {
            const at = (key: string): Interval =>
              overSeeds(runs.outcomes, conditionOf(each, setting.name, control), (m) => m[key]!)
            return [
              transport,
              setting.name,
              CONTROL_NAMES[control],
              ...METRICS.map(({ key, text: show }) => show(at(key).mean)),
              humanShare(at('drops').mean / at('dataPackets').mean),
              exactCount(Math.round(at('timeouts').mean)),
              exactCount(Math.round(at('pauseFrames').mean)),
              meanCountText(at('unfinishedFlows').mean),
            ]
          }),
        ),
    ),
  }
}

function figures({ settings, title }: SettingsPlan, runs: Runs): FindingsFigure[] {
  const bars = (other: 'irnPfc' | 'rocePfc', column: 1 | 2) =>
    settings.flatMap((setting) =>
      runs.controls.map((control) => {
        const place = runs.place(setting, control)
        return {
          label: setting.name,
          series: CONTROL_NAMES[control],
          ...barOf(ratioOf(runs, place[other], place.irn, 'meanSlowdown')),
          ...(isPrinted(setting) ? { paper: 1 / printedRows(place.setting, control)[0]![column] } : {}),
        }
      }),
    )
  const figure = (name: string, what: string, groups: ReturnType<typeof bars>): FindingsFigure => ({
    name,
    bars: {
      title: `${what} beside IRN without PFC: ${title}`,
      subtitle: 'average slowdown over that of IRN; means over seeds with 95 % intervals',
      yLabel: "slowdown over IRN's",
      paperLabel: 'S3',
      groups,
    },
  })
  return [figure('roce', 'RoCE with PFC', bars('rocePfc', 2)), figure('pfc', 'IRN with PFC', bars('irnPfc', 1))]
}

function claims(plan: SettingsPlan, runs: Runs): Claim[] {
  const { settings, defaultName, trends = [] } = plan
  const cells = settings
    .filter((setting) => setting.name !== defaultName && isPrinted(setting))
    .flatMap((setting) =>
      runs.controls.flatMap((control) => {
        const place = runs.place(setting, control)
        return [...alwaysClaims(runs.outcomes, place), ...cellClaims(runs.outcomes, place)]
      }),
    )
  return [...trends.flatMap((trend) => trendClaims(plan, trend, runs)), ...(plan.claims?.(runs) ?? []), ...cells]
}

/** One row for each step from setting to setting. */
function trendClaims({ settings }: SettingsPlan, { id, to, way }: Trend, runs: Runs): Claim[] {
  const isOverIrn = to === 'IRN + PFC'
  const slowdowns = (setting: Setting): number[] => {
    const { irn, irnPfc, rocePfc } = runs.place(setting, 'none')
    return ratiosOf(runs.outcomes, { of: irn, to: isOverIrn ? irnPfc : rocePfc }, (m) => m['meanSlowdown']!)
  }
  const printed = (setting: Setting): number =>
    printedRows(runs.place(setting, 'none').setting, 'none')[0]![isOverIrn ? 1 : 2]
  return settings.slice(1).map((setting, i) => {
    const before = settings[i]!
    const [first, second] = [slowdowns(before), slowdowns(setting)]
    const side = way === 'rises' ? 'above 1' : 'below 1'
    return everySeedClaim({
      id: `${id} [IRN over ${to}, ${before.name} to ${setting.name}]`,
      statement: `IRN's average slowdown over that of ${to} ${way} from ${before.name} to ${setting.name}: the second over the first`,
      paper: `${side}; ${humanNumber(printed(setting) / printed(before))}`,
      values: second.map((value, seed) => value / first[seed]!),
      holds: (value) => (way === 'rises' ? value > 1 : value < 1),
      counts: side,
      unit: ' x',
    })
  })
}
