/**
 * sweep FILE: a scenario at many points, on several threads, with what is finished kept.
 */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { buildCommand } from '@stricli/core'
import { inputError } from '../../base/issue.ts'
import { VERSION } from '../../base/version.ts'
import { exactCount } from '../../report/index.ts'
import { partialReason, writeCsv } from '../../results/index.ts'
import type { Context } from '../context.ts'
import { EXIT_BUG, EXIT_INPUT, guarded } from '../failure.ts'
import { type FinishedPoint, findPoints, type LoggedPoints } from '../finished-points.ts'
import { givenFlag, jobsFlag, outFlag, seedsFlag, setFlag } from '../flags.ts'
import { watchInterruption } from '../interruption.ts'
import { fileText } from '../parsers.ts'
import { PointLog } from '../point-log.ts'
import { leftText, percent, ProgressLine } from '../progress-line.ts'
import { expectWritable } from '../folders.ts'
import { writeReport } from '../report-folder.ts'
import { fileName } from '../result-folder.ts'
import { runJobs, Tally } from '../run-jobs.ts'
import { openScenario, type ScenarioFile } from '../scenario-file.ts'
import { type Axis, parseAxis, type Plan, planSweep, type SweepAsked } from '../sweep-plan.ts'
import { sweepRows, sweepTable, sweepText } from '../sweep-table.ts'
import type { Job } from '../worker-messages.ts'

interface SweepFlags {
  readonly param?: readonly Axis[]
  readonly set?: readonly string[]
  readonly seeds: string
  readonly jobs?: number
  readonly out?: string
  readonly json?: boolean
  readonly force?: boolean
  readonly quiet?: boolean
}

export const sweep = buildCommand<SweepFlags, [string], Context>({
  docs: {
    brief: 'Run a scenario at many points, with confidence intervals over seeds',
    fullDescription: [
      'Runs every combination of the values given with --param, each with every seed, and prints means with their',
      '95 % confidence intervals. The folder gets sweep.csv, sweep.json and points.jsonl. Finished points are kept:',
      'after an interruption the same command goes on where it was. Tables of another sweep are not replaced unasked:',
      'of one with another scenario, fewer values or seeds, or of another version of the program. Tables of a sweep that',
      'was interrupted never replace whole ones: they are sweep-partial.csv and sweep-partial.json beside them.',
      '',
      'Exit codes: 0 done, 1 some point broke, 2 bad input, 130 interrupted.',
      '',
      'Examples:',
      '  rocelab sweep fat-tree.yaml --param workload.0.load=0.3,0.5,0.7 --seeds 5',
      '  rocelab sweep fat-tree.yaml --param congestion=none,dcqcn --param balance=ecmp,spray --seeds 1,2,7 --jobs 8',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Scenario; - reads standard input', placeholder: 'FILE', parse: fileText }],
    },
    flags: {
      param: {
        kind: 'parsed',
        parse: parseAxis,
        optional: true,
        variadic: true,
        placeholder: 'PATH=V1,V2',
        brief: 'A parameter and its values; may be repeated',
      },
      set: setFlag('Change a parameter at every point; may be repeated'),
      seeds: seedsFlag("the scenario's"),
      jobs: jobsFlag,
      out: outFlag('results/sweep-NAME-KEY'),
      json: givenFlag('Print JSON instead of the table'),
      force: givenFlag('Replace the tables of another sweep; its points stay in points.jsonl'),
      quiet: givenFlag('Show no progress'),
    },
  },
  func: guarded(runSweep),
})

/** Table for other programs and the same as JSON, which comes last. */
const TABLES = ['sweep.csv', 'sweep.json'] as const
/** Those of a sweep that was interrupted, beside whole ones. */
const PARTIAL_TABLES = ['sweep-partial.csv', 'sweep-partial.json'] as const

interface FailedPoint {
  readonly values: Readonly<Record<string, string>>
  readonly seed: number
  readonly isInput: boolean
  readonly message: string
}

async function runSweep(this: Context, flags: SweepFlags, file: string): Promise<void> {
  const terminal = flags.quiet === true ? undefined : this.terminal
  const asked = { axes: flags.param ?? [], sets: flags.set ?? [], seeds: flags.seeds }
  const plan = checkedPlan(openScenario(this.directory, file), asked, new ProgressLine(terminal))
  const shown = flags.out ?? path.join('results', `sweep-${fileName(plan.name)}-${plan.key.slice(0, 8)}`)
  const folder = path.resolve(this.directory, shown)
  expectWritable(folder, shown)
  const log = new PointLog(folder, shown)
  const logged = findPoints(plan.points, log.lines)
  if (flags.force !== true) expectOwn(log, logged, folder, shown)
  const open = plan.points.filter((point) => !logged.finished.has(point.key))
  const { stdout, stderr } = this.process
  const kept = plan.points.length - open.length
  if (open.length > 0 && logged.damaged > 0) stderr.write(`rocelab: ${damagedText(logged.damaged, shown)}\n`)
  if (kept > 0 && flags.quiet !== true) {
    stderr.write(`rocelab: ${exactCount(kept)} of ${exactCount(plan.points.length)} points are there already\n`)
  }

  const progress = new ProgressLine(terminal)
  const interruption = watchInterruption((text) => {
    progress.clear()
    stderr.write(`rocelab: ${text}\n`)
  })
  const failed: FailedPoint[] = []
  const added: FinishedPoint[] = []
  const jobs = open.map(({ id, scenarioText }): Job => ({ id, scenarioText, wants: 'summary' }))
  try {
    await runJobs(jobs, {
      threads: flags.jobs ?? availableParallelism(),
      progress,
      tally: new Tally('points', jobs.length),
      interruption,
      onEnded(ended) {
        const point = plan.points[ended.id]
        if (point === undefined) return
        const { key, values, seed } = point
        if (ended.type === 'failed') failed.push({ values, seed, isInput: ended.isInput, message: ended.message })
        if (ended.type !== 'summary') return
        const finished = { key, values, seed, summary: ended.summary }
        log.add(finished)
        added.push(finished)
      },
    })
  } catch (error) {
    log.close()
    throw error
  } finally {
    progress.clear()
    interruption.release()
  }

  const planned = new Set(plan.points.map((point) => point.key))
  const rows = sweepRows(plan, [...logged.finished.values(), ...added])
  const isPartial = interruption.signal !== undefined
  const json = jsonOf(plan, rows, failed, isPartial)
  const isBeside = isPartial && holdsWholeTables(folder)
  const [csvName, jsonName] = isBeside ? PARTIAL_TABLES : TABLES
  const files = [
    { path: csvName, text: writeCsv(sweepTable(plan, rows)) },
    { path: jsonName, text: `${JSON.stringify(json, null, 2)}\n` },
  ]
  try {
    writeReport(folder, shown, files, isBeside ? [] : PARTIAL_TABLES)
  } finally {
    log.close()
  }
  if (flags.json === true) stdout.write(`${JSON.stringify({ ...json, folder: shown })}\n`)
  else stdout.write(`${sweepText(plan, rows, this.text)}\nsweep in ${shown}\n`)

  const cut = [...logged.finished.values(), ...added].filter(({ key, summary }) => summary.partial && planned.has(key))
  if (cut.length > 0) {
    const reason = partialReason({ simulatedPs: cut[0]?.summary.simulatedPs ?? 0 })
    stderr.write(`rocelab: ${exactCount(cut.length)} of the points are partial: their runs were ${reason}\n`)
  }
  for (const { values, seed, message } of failed) {
    const at = Object.entries(values).map(([name, value]) => `${name}=${value}`)
    stderr.write(`failed at ${[...at, `seed ${seed}`].join(', ')}:\n  ${message.replaceAll('\n', '\n  ')}\n`)
  }
  if (isPartial) {
    const done = kept + added.length
    stderr.write(`rocelab: ${done} of ${plan.points.length} points finished; the same command does the others\n`)
    if (isBeside) {
      const [, whole] = TABLES
      stderr.write(
        `rocelab: their tables are ${csvName} and ${jsonName} in ${shown}; ${whole} there is of a whole sweep\n`,
      )
    }
    this.process.exitCode = interruption.exitCode
  } else if (failed.length > 0) {
    this.process.exitCode = failed.every((point) => point.isInput) ? EXIT_INPUT : EXIT_BUG
  }
}

/** Tables of a sweep with points that are none of the plan's are not replaced unasked. Throws InputError, and closes. */
function expectOwn(log: PointLog, { others }: LoggedPoints, folder: string, shown: string): void {
  const tables = TABLES.filter((name) => existsSync(path.join(folder, name)))
  if (others === 0 || tables.length === 0) return
  log.close()
  throw inputError(
    '--out',
    'a new folder, or one of this sweep',
    `${tables.join(' and ')} of another sweep in ${shown}, with ${exactCount(others)} points that are none of this one`,
    'name another folder; --force replaces them and keeps the points',
  )
}

/** Whether there are tables that are not known to be partial. */
function holdsWholeTables(folder: string): boolean {
  if (!TABLES.some((name) => existsSync(path.join(folder, name)))) return false
  try {
    const json = JSON.parse(readFileSync(path.join(folder, TABLES[1]), 'utf8')) as { readonly partial?: unknown } | null
    return json?.partial !== true
  } catch {
    return true
  }
}

function damagedText(lines: number, shown: string): string {
  const file = path.join(shown, 'points.jsonl')
  return lines === 1
    ? `a line of ${file} holds no whole point; it is left out and its point is run again`
    : `${exactCount(lines)} lines of ${file} hold no whole point; they are left out and their points are run again`
}

/** The plan of a sweep, with progress while its combinations are checked. */
function checkedPlan(file: ScenarioFile, asked: SweepAsked, progress: ProgressLine): Plan {
  try {
    return planSweep(file, asked, (checked, total) => {
      progress.update((elapsedMs) => {
        const seconds = elapsedMs / 1000
        const rate = `${(checked / seconds).toFixed(1)} combinations/s`
        return [percent(checked / total), rate, leftText(checked / total, seconds), `checked ${checked}/${total}`].join(
          '  ',
        )
      })
    })
  } finally {
    progress.clear()
  }
}

function jsonOf(
  plan: Plan,
  rows: ReturnType<typeof sweepRows>,
  failed: readonly FailedPoint[],
  isPartial: boolean,
): object {
  return {
    schemaVersion: 1,
    version: VERSION,
    name: plan.name,
    parameters: plan.axes,
    seeds: plan.seeds,
    partial: isPartial,
    rows,
    failed,
  }
}
