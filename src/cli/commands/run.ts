/**
 * run FILE: runs a scenario and writes its result folder.
 */
import { totalmem } from 'node:os'
import path from 'node:path'
import { costOf, excessText } from '../../lab/advice/run-cost.ts'
import { findingJson } from '../../core/findings/index.ts'
import { exporters, type Exporter } from '../../exporters/index.ts'
import { jobFindings, operationsText, pauseText, summaryText } from '../../show/index.ts'
import {
  partialReason,
  type Result,
  type ResultFile,
  resultFiles,
  runJson,
  summarize,
} from '../../core/results/index.ts'
import { formatScenarioFiles, type ListFile, type Scenario } from '../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { choicesFlag, givenFlag, outFlag, seedFlag, setFlag, valueFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { EXIT_BUG } from '../failure.ts'
import { writeText } from '../files/files.ts'
import { FlowStore } from '../files/flow-store.ts'
import { expectWritable } from '../files/folders.ts'
import { watchRun } from '../workers/watch-run.ts'
import { fileText } from '../parsers.ts'
import { LiveCounters } from '../instruments/live-counters.ts'
import { addressOf } from '../instruments/metrics-server.ts'
import type { ProgressLine } from '../progress-line.ts'
import {
  addMissing,
  claimFolder,
  defaultFolder,
  holdsWhole,
  mayHoldPartial,
  type Standing,
  standingOf,
  writeFolder,
} from '../files/result-folder.ts'
import { openScenario, located, readScenario, withAutopsy, withCounters } from '../files/scenario-file.ts'
import { buildSimulation, simulate, type Simulated } from '../workers/simulate.ts'
import { hostNamesOf } from '../../lab/advice/host-names.ts'
import { unfinishedText } from '../../lab/advice/unfinished-text.ts'
import { isReport } from '../report/site-folder.ts'
import { DEFAULT_FILE, reportText } from './report.ts'

/** Messages of each workload from which the cost of a run is estimated before it starts. */
const FORECAST_MESSAGES = 1000

const FLAGS = {
  out: outFlag('results/NAME-sSEED-DIGEST'),
  seed: seedFlag,
  set: setFlag('Change a parameter, such as workload.0.load=0.5; may be repeated'),
  export: {
    ...choicesFlag(
      exporters.map((exporter) => exporter.name),
      'Also write the files of another tool into the result folder',
    ),
    placeholder: 'FORMAT',
  },
  autopsy: givenFlag('Record the parts of every completion time, as observe: [autopsy] does'),
  report: givenFlag('Also write report.html, a page about the run, into the result folder'),
  watch: givenFlag('While it runs, print alarms of its counters as they begin and end (docs/models/localiser.md)'),
  serveMetrics: valueFlag(
    'HOST:PORT',
    addressOf,
    'While it runs, give its counters to Prometheus at http://HOST:PORT/metrics, as observe: [counters] reads them',
  ),
  check: givenFlag('Check conservation laws throughout the run'),
  json: givenFlag('Print one JSON object instead of the summary'),
  force: givenFlag('Replace an existing result'),
  quiet: givenFlag('Print only the folder, and no progress'),
}
type RunFlags = FlagsOf<typeof FLAGS>

export const run = command({
  brief: 'Run a scenario and write its result folder',
  about: [
    'Runs the scenario in FILE (YAML or JSON; - reads standard input), prints a summary and writes a folder with',
    'the scenario as run, the summary, every flow and series as Parquet and CSV, the digest of all events, and the',
    'frames that observers capture (rocelab list metric capture).',
    'With --json standard output is one JSON object: the summary and the folder, null if it could not be written.',
    'Relative paths start at the current directory. An interrupted run (Ctrl-C) leaves a result that is marked partial;',
    'a partial result never replaces a complete one: with --force it is written to FOLDER-partial instead.',
    '',
    'Exit codes: 0 done, 1 a bug, a broken conservation law or the end of simulated time (2.5 h), 2 bad input,',
    '130 interrupted.',
    '',
    'Examples:',
    '  rocelab run scenarios/incast-pfc.yaml',
    '  rocelab run incast.yaml --seed 7 --set workload.0.senders=24 --out results/incast24',
    '  rocelab run incast.yaml --check --json > summary.json',
  ],
  args: [{ brief: 'Scenario to run; - reads standard input', placeholder: 'FILE', parse: fileText }],
  flags: FLAGS,
  run: runScenario,
})

async function runScenario(this: Context, flags: RunFlags, file: string): Promise<void> {
  const { stdout, stderr } = this.process
  const wanted = exporters.filter(({ name }) => flags.export?.includes(name) === true)
  const source = readScenario(openScenario(this.directory, file), { sets: flags.set ?? [], seed: flags.seed })
  const asked = flags.autopsy === true ? withAutopsy(source.scenario) : source.scenario
  const scenario = observedFor(wanted, isWatched(flags) ? withCounters(asked) : asked)
  const force = flags.force === true
  const target = flags.out ?? 'results'
  if (flags.out !== undefined) claimFolder(path.resolve(this.directory, target), target, force)
  expectWritable(path.resolve(this.directory, target), target)

  const watch = watchRun(this, flags.quiet)
  const { progress, interruption } = watch
  const live = await watched(this, scenario, flags, progress)
  const flowStore = new FlowStore(path.resolve(this.directory, target))
  let simulated: Simulated
  try {
    const built = located(source, () => buildSimulation(scenario, { check: flags.check === true, flowStore }))
    const excess = excessText(costOf(built.forecast(FORECAST_MESSAGES), 0), totalmem())
    if (excess !== undefined && flags.quiet !== true) stderr.write(`rocelab: ${excess}\n`)
    const { onSlice, isInterrupted } = watch.slices()
    simulated = await simulate(scenario, built, {
      check: flags.check === true,
      isInterrupted,
      onSlice(simulation) {
        live?.take(simulation)
        onSlice(simulation)
      },
    })
  } finally {
    progress.clear()
    live?.close()
  }

  // Printed before the files are written, so that a failure to write does not lose it.
  const { result, cost } = simulated
  const summary = summarize(result)
  if (flags.json !== true && flags.quiet !== true) stdout.write(`${runText(this, simulated, scenario)}\n`)
  let folder: string | null = null
  try {
    const exported = wanted.flatMap((exporter) => filesBy(exporter, result))
    const { text: scenarioText, lists: scenarioLists } = formatScenarioFiles(scenario, 'scenario')
    const files: ResultFile[] = [
      ...resultFiles(result, { scenarioText, scenarioLists, cost, summary, flowRows: scenario.measure.flows }),
      ...exported.map(({ path: name, text }) => ({ path: name, data: new TextEncoder().encode(text) })),
    ]
    const written = store(this, files, {
      wanted: flags.out ?? defaultFolder(result),
      isDefault: flags.out === undefined,
      isPartial: result.partial,
      force,
    })
    folder = written.folder
    for (const { note } of exported) if (note !== undefined) stderr.write(`rocelab: ${note}\n`)
    const texts = [written.text, ...(result.attachments ?? []).map((one) => `frames in ${written.folder}/${one.path}`)]
    if (flags.json !== true) stdout.write(`${flags.quiet === true ? folder : texts.join('\n')}\n`)
    else if (flags.quiet !== true) stderr.write(`${texts.join('\n')}\n`)
    if (flags.report === true) {
      const page = await writeReport(this, { result, scenarioText, scenarioLists }, folder, force)
      if (flags.quiet !== true) (flags.json === true ? stderr : stdout).write(`report in ${page}\n`)
    }
  } finally {
    // The folder is null if it could not be written.
    if (flags.json === true) {
      const found = summary.jobs.length === 0 ? {} : { findings: jobFindings(result).map((one) => findingJson(one)) }
      stdout.write(`${JSON.stringify({ ...runJson(result, summary, cost), ...found, folder })}\n`)
    }
  }
  if (flags.check === true && flags.quiet !== true) stderr.write('rocelab: no conservation law was broken\n')
  flowStore.close()
  interruption.release()
  if (interruption.signal !== undefined) this.process.exitCode = interruption.exitCode
  else if (result.partial) {
    stderr.write(`rocelab: the run was ${partialReason(result)}: its result is partial\n`)
    this.process.exitCode = EXIT_BUG
  }
}

/** Summary of a run, and its parts of other subjects. */
function runText({ text }: Context, { result, cost }: Simulated, scenario: Scenario): string {
  const parts = [
    summaryText(result, summarize(result), cost, text),
    operationsText(result, text),
    pauseText(result, text),
    unfinishedText(result, text, hostNamesOf(scenario)),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** Files of another tool, in a folder of its name. */
function filesBy(exporter: Exporter, result: Result): ReturnType<Exporter['export']> {
  return exporter.export(result).map((one) => ({ ...one, path: `${exporter.name}/${one.path}` }))
}

const isWatched = ({ serveMetrics, watch }: RunFlags): boolean => serveMetrics !== undefined || watch === true

/** Counters of the run in progress, served and watched as the flags say; undefined: nobody wants them. */
async function watched(
  { process: { stderr } }: Context,
  scenario: Scenario,
  flags: RunFlags,
  progress: ProgressLine,
): Promise<LiveCounters | undefined> {
  if (!isWatched(flags)) return undefined
  const say = (line: string): void => {
    progress.clear()
    stderr.write(`${line}\n`)
  }
  const live = new LiveCounters(scenario, flags.watch === true ? say : undefined)
  if (flags.serveMetrics !== undefined)
    say(`rocelab: metrics at ${await live.serve(flags.serveMetrics)} until the run ends`)
  return live
}

/** Writes the report of a result into its folder. Returns its path. */
async function writeReport(
  { directory }: Context,
  { result, scenarioText, scenarioLists }: ScenarioParts & { readonly result: Result },
  folder: string,
  force: boolean,
): Promise<string> {
  const page = path.join(folder, DEFAULT_FILE)
  const scenarioList = (name: string): string | undefined => scenarioLists.find((list) => list.name === name)?.text
  const text = await reportText([{ result, scenarioText, scenarioList, label: result.name, folder }])
  writeText(directory, page, text, { force, isOurs: isReport })
  return page
}

interface ScenarioParts {
  readonly scenarioText: string
  readonly scenarioLists: readonly ListFile[]
}

/** Adds the observers that the exporters need; observers do not change the run. */
function observedFor(wanted: readonly Exporter[], scenario: Scenario): Scenario {
  const has = (kind: string): boolean => scenario.observe.some((one) => (one.table ?? one.kind) === kind)
  const missing = new Set(wanted.flatMap(({ observers }) => observers).filter((kind) => !has(kind)))
  const added = [...missing].map((kind) => ({ kind, table: null, maxRows: null }))
  return { ...scenario, observe: [...scenario.observe, ...added] }
}

interface StoreOptions {
  /** The folder of --out, or the default one. */
  readonly wanted: string
  readonly isDefault: boolean
  readonly isPartial: boolean
  readonly force: boolean
}

/** Writes the result; returns its folder and a message. */
function store(
  context: Context,
  files: readonly ResultFile[],
  { wanted, isDefault, isPartial, force }: StoreOptions,
): { readonly folder: string; readonly text: string } {
  const absolute = (folder: string): string => path.resolve(context.directory, folder)
  const isWholeThere = (folder: string): boolean => isPartial && holdsWhole(absolute(folder), folder)
  if (!isDefault) {
    const isBeside = force && isWholeThere(wanted)
    const folder = isBeside ? besideFolder(context.directory, wanted) : wanted
    writeFolder(absolute(folder), folder, files, force)
    return {
      folder,
      text: isBeside ? `partial result in ${folder}; the complete one in ${wanted} is kept` : `result in ${folder}`,
    }
  }
  // A default name gets a number if the folder is occupied.
  const isBlocking = (standing: Standing, folder: string): boolean =>
    standing === 'foreign' || (standing === 'another result' && (!force || isWholeThere(folder)))
  let folder = wanted
  let standing = standingOf(absolute(folder), folder, files)
  for (let next = 2; isBlocking(standing, folder); next++) {
    folder = `${wanted}-${next}`
    standing = standingOf(absolute(folder), folder, files)
  }
  if (force) {
    writeFolder(absolute(folder), folder, files, true)
    return { folder, text: `result in ${folder}` }
  }
  if (standing === 'same') return { folder, text: `the same result is already in ${folder}` }
  if (standing === 'same without some files') addMissing(absolute(folder), folder, files)
  else writeFolder(absolute(folder), folder, files, false)
  return { folder, text: `result in ${folder}` }
}

/** FOLDER-partial, or FOLDER-partial-N: the first that is free or holds a partial result. */
function besideFolder(directory: string, wanted: string): string {
  const resolved = path.resolve(directory, wanted)
  for (let next = 1; ; next++) {
    const folder = `${resolved}-partial${next === 1 ? '' : `-${next}`}`
    const shown = path.isAbsolute(wanted) ? folder : path.relative(directory, folder)
    if (mayHoldPartial(folder, shown)) return shown
  }
}
