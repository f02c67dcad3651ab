/**
 * A row of the IRN paper's Tables 3 to 9 under one congestion control: IRN's value of each metric, and its ratios to IRN
 * with PFC and to RoCE with PFC in every reading of PFC; and what the paper says about all rows: IRN is always better than
 * RoCE with PFC, PFC makes IRN worse without congestion control, and changes little with it.
 * Source: [IRN] abstract, section 4.4.1, appendix A.
 */
import { capital } from '../../findings/index.ts'
import { humanNumber } from '../../report/index.ts'
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
import { type Arm, arm, DEFAULT, METRICS } from './arms.ts'
import { controlName } from './default-case.ts'
import { printedControl, printedTable, printedValues } from './printed.ts'
import {
  bracketOf,
  type Cell,
  eachSeed,
  IRN,
  IRN_PFC,
  ratioReadings,
  readingsOf,
  ROCE_PFC,
  type Side,
  sideName,
} from './readings.ts'

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
export function inferred({ control, setting }: Cell, claim: Claim): Claim {
  return control === 'none' && INFERRED_FROM.includes(setting)
    ? { ...claim, verdict: 'input', reason: `${INFERRED} ${claim.reason}` }
    : claim
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
      { check: `${cell.name}, ${controlName(cell.control)}`, paperValues: [], unit: ' %' },
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
