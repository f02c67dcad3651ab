/**
 * Recorded runs of two ns-3 simulators, and functions that run the same cases in rocelab. ns3/README.md explains the files.
 */
import path from 'node:path'
import { formatQuantity, parseQuantity } from '../../src/core/base/units.ts'
import {
  compareCase,
  openCase,
  scenarioOf,
  type CaseComparison,
  type ReferenceCase,
} from '../../src/cli/files/reference-run.ts'
import type { Branch } from '../../src/importers/index.ts'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result } from '../../src/core/results/index.ts'
import { PROFILES, type Quirks } from '../../src/lab/scenario/compat.ts'

export const RUNS = path.join(import.meta.dirname, 'ns3')

export const R1B = 'R1b_single_dcqcn_100G_clean952'
export const R1C = 'R1c_single_5hop_dcqcn_100G'
export const R2 = 'R2clean_incast2_dcqcn_step_952'
export const R3 = 'R3clean_incast16_dcqcn_pfc_step_952'
export const R4 = 'R4clean_ft4_websearch_dcqcn_pfc_step_952'
export const R5_TIMELY = 'R5clean_timely_incast2_952'
export const R5_DCTCP = 'R5clean_dctcp_incast2_952'
export const R5_HPCC = 'R5clean_hpcc_incast2_952'
export const R5_HPCC_PFC = 'R5clean_hpcc_incast16_pfc_952'
export const R6_IRN = 'R6_cw_irn_incast2_smallbuf'
export const R7_GBN = 'R7_cw_gbn_lossy_incast2_smallbuf'
export const R8 = 'R8_cw_lossless_incast2'

export const caseOf = (name: string): ReferenceCase => openCase(path.join(RUNS, name))

const results = new Map<string, Result>()

/** rocelab's result of a case; each case is simulated once. */
export function resultOf(name: string): Result {
  const known = results.get(name)
  if (known !== undefined) return known
  const result = run(scenarioOf(caseOf(name).tree))
  results.set(name, result)
  return result
}

/** Compares rocelab's run of a case with its record, or with another one. */
export const comparisonOf = (name: string, recorded: ReferenceCase = caseOf(name)): CaseComparison =>
  compareCase(recorded, resultOf(name))

/** The result of a case with some groups of its scenario changed: {qp: {ackTimer: 'answer'}}. */
export function varied(name: string, changes: Readonly<Record<string, Branch>>): Result {
  const { tree } = caseOf(name)
  const changed = Object.entries(changes).map(([group, values]) => [group, { ...(tree[group] as Branch), ...values }])
  return run(scenarioOf({ ...tree, ...(Object.fromEntries(changed) as Branch) }))
}

/** The result of a case with some rules of its profile changed, and groups of its scenario. */
export function without(name: string, quirks: Partial<Quirks>, changes: Readonly<Record<string, Branch>> = {}): Result {
  const profile: Quirks = PROFILES[caseOf(name).tree['compat'] as keyof typeof PROFILES]
  const before = { ...profile }
  Object.assign(profile, quirks)
  try {
    return varied(name, changes)
  } finally {
    Object.assign(profile, before)
  }
}

/** The tree of a trace scenario in which one message starts a nanosecond later. */
export function oneLater(tree: Branch, message: number): Branch {
  const [workload] = tree['workload'] as [{ readonly flows: readonly string[] }]
  const flows = workload.flows.map((line, i) => {
    const words = line.split(' ')
    const startPs = parseQuantity('duration', words[3] ?? '') ?? NaN
    return i === message ? words.with(3, formatQuantity('duration', startPs + 1000)).join(' ') : line
  })
  return { ...tree, workload: [{ ...workload, flows }] } as Branch
}

/** Relative changes of completion times from run `a` to run `b`, over flows. */
export interface Movement {
  readonly flows: number
  readonly moved: number
  readonly median: number
  readonly p90: number
  readonly worst: number
}

export function movementOf(a: Result, b: Result): Movement {
  const [before, after] = [durationsOf(a), durationsOf(b)]
  const shares = before.map((duration, flow) => Math.abs((after[flow] ?? NaN) / duration - 1)).toSorted((x, y) => x - y)
  const at = (share: number): number => shares[Math.floor(share * (shares.length - 1))] ?? NaN
  return {
    flows: shares.length,
    moved: shares.filter((share) => share !== 0).length,
    median: at(0.5),
    p90: at(0.9),
    worst: at(1),
  }
}

/** Completion times in ps, flows in a fixed order. */
function durationsOf({ flows }: Result): number[] {
  const [end, start] = [numbersOf(flows, 'acknowledgedPs'), numbersOf(flows, 'startPs')]
  const keys = ['source', 'destination', 'sourcePort'].map((name) => numbersOf(flows, name))
  return Array.from(end.keys())
    .map((row) => ({ key: keys.map((data) => data[row]).join(' '), duration: (end[row] ?? NaN) - (start[row] ?? NaN) }))
    .toSorted((x, y) => (x.key < y.key ? -1 : 1))
    .map(({ duration }) => duration)
}
