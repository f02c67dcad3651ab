/**
 * A row of the IRN paper's Tables 3 to 9 under one congestion control: IRN's value of each metric, and its ratios to IRN
 * with PFC and to RoCE with PFC in every reading of PFC; and what the paper says about all rows: IRN is always better than
 * RoCE with PFC, PFC makes IRN worse without congestion control, and changes little with it.
 * The paper leaves two settings of PFC open, and all readings are run side by side: the threshold (packets are lost at the
 * printed one, none 4 KB below it), and the burst of packets that a QP sends before the NIC serves the next. RoCE with PFC
 * is very sensitive to both: at 30 % load its slowdown triples from 216 to 220 KB. No reading is preferred; a number that
 * depends on them is shown as a bracket (bracket() in findings.ts).
 * Source: [IRN] abstract, section 4.4.1, appendix A; 4.1, which gives 220 KB and no order in which QPs send.
 */
import { capital } from '../../core/findings/index.ts'
import { humanNumber } from '../../show/index.ts'
import { interval95 } from '../../core/results/index.ts'
import {
  ABOVE_ZERO,
  atLeast,
  atMost,
  type Band,
  bracket,
  type Claim,
  claim,
  type FindingsTable,
  type Reading,
  rightColumn,
} from '../core/findings.ts'
import type { Runs } from '../core/runs.ts'
import { type Arm, arm, DEFAULT, LONG_BURST, METRICS } from './arms.ts'
import { type Control, controlName, pauseKbOf, type Transport, transportName } from './default-case.ts'
import { printedControl, printedTable, printedValues } from './printed.ts'

/** A transport with PFC, in any reading, or without. */
export interface Side {
  readonly transport: Transport
  readonly hasPfc: boolean
}

export const IRN: Side = { transport: 'irn', hasPfc: false }
export const IRN_PFC: Side = { transport: 'irn', hasPfc: true }
export const ROCE_PFC: Side = { transport: 'roce', hasPfc: true }

export const sideName = ({ transport, hasPfc }: Side): string => `${transportName(transport)}${hasPfc ? ' + PFC' : ''}`

/** Where sides are compared: under a control, in a setting. */
interface Cell {
  readonly control: Control
  readonly setting: string
  /** Setting of the sides with PFC, if the cell's setting changes IRN only. */
  readonly pfcSetting?: string
  /** Printed threshold of PFC, if it is not that of the default case. */
  readonly pauseKb?: number
}

export const defaultCell = (control: Control): Cell => ({ control, setting: DEFAULT })

const READINGS = [1, LONG_BURST].flatMap((burst) => [
  { pfc: 'pfc-early', burst } as const,
  { pfc: 'pfc', burst } as const,
])

/** The arm of a side in a reading; `other` changes the cell. */
type ArmOf = (side: Side, other?: Partial<Cell>) => Arm

/** One value per seed in every reading in which the sides were run. */
export function readingsOf(
  runs: Runs,
  cell: Cell,
  sides: readonly Side[],
  valuesIn: (armOf: ArmOf) => readonly number[],
): Reading[] {
  return READINGS.flatMap(({ pfc, burst }) => {
    const armOf: ArmOf = ({ transport, hasPfc }, other) => {
      const { control, setting, pfcSetting = setting } = { ...cell, ...other }
      return arm(transport, hasPfc ? pfc : 'no-pfc', control, burst, hasPfc ? pfcSetting : setting)
    }
    if (sides.some((side) => runs.where(armOf(side)).outcomes.length === 0)) return []
    const values = valuesIn(armOf)
    const bursts = `bursts of ${burst === 1 ? 'one packet' : `${burst} packets`}`
    return [{ name: `${pauseKbOf(pfc, cell.pauseKb)} KB, ${bursts}`, measured: interval95(values), values }]
  })
}

/** A side's measure over another's in every reading, seed by seed. */
export function ratioReadings(runs: Runs, cell: Cell, of: Side, to: Side, key: string): Reading[] {
  return readingsOf(runs, cell, [of, to], (armOf) => runs.ratios(key, armOf(of), armOf(to)))
}

/** Lists with a value per seed, combined seed by seed: the least of several metrics, a ratio of ratios. */
export function eachSeed(
  lists: readonly (readonly number[])[],
  combine: (...values: readonly number[]) => number,
): number[] {
  return (lists[0] ?? []).map((_, seed) => combine(...lists.map((values) => values[seed]!)))
}

/** Smallest and largest mean of several readings. */
export function bracketOf(readings: readonly Reading[]): { readonly low: number; readonly high: number } {
  const means = readings.map(({ measured }) => measured.mean)
  return { low: Math.min(...means), high: Math.max(...means) }
}

export interface NamedCell extends Cell {
  /** The paper's name of the setting: "70 %". */
  readonly name: string
}

/** The sides in whose ratios the tables have two columns, in their order. */
const WITH_PFC = [IRN_PFC, ROCE_PFC]
const WHAT = ['IRN', ...WITH_PFC.map((to) => `IRN over ${sideName(to)}`)]

export const irnIn = ({ control, setting }: Cell): Arm => arm('irn', 'no-pfc', control, 1, setting)

/** The traffic was inferred from the cells of IRN in these settings without congestion control. */
const INFERRED_FROM = ['30-percent', DEFAULT]
const INFERRED = 'The traffic was inferred from this cell, so that its agreement means nothing.'

/** The claim on a value of IRN, as an input if the traffic was inferred from it. */
export function inferred({ control, setting }: Cell, own: Claim): Claim {
  return control === 'none' && INFERRED_FROM.includes(setting)
    ? { ...own, verdict: 'input', reason: `${INFERRED} ${own.reason}` }
    : own
}

export function cellClaims(runs: Runs, cell: NamedCell): Claim[] {
  const id = `irn.table${printedTable(cell.setting)}.cells`
  const cells = METRICS.flatMap(({ name, key, scale, unit }, i) => {
    const check = `${cell.name}, ${controlName(cell.control)}, ${name}`
    const [value, ...ratios] = printedValues(cell.setting, cell.control, i)
    const own = claim(
      id,
      runs.mean(key, irnIn(cell), scale),
      { low: value / 1.5, high: value * 1.5 },
      { check: `${check}, ${WHAT[0]}`, paper: `${humanNumber(value)}${unit}`, unit, ofOneRun: value },
    )
    const over = ratios.map((ratio, k) =>
      bracket(id, ratioReadings(runs, cell, IRN, WITH_PFC[k]!, key), ratioBand(ratio), {
        check: `${check}, ${WHAT[k + 1]}`,
        paper: humanNumber(ratio),
        paperValues: [ratio],
        isOfOneRun: true,
      }),
    )
    return [inferred(cell, own), ...over]
  })
  return [...alwaysClaims(runs, cell), ...cells]
}

/** 25 %, and on the same side of 1 if the paper's ratio is more than 5 % away from 1. */
function ratioBand(paper: number): Band {
  return {
    low: paper > 1.05 ? Math.max(1, paper * 0.75) : paper * 0.75,
    high: paper < 0.95 ? Math.min(1, paper * 1.25) : paper * 1.25,
  }
}

/** The paper's largest improvement and degradation of IRN by PFC in percent, with the tolerances. */
const MOST = { timely: { help: 1.6 + 3, harm: 39 + 15 }, dcqcn: { help: 5 + 3, harm: 20 + 15 } }

/** Claims on all settings, each on the metric of the three where it is met least. */
function alwaysClaims(runs: Runs, cell: NamedCell): Claim[] {
  const judged = (id: string, to: Side, band: Band, pick: typeof Math.min, percentOf: (ratio: number) => number) =>
    bracket(
      id,
      readingsOf(runs, cell, [IRN, to], (armOf) => {
        const byMetric = METRICS.map(({ key }) => runs.ratios(key, armOf(IRN), armOf(to)).map(percentOf))
        return eachSeed(byMetric, pick)
      }),
      band,
      { check: `${cell.name}, ${controlName(cell.control)}`, unit: ' %' },
    )
  const harm = (ratio: number): number => 100 * (1 / ratio - 1)
  const control = printedControl(cell.control)
  const better = judged('irn.441.a.always-better', ROCE_PFC, ABOVE_ZERO, Math.min, (ratio) => 100 * (1 - ratio))
  if (control === 'none') {
    return [better, judged('irn.441.b.pfc-always-degrades-nocc', IRN_PFC, atLeast(0), Math.min, harm)]
  }
  const { help: mostHelp, harm: mostHarm } = MOST[control]
  return [
    better,
    judged('irn.441.c.improvement', IRN_PFC, atMost(mostHelp), Math.max, (ratio) => 100 * (ratio - 1)),
    judged('irn.441.c.timely', IRN_PFC, atMost(mostHarm), Math.max, harm),
  ]
}

/** A table for each metric, with the rows of the paper's. */
export function cellTables(runs: Runs, cells: readonly NamedCell[]): FindingsTable[] {
  return METRICS.map(({ name, key, scale, unit }, i) => ({
    title: `${capital(name)}${unit === '' ? '' : `,${unit}`}; in parentheses: the paper's`,
    columns: [{ head: 'setting' }, { head: 'congestion control' }, ...WHAT.map(rightColumn)],
    rows: cells.map((cell) => {
      const printed = printedValues(cell.setting, cell.control, i)
      const own = [
        humanNumber(runs.mean(key, irnIn(cell), scale).mean),
        ...WITH_PFC.map((to) => bracketText(ratioReadings(runs, cell, IRN, to, key))),
      ]
      return [cell.name, controlName(cell.control), ...own.map((text, k) => `${text} (${humanNumber(printed[k]!)})`)]
    }),
  }))
}

/** From the lowest to the highest reading. */
function bracketText(readings: readonly Reading[]): string {
  const { low, high } = bracketOf(readings)
  const [least, most] = [humanNumber(low), humanNumber(high)]
  return least === most ? least : `${least} to ${most}`
}
