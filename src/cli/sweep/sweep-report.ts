/**
 * Sweep report: output at the end of a sweep: tables in the folder, one of them on standard output, and remarks that no
 * table shows on standard error.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { hasShape, objectOf, oneOf, parsedJson, type Shape } from '../../core/base/shape.ts'
import { VERSION } from '../../core/base/version.ts'
import { exactCount, ncclText, type NcclRow } from '../../show/index.ts'
import { type MetricName, partialReason, writeCsv } from '../../core/results/index.ts'
import type { Context } from '../context.ts'
import { limitText, type PointLimit } from '../../lab/advice/sweep/point-limit.ts'
import { readStoredText } from '../files/input-file.ts'
import { writeReport } from '../files/report-folder.ts'
import type { Plan } from '../../lab/advice/sweep/points.ts'
import type { FinishedPoint } from '../../lab/advice/sweep/finished-points.ts'
import { type Baseline, type SweepRow, sweepRows, sweepTable } from '../../lab/advice/sweep/sweep-table.ts'
import { sweepText } from '../../lab/advice/sweep/sweep-text.ts'

/** The table as CSV and as JSON, which is written last. */
export const TABLES = ['sweep.csv', 'sweep.json'] as const
/** Tables of an interrupted sweep, if complete ones exist. */
const PARTIAL_TABLES = ['sweep-partial.csv', 'sweep-partial.json'] as const

/** Output format. */
interface ReportFlags {
  readonly columns?: readonly MetricName[] | 'all'
  readonly json?: boolean
  readonly csv?: boolean
  readonly quiet?: boolean
}

export interface FailedPoint {
  readonly values: Readonly<Record<string, string>>
  readonly seed: number
  readonly isInput: boolean
  readonly message: string
}

/** State of a sweep at its end. */
export interface Outcome {
  /** Scenario file and settings of --set, as the command line has them. */
  readonly scenario: { readonly file: string; readonly sets: readonly string[] }
  readonly plan: Plan
  readonly baseline: Baseline | undefined
  readonly limit: PointLimit
  readonly points: readonly FinishedPoint[]
  readonly failed: readonly FailedPoint[]
  readonly isPartial: boolean
}

export interface Locations {
  readonly folder: string
  readonly shown: string
  /** Folder of the flows, if they are kept. */
  readonly flowsShown: string | undefined
}

/** Writes the tables and prints the report. */
export function reportSweep(context: Context, flags: ReportFlags, outcome: Outcome, locations: Locations): void {
  const { plan, baseline, points, failed } = outcome
  const { stdout, stderr } = context.process
  const rows = sweepRows(plan, points, baseline)
  const json = jsonOf(outcome, rows)
  const csv = writeCsv(sweepTable(plan, rows))
  const isBeside = outcome.isPartial && holdsWholeTables(locations)
  const [csvName, jsonName] = isBeside ? PARTIAL_TABLES : TABLES
  const files = [
    { path: csvName, text: csv },
    { path: jsonName, text: `${JSON.stringify(json, null, 2)}\n` },
  ]
  writeReport(locations.folder, locations.shown, files, isBeside ? [] : PARTIAL_TABLES)
  if (flags.json === true) stdout.write(`${JSON.stringify({ ...json, folder: locations.shown })}\n`)
  else if (flags.csv === true) stdout.write(csv)
  else {
    const { columns } = flags
    const text = sweepText(plan, rows, { ...context.text, baseline, ...(columns === undefined ? {} : { columns }) })
    const flowsLine = locations.flowsShown === undefined ? '' : `flows in ${locations.flowsShown}\n`
    const table = ncclText(ncclRows(plan, rows))
    stdout.write(`${text}\n${table === '' ? '' : `${table}\n`}${flowsLine}sweep in ${locations.shown}\n`)
  }

  for (const { values, seed, message } of failed) {
    stderr.write(`failed at ${pointText(values, seed)}:\n  ${message.replaceAll('\n', '\n  ')}\n`)
  }
  const stopped = points.filter((point) => point.stopped !== undefined)
  const [first] = stopped
  if (first !== undefined) {
    const count = `${exactCount(stopped.length)} of ${exactCount(plan.points.length)} points`
    const at = pointText(first.values, first.seed)
    stderr.write(
      `rocelab: ${count} exceeded ${limitText(outcome.limit)} and were stopped, first ${at}; they are excluded from all means\n`,
    )
  }
  const cut = cutRuns(points)
  if (cut !== undefined) {
    stderr.write(`rocelab: ${exactCount(cut.runs)} of the points are partial: their runs were ${cut.reason}\n`)
  }
  if (flags.quiet !== true && isTooFew(outcome)) {
    const count = plan.seeds.length
    const seeds = count === 1 ? 'one seed gives no interval' : `intervals of ${count} seeds are too wide to be useful`
    stderr.write(`rocelab: ${seeds}; use three seeds or more (--seeds 5)\n`)
  }
  if (outcome.isPartial) {
    const done = points.length
    stderr.write(`rocelab: ${done} of ${plan.points.length} points finished; repeat the command to run the others\n`)
    if (isBeside) {
      const [, whole] = TABLES
      stderr.write(
        `rocelab: their tables are ${csvName} and ${jsonName} in ${locations.shown}; ${whole} there is from a complete sweep\n`,
      )
    }
  }
}

/** A row for each collective of each combination, with the values of the axes. */
function ncclRows({ axes }: Plan, rows: readonly SweepRow[]): NcclRow[] {
  return rows.flatMap(({ values, collectives = [] }) =>
    collectives.map((one) => {
      const which = axes.map(({ path: name }) => `${name}=${values[name]}`)
      return { ...one, note: [...(collectives.length > 1 ? [one.tag] : []), ...which].join(' ') }
    }),
  )
}

/** How many runs ended before their traffic, and why; undefined if none did. */
function cutRuns(points: readonly FinishedPoint[]): { readonly runs: number; readonly reason: string } | undefined {
  const cut = points.filter((point) => point.stopped === undefined && point.summary.partial)
  const [first] = cut
  return first === undefined
    ? undefined
    : { runs: cut.length, reason: partialReason({ simulatedPs: first.summary.simulatedPs ?? 0 }) }
}

const partialShape: Shape<{ readonly partial: true }> = objectOf({ partial: oneOf(true) })

/** Whether the folder has tables that are not marked partial. */
function holdsWholeTables({ folder, shown }: Locations): boolean {
  if (!TABLES.some((name) => existsSync(path.join(folder, name)))) return false
  const text = readStoredText(folder, shown, TABLES[1], 'the table of a sweep')
  return text === undefined || !hasShape(partialShape, parsedJson(text))
}

/** Whether points are compared over too few seeds to be significant. */
function isTooFew({ plan, baseline }: Outcome): boolean {
  const isCompared = baseline !== undefined || (plan.seeds.length > 1 && plan.points.length > plan.seeds.length)
  return isCompared && plan.seeds.length < 3
}

function pointText(values: Readonly<Record<string, string>>, seed: number): string {
  return [...Object.entries(values).map(([name, value]) => `${name}=${value}`), `seed ${seed}`].join(', ')
}

function jsonOf(
  { scenario, plan, baseline, limit, points, failed, isPartial }: Outcome,
  rows: readonly SweepRow[],
): object {
  const cut = cutRuns(points)
  const stopped = points.flatMap(({ values, seed, stopped: exceeded, summary }) =>
    exceeded === undefined
      ? []
      : [{ values, seed, exceeded, simulatedPs: summary.simulatedPs, packetHops: summary.packetHops }],
  )
  return {
    schemaVersion: 1,
    version: VERSION,
    name: plan.name,
    scenario,
    parameters: plan.axes,
    seeds: plan.seeds,
    partial: isPartial,
    ...(baseline === undefined ? {} : { baseline }),
    ...(Object.keys(limit).length === 0 ? {} : { pointLimit: limit }),
    ...(cut === undefined ? {} : { cut }),
    rows,
    stopped,
    failed,
  }
}
