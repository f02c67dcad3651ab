/**
 * tour: one incident from fault to cure. A scenario that comes with the program is run and explained, the remedy that its
 * cause names is run beside it, and both become a page. Every sentence and number comes from the two runs.
 */
import path from 'node:path'
import { why } from '../../advice.ts'
import { reportedRun } from '../../lab/advice/reported-run.ts'
import { assert } from '../../core/base/assert.ts'
import { exactCount, humanDuration, humanRate } from '../../core/base/format.ts'
import { findingSentence, runCommand } from '../../core/findings/index.ts'
import {
  allServers,
  findingsOfRun,
  type ReportedRun,
  type TextColumn,
  textTable,
  whyFindings,
} from '../../show/index.ts'
import { numbersOf, type Result, resultFiles, sum, summarize, tableOfKind } from '../../core/results/index.ts'
import { formatScenario, parseScenario } from '../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { givenFlag, outFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { writeText, writeWhole } from '../files/files.ts'
import { expectWritable } from '../files/folders.ts'
import { claimFolder, WHY_FILE, writeFolder } from '../files/result-folder.ts'
import { openScenario, readScenario, withAutopsy } from '../files/scenario-file.ts'
import { type RunWatch, watchRun } from '../workers/watch-run.ts'
import { packageRoot } from '../package-root.ts'
import { isReport } from '../report/site-folder.ts'
import { runAllOn } from '../workers/run-all.ts'
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
    this.process.stdout.write(incidentText(broken))
    const answer = await why(
      parseScenario(JSON.stringify(broken.result.scenario)),
      broken.result,
      runAllOn(undefined, watch),
    )
    watch.progress.clear()
    const [remedy] = answer.remedies
    assert(remedy !== undefined, 'tour: no remedy of the incident helps')
    writeWhole(path.join(path.resolve(this.directory, broken.folder), WHY_FILE), `${JSON.stringify(answer)}\n`)
    this.process.stdout.write(
      `${whyFindings(answer)
        .map((one) => `  ${findingSentence(one)}\n`)
        .join('')}\n`,
    )
    const cured = await play(folders[1]!, remedy.sets)
    const page = path.join(shown, DEFAULT_FILE)
    const pageText = await reportText([broken, cured].map((run) => ({ ...run, scenarioList: () => undefined })))
    writeText(this.directory, page, pageText, { force: false, isOurs: isReport })
    this.process.stdout.write(cureText(this, remedy.sets, broken, cured))
    this.process.stdout.write(
      `\npage     ${page}\nby hand  ${runCommand(`${broken.folder}/scenario.yaml`, remedy.sets)}\n`,
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

/** The errors of the run: what one sees, before anybody knows why. */
function incidentText({ result, ...run }: ReportedRun): string {
  const { description } = result.scenario as { readonly description: string }
  const seen = findingsOfRun({ result, ...run }).filter(({ severity }) => severity === 'error')
  return [
    `${result.name}: ${description}. Simulated: ${humanDuration(result.simulatedPs)}.`,
    '',
    ...seen.map((one) => `  ${findingSentence(one)}`),
    '',
    'Why, as proved by runs without it:',
    '',
    '',
  ].join('\n')
}

/** Numbers of both runs. */
function cureText({ text }: Context, sets: readonly string[], broken: ReportedRun, cured: ReportedRun): string {
  const head: TextColumn[] = ['', broken.label, cured.label].map((name, i) => ({
    head: name,
    ...(i === 0 ? {} : { align: 'right' as const }),
  }))
  const rows = Object.entries(ROWS).map(([name, of]) => [name, of(broken), of(cured)])
  return [`Its remedy, run beside it: ${sets.join(' ')}\n`, textTable(head, rows, text)].join('\n')
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
