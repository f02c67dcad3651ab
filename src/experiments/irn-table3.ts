/**
 * Table 3 of S3 (appendix A.1), and what is held against it: IRN's value by load, and its ratios to IRN with PFC and to
 * RoCE with PFC.
 */
import { MS } from '../base/index.ts'
import { humanNumber } from '../report/index.ts'
import type { Interval } from '../results/index.ts'
import type { Outcome } from './experiment.ts'
import { ABOVE_ONE, type Band, BELOW_ONE, type Claim, claimOf } from './findings.ts'
import { CONTROL_NAMES, METRICS } from './irn-arms.ts'
import type { Control } from './irn-default.ts'
import { overSeeds, ratioOverSeeds } from './over-seeds.ts'

/** By metric, in the order of METRICS: IRN, over IRN with PFC, over RoCE with PFC. Times in picoseconds. */
export type Table3Rows = readonly (readonly [irn: number, overIrnPfc: number, overRocePfc: number])[]

/** At 70 % load, by congestion control. */
const AT_70 = {
  none: [
    [8.24, 0.513, 0.269],
    [0.9 * MS, 0.64, 0.35],
    [15.3 * MS, 0.612, 0.301],
  ],
  timely: [
    [4.73, 0.995, 0.626],
    [1.2 * MS, 0.976, 0.625],
    [18.5 * MS, 0.968, 0.594],
  ],
  dcqcn: [
    [5.19, 1.009, 0.484],
    [1.0 * MS, 1.005, 0.509],
    [20.7 * MS, 0.966, 0.453],
  ],
} as const

/** At 70 % load; TIMELY's rows are those of any reading of it. */
export function table3At70(control: Control): Table3Rows {
  if (control.startsWith('timely')) return AT_70.timely
  return control === 'dcqcn' ? AT_70.dcqcn : AT_70.none
}

/** Without congestion control, by load in percent. */
export const TABLE_3_BY_LOAD: ReadonlyMap<number, Table3Rows> = new Map<number, Table3Rows>([
  [
    30,
    [
      [1.85, 0.99, 0.335],
      [0.2 * MS, 1, 0.743],
      [2.4 * MS, 0.995, 0.852],
    ],
  ],
  [
    50,
    [
      [3.38, 0.868, 0.186],
      [0.3 * MS, 0.931, 0.344],
      [4.6 * MS, 0.93, 0.335],
    ],
  ],
  [70, AT_70.none],
  [
    90,
    [
      [14.03, 0.483, 0.359],
      [1.9 * MS, 0.572, 0.475],
      [33.4 * MS, 0.484, 0.468],
    ],
  ],
])

/** Three rows of the table, and the conditions of the runs that are held against them. */
export interface Table3Place {
  /** As the claim has it: "70 %". */
  readonly load: string
  readonly control: Control
  readonly rows: Table3Rows
  readonly irn: string
  readonly irnPfc: string
  readonly rocePfc: string
  readonly isCutShort: boolean
}

/** Ratios within 25 % and on the same side of 1 where the paper's is away from it; values within a factor of 1.5. */
export function table3Claims(outcomes: readonly Outcome[], place: Table3Place): Claim[] {
  const { load, control, rows, irn, irnPfc, rocePfc, isCutShort } = place
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
        id: `irn.table3.cells [${load}, ${CONTROL_NAMES[control]}, ${name}, ${what}]`,
        statement: `Table 3: ${name} of ${what}`,
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
