/**
 * Cells of S3's Tables 3 to 9 held against runs: IRN's value in a setting, and its ratios to IRN with PFC and to RoCE with
 * PFC.
 */
import { humanNumber } from '../report/index.ts'
import type { Interval } from '../results/index.ts'
import { MS } from '../base/index.ts'
import type { Outcome } from './experiment.ts'
import { ABOVE_ONE, type Band, BELOW_ONE, type Claim, claimOf } from './findings.ts'
import { CONTROL_NAMES, METRICS } from './irn-arms.ts'
import type { Control } from './irn-default.ts'
import { printedRows, printedSetting } from './irn-printed.ts'
import { overSeeds, ratioOverSeeds } from './over-seeds.ts'

/** A setting of the tables under one control, and the conditions of its runs. */
export interface CellPlace {
  /** As irn-printed.ts has it, and the rows: "70 %". */
  readonly setting: string
  readonly control: Control
  readonly irn: string
  readonly irnPfc: string
  readonly rocePfc: string
  readonly isCutShort: boolean
}

/** Ratios within 25 % and on the same side of 1 where the paper's is away from it; values within a factor of 1.5. */
export function cellClaims(outcomes: readonly Outcome[], place: CellPlace): Claim[] {
  const { setting, control, irn, irnPfc, rocePfc, isCutShort } = place
  const { table } = printedSetting(setting)
  const rows = printedRows(setting, control)
  return METRICS.flatMap(({ name, key }, i) => {
    const [value, overIrnPfc, overRocePfc] = rows[i]!
    const scale = key === 'meanSlowdown' ? 1 : 1 / MS
    const bandOf = (x: number): Band => ({
      low: x > 1.05 ? Math.max(1, x * 0.75) : x * 0.75,
      high: x < 0.95 ? Math.min(1, x * 1.25) : x * 1.25,
    })
    const sideOf = (x: number): Band | null => (x > 1.05 ? ABOVE_ONE : x < 0.95 ? BELOW_ONE : null)
    const cell = (
      what: string,
      paper: number,
      measured: Interval,
      band: Band,
      tolerance: string,
      unit = '',
      side: Band | null = null,
    ): Claim =>
      claimOf({
        id: `irn.table${table}.cells [${setting}, ${CONTROL_NAMES[control]}, ${name}, ${what}]`,
        statement: `Table ${table}: ${name} of ${what}`,
        paper: `${humanNumber(paper)}${unit}`,
        measured,
        unit,
        band,
        tolerance,
        cutShort: isCutShort ? side : undefined,
      })
    const over = (to: string): Interval => ratioOverSeeds(outcomes, { of: irn, to }, (m) => m[key]!)
    const near = '25 % and on the same side of 1'
    return [
      cell(
        'IRN',
        value * scale,
        overSeeds(outcomes, irn, (m) => m[key]! * scale),
        { low: (value * scale) / 1.5, high: value * scale * 1.5 },
        'a factor of 1.5',
        scale === 1 ? '' : ' ms',
      ),
      cell('IRN over IRN + PFC', overIrnPfc, over(irnPfc), bandOf(overIrnPfc), near, '', sideOf(overIrnPfc)),
      cell('IRN over RoCE + PFC', overRocePfc, over(rocePfc), bandOf(overRocePfc), near, '', sideOf(overRocePfc)),
    ]
  })
}
