/**
 * Claims for the cells of the IRN paper's Tables 3 to 9: IRN's value in a setting, and its ratios to IRN with PFC and to
 * RoCE with PFC in every reading of PFC.
 */
import { MS } from '../../base/index.ts'
import { humanNumber } from '../../report/index.ts'
import type { Outcome } from '../core/old/plan.ts'
import { type Band, bracketClaim, type Claim, claimOf } from '../core/findings.ts'
import { armName, CONTROL_NAMES, METRICS } from './arms.ts'
import { DEFAULT_SETTING, printedRows, printedTable } from './printed.ts'
import { IRN, IRN_PFC, type CellReading, readingsOf, ROCE_PFC, type Side } from './readings.ts'
import { overSeeds } from '../core/old/over-seeds.ts'

/** A setting under one control, and the runs of its sides. */
export interface CellAt {
  readonly at: CellReading
  /** Name in printed.ts: "70 %". */
  readonly printed: string
  /** Setting of the runs with PFC, if the setting changes IRN only. */
  readonly others?: CellReading
}

/** Settings whose cells for IRN without congestion control are inputs: the traffic was inferred from them. */
const INFERRED_FROM = ['30 %', DEFAULT_SETTING]

/** Whether the cells of IRN alone are inputs. */
export function isInput({ at, printed }: CellAt): boolean {
  return at.control === 'none' && INFERRED_FROM.includes(printed)
}

/** A ratio's band: 25 %, and on the same side of 1 if the paper's ratio is more than 5 % away from 1. */
function ratioBand(paper: number): Band {
  return {
    low: paper > 1.05 ? Math.max(1, paper * 0.75) : paper * 0.75,
    high: paper < 0.95 ? Math.min(1, paper * 1.25) : paper * 1.25,
  }
}

/** Claims for a cell. Values have a band of a factor of 1.5, ratios that of `ratioBand`. */
export function cellClaims(outcomes: readonly Outcome[], cell: CellAt): Claim[] {
  const { at, printed } = cell
  const table = printedTable(printed)
  const rows = printedRows(printed, at.control)
  return METRICS.flatMap(({ name, key }, i) => {
    const [value, overIrnPfc, overRocePfc] = rows[i]!
    const scale = key === 'meanSlowdown' ? 1 : 1 / MS
    const unit = scale === 1 ? '' : ' ms'
    const where = `${printed}, ${CONTROL_NAMES[at.control]}, ${name}`
    const paper = value * scale
    const irn = armName({ transport: 'irn', pfc: 'no PFC', control: at.control }, at.setting)
    const own = claimOf({
      id: `irn.table${table}.cells [${where}, IRN]`,
      statement: `Table ${table}: ${name} of IRN`,
      paper: `${humanNumber(paper)}${unit}`,
      measured: overSeeds(outcomes, irn, (m) => m[key]! * scale),
      unit,
      band: { low: paper / 1.5, high: paper * 1.5 },
      tolerance: 'a factor of 1.5',
      ofOneRun: paper,
    })
    const over = (to: Side, what: string, ratio: number): Claim =>
      bracketClaim({
        id: `irn.table${table}.cells [${where}, ${what}]`,
        statement: `Table ${table}: ${name} of ${what}`,
        paper: humanNumber(ratio),
        readings: ratioReadings(outcomes, cell, to, key),
        paperValues: [ratio],
        isOfOneRun: true,
        band: ratioBand(ratio),
        tolerance: '25 % and on the same side of 1',
      })
    return [
      isInput(cell) ? { ...own, verdict: 'input', reason: `${INFERRED} ${own.reason}` } : own,
      over(IRN_PFC, 'IRN over IRN + PFC', overIrnPfc),
      over(ROCE_PFC, 'IRN over RoCE + PFC', overRocePfc),
    ]
  })
}

/** IRN's metric over that of a side with PFC, in every reading. */
export function ratioReadings(outcomes: readonly Outcome[], { at, others }: CellAt, to: Side, key: string) {
  if (others === undefined) return readingsOf(outcomes, { of: IRN, to, at }, (m) => m[key]!)
  // The setting changes IRN only: its runs replace those of the default case, which have the same arrivals.
  const renamed = outcomes.flatMap((outcome): Outcome[] => {
    const usual = armName({ transport: 'irn', pfc: 'no PFC', control: at.control }, others.setting)
    const own = armName({ transport: 'irn', pfc: 'no PFC', control: at.control }, at.setting)
    if (outcome.condition === usual) return []
    return outcome.condition === own ? [{ ...outcome, condition: usual }] : [outcome]
  })
  return readingsOf(renamed, { of: IRN, to, at: others }, (m) => m[key]!)
}

const INFERRED = 'The traffic was inferred from this cell, so that its agreement means nothing.'
