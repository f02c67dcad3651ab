/**
 * tour: one incident from fault to cure. A scenario that comes with the program is run and explained, the remedy that its
 * cause names is run beside it, and both become a page. Every sentence and number comes from the two runs.
 */
import path from 'node:path'
import { reportedRun } from '../../lab/advice/reported-run.ts'
import { assert } from '../../core/base/assert.ts'
import { exactCount, humanDuration, humanRate } from '../../core/base/format.ts'
import { type Finding, findingSentence, remedyCommand } from '../../core/findings/index.ts'
import { allServers, findingsOfRun, type ReportedRun, type TextColumn, textTable } from '../../show/index.ts'
import { numbersOf, type Result, resultFiles, sum, summarize, tableOfKind } from '../../core/results/index.ts'
import { formatScenario } from '../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { givenFlag, outFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { writeText } from '../files/files.ts'
import { expectWritable } from '../files/folders.ts'
import { claimFolder, writeFolder } from '../files/result-folder.ts'
import { openScenario, readScenario, withAutopsy } from '../files/scenario-file.ts'
import { type RunWatch, watchRun } from '../workers/watch-run.ts'
import { packageRoot } from '../package-root.ts'
import { isReport } from '../report/site-folder.ts'
import { buildSimulation, simulate } from '../workers/simulate.ts'
import { DEFAULT_FILE, reportText } from './report.ts'

/** Its cause has a remedy that cures it (tests/cli/tour.test.ts). */
const INCIDENT = path.join(packageRoot, 'scenarios', 'pause-storm.yaml')
const DEFAULT_FOLDER = path.join('results', 'tour')

const FLAGS = {
  out: outFlag(DEFAULT_FOLDER),
  quiet: givenFlag('Show no progress'),
}
type TourFlags = FlagsOf<typeof FLAGS>

export const tour = command({
  brief: 'Show one incident from fault to cure, in seconds',
  about: [
    'Runs a pause storm, explains it, runs the remedy that the explanation names, and prints both beside each other.',
    'Writes the two results and a page about them.',
    '',
    'Example:',
    '  rocelab tour',
  ],
  flags: FLAGS,
  run: showTour,
})

async function showTour(this: Context, flags: TourFlags): Promise<void> {
  const shown = flags.out ?? DEFAULT_FOLDER
  const folders = ['broken', 'cured'].map((name) => path.join(shown, name))
  expectWritable(path.resolve(this.directory, shown), shown)
  for (const folder of folders) claimFolder(path.resolve(this.directory, folder), folder, true)
  const watch = watchRun(this, flags.quiet)
  try {
    const play = (folder: string, sets: readonly string[]): Promise<ReportedRun> => played(this, watch, folder, sets)
    const broken = await play(folders[0]!, [])
    const found = findingsOfRun(broken)
    const cause = found.find(({ sets }) => sets !== undefined && sets.length > 0)
    assert(cause !== undefined, 'tour: no cause of the incident has a remedy')
    this.process.stdout.write(incidentText(broken, found))
    const cured = await play(folders[1]!, cause.sets!)
    const page = path.join(shown, DEFAULT_FILE)
    const pageText = await reportText([broken, cured].map((run) => ({ ...run, scenarioList: () => undefined })))
    writeText(this.directory, page, pageText, { force: false, isOurs: isReport })
    this.process.stdout.write(cureText(this, cause, broken, cured))
    this.process.stdout.write(
      `\npage     ${page}\nby hand  ${remedyCommand(cause, `${broken.folder}/scenario.yaml`)!}\n`,
    )
  } finally {
    watch.end()
  }
}

/** Runs the incident with these overrides and writes its result, in place of an earlier one. */
async function played(
  context: Context,
  watch: RunWatch,
  folder: string,
  sets: readonly string[],
): Promise<ReportedRun> {
  const scenario = withAutopsy(readScenario(openScenario(context.directory, INCIDENT), { sets }).scenario)
  watch.progress.restart()
  const { result, cost } = await simulate(scenario, buildSimulation(scenario), watch.slices()).finally(() =>
    watch.progress.clear(),
  )
  const { signal, exitCode } = watch.interruption
  if (signal !== undefined) throw new Failure('the tour was interrupted', exitCode)
  const scenarioText = formatScenario(scenario)
  const files = resultFiles(result, { scenarioText, cost, summary: summarize(result), flowRows: 'all' })
  writeFolder(path.resolve(context.directory, folder), folder, files, true)
  return reportedRun({ result, scenarioText, scenarioList: () => undefined }, { label: path.basename(folder), folder })
}

/** The errors of the run, the cause first: what broke, and who suffered. */
function incidentText({ result }: ReportedRun, found: readonly Finding[]): string {
  const { description } = result.scenario as { readonly description: string }
  return [
    `${result.name}: ${description}. Simulated: ${humanDuration(result.simulatedPs)}.`,
    '',
    ...found.filter(({ severity }) => severity === 'error').map((one) => `  ${findingSentence(one)}`),
    '',
    '',
  ].join('\n')
}

/** Numbers of both runs, and what is left of the cause. */
function cureText({ text }: Context, cause: Finding, broken: ReportedRun, cured: ReportedRun): string {
  const head: TextColumn[] = ['', broken.label, cured.label].map((name, i) => ({
    head: name,
    ...(i === 0 ? {} : { align: 'right' as const }),
  }))
  const rows = Object.entries(ROWS).map(([name, of]) => [name, of(broken), of(cured)])
  const left = findingsOfRun(cured).find(({ id }) => id === cause.id)
  return [
    `Its remedy, run beside it: ${cause.sets!.join(' ')}\n`,
    textTable(head, rows, text),
    ...(left === undefined ? [] : [`Still there with it: ${findingSentence(left)}\n`]),
  ].join('\n')
}

const ROWS: Readonly<Record<string, (run: ReportedRun) => string>> = {
  'flows finished': ({ summary: { flows } }) => `${exactCount(flows.finished)} of ${exactCount(flows.total)}`,
  'servers available at the end': ({ result }) => serversText(result),
  goodput: ({ summary }) => humanRate(summary.goodputBps),
  'time paused, all ports': ({ summary }) => humanDuration(sum(Object.values(summary.pausedPs))),
  drops: ({ summary }) => exactCount(summary.drops),
}

/** Available at the end, of those at the start. */
function serversText(result: Result): string {
  const table = tableOfKind(result, 'server-state')
  assert(table !== undefined, 'tour: the incident observes no servers')
  const rows = allServers(table)
  const available = numbersOf(table, 'available')
  return `${exactCount(available[rows.at(-1)!]!)} of ${exactCount(available[rows[0]!]!)}`
}
