/**
 * reproduce [EXPERIMENT]: runs a paper's experiment and compares the outcome with the paper's claims.
 */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { InputError, inputError } from '../../core/base/issue.ts'
import {
  type Experiment,
  type ExperimentReport,
  experiments,
  type Outcome,
  readEarlierRuns,
  type Size,
} from '../../papers/index.ts'
import { textTable } from '../../show/index.ts'
import type { Result } from '../../core/results/index.ts'
import { formatScenario, type Scenario } from '../../lab/scenario/index.ts'
import { suggestion } from '../../lab/scenario/text/wording.ts'
import { CLUSTER } from '../cluster/attempt-logs.ts'
import { clusterFlags, expectClusterFlags } from '../cluster/cluster-flags.ts'
import { clearCluster, resultsOnCluster, RunsOpen } from '../cluster/reproduce-on-cluster.ts'
import { command, type FlagsOf } from '../command.ts'
import { defaultChoiceFlag, fileFlag, givenFlag, jobsFlag, outFlag, seedsFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { EXIT_BUG, EXIT_INPUT, Failure } from '../failure.ts'
import { writeFailure, writeText } from '../files/files.ts'
import { readText } from '../files/input-file.ts'
import { namesOf, settleFolder } from '../files/exchange.ts'
import { type FolderLock, lockFolder } from '../files/folder-lock.ts'
import { expectWritable, isThere, makeFolder } from '../files/folders.ts'
import { type Interruption, watchInterruption } from '../interruption.ts'
import { anyText, fileText } from '../parsers.ts'
import { proposeExperiment } from '../proposals.ts'
import { runKey } from '../sweep/program-key.ts'
import { ProgressLine } from '../progress-line.ts'
import { isReport } from '../report/site-folder.ts'
import { writeDocs } from '../report/write-docs.ts'
import { writeReport } from '../files/report-folder.ts'
import { RunCache } from '../files/run-cache.ts'
import { runJobs, Tally } from '../workers/run-jobs.ts'
import { parseSeeds } from '../sweep/sweep-plan.ts'
import type { Job } from '../workers/worker-messages.ts'
import { DEFAULT_FILE, reproductionText } from './report.ts'

const FLAGS = {
  seeds: seedsFlag('1'),
  size: defaultChoiceFlag(['small', 'full'], 'small', 'small: seconds to minutes; full: as in the paper'),
  jobs: jobsFlag,
  from: {
    kind: 'parsed',
    parse: fileText,
    variadic: ',',
    optional: true,
    placeholder: 'FILE,...',
    brief: 'CSV files of earlier reports; of their runs only one in ten is repeated',
  },
  ...clusterFlags,
  out: outFlag('results/EXPERIMENT-SIZE'),
  report: givenFlag(`Also write ${DEFAULT_FILE} into the folder: one page to open in a browser`),
  docs: fileFlag(
    'DIR',
    'Run nothing: write all pages of DIR/experiments and DIR/reproduction again from the stored rows',
  ),
  json: givenFlag('Print JSON instead of tables'),
  quiet: givenFlag('Show no progress'),
}
type ReproduceFlags = FlagsOf<typeof FLAGS>

export const reproduce = command({
  brief: 'List the experiments of the papers, or run one',
  about: [
    'Without a name lists the experiments. With one runs it, prints its table and a verdict on each claim of the paper,',
    'and writes tables and figures. Finished runs are kept until the end: after an interruption the same command resumes.',
    'To add seeds to an existing report, pass its CSV with --from: only new runs are made. One run in ten is repeated,',
    'and a different outcome is reported. Several files may be given, also of experiments that share runs with this one.',
    'With --on slurm runs are tasks on a cluster (docs/guides/cluster.md): the command submits those that are open and returns;',
    'repeated, it gathers, and when all have finished it reports.',
    'With --json standard output is one JSON object: claims with their verdicts, tables, remarks and the folder.',
    '',
    'Examples:',
    '  rocelab reproduce',
    '  rocelab reproduce pfc-roce',
    '  rocelab reproduce pfc-roce --size full --seeds 5 --jobs 8 --out pfc-roce',
    '  rocelab reproduce pfc-roce --size full --seeds 10 --from pfc-roce/pfc-roce.csv --out pfc-roce-10',
    '  rocelab reproduce irn --size full --seeds 5 --on slurm --sbatch "--mem=4G" --wait',
    '  rocelab reproduce livelock --json > livelock.json',
    '  rocelab reproduce --docs docs',
  ],
  args: [
    {
      brief: 'Experiment to run',
      placeholder: 'EXPERIMENT',
      parse: anyText,
      proposeCompletions: proposeExperiment,
      optional: true,
    },
  ],
  flags: FLAGS,
  run: runReproduce,
})

async function runReproduce(this: Context, flags: ReproduceFlags, name?: string): Promise<void> {
  if (flags.docs !== undefined) {
    this.process.stdout.write(`${await writeDocs(this.directory, flags.docs)} files in ${flags.docs}\n`)
    return
  }
  if (name === undefined) {
    this.process.stdout.write(flags.json === true ? `${JSON.stringify(listed())}\n` : listText(this))
    return
  }
  expectClusterFlags(flags)
  const experiment = find(name, flags.size)
  const seeds = parseSeeds(flags.seeds, 1)
  const earlier = (flags.from ?? []).flatMap((file) =>
    readEarlier(this.directory, file, { experiment, size: flags.size }),
  )
  const from = flags.from?.join(',')
  const total = inFile(from, () => experiment.countRuns({ size: flags.size, seeds, earlier }))
  const shown = flags.out ?? path.join('results', `${experiment.name}-${flags.size}`)
  const folder = path.resolve(this.directory, shown)
  expectWritable(folder, shown)
  expectReport(folder, shown)
  if ((flags.status === true || flags.cancel === true) && isReported(folder)) {
    this.process.stdout.write(`all runs have finished; report in ${shown}\n`)
    return
  }
  // Who only looks or cancels does so beside a command that waits.
  const lock = flags.status === true || flags.cancel === true ? UNLOCKED : lockReport(folder, shown)
  const cache = new RunCache(path.join(folder, 'runs'), path.join(shown, 'runs'))

  const progress = new ProgressLine(flags.quiet === true ? undefined : this.terminal)
  const interruption = watchInterruption((text) => {
    progress.clear()
    // A command that waits for a cluster says something else.
    if (flags.on === undefined) this.process.stderr.write(`rocelab: ${text}\n`)
  })
  const threads = flags.jobs ?? availableParallelism()
  const tally = new Tally('runs', total)
  try {
    const run = async (scenarios: readonly Scenario[]): Promise<readonly Result[]> =>
      flags.on === undefined
        ? runScenarios(scenarios, { lock, cache, threads, progress, tally, interruption })
        : resultsOnCluster(this, flags, { experiment: experiment.name, folder, shown, cache }, scenarios)
    const report = await experiment.run({ size: flags.size, seeds, earlier, run }).catch(rethrowIn(from))
    progress.clear()
    // The page of an earlier report is none of this one.
    writeReport(folder, shown, [...report.files, { path: 'report.txt', text: report.text }], [DEFAULT_FILE])
    cache.clear()
    clearCluster(folder)
    const written = flags.report === true ? await withPage(this.directory, shown) : shown
    if (flags.json === true) {
      this.process.stdout.write(`${JSON.stringify(jsonOf(experiment, { ...flags, seeds, folder: shown }, report))}\n`)
      if (flags.quiet !== true) this.process.stderr.write(`report in ${written}\n`)
    } else {
      this.process.stdout.write(`${report.text.trimEnd()}\n\nreport in ${written}\n`)
    }
  } catch (error) {
    if (!(error instanceof RunsOpen)) throw error
    this.process.exitCode = error.exitCode
  } finally {
    progress.clear()
    interruption.release()
    lock.release()
  }
}

/** Whether a folder has a report and nothing of a cluster. */
function isReported(folder: string): boolean {
  return isThere(path.join(folder, 'report.txt')) && !isThere(path.join(folder, CLUSTER))
}

const UNLOCKED: FolderLock = { release() {}, expectHeld() {} }

/** Writes the page of a report into its folder. Returns words for where both are. */
async function withPage(directory: string, shown: string): Promise<string> {
  const page = path.join(shown, DEFAULT_FILE)
  writeText(directory, page, await reproductionText(directory, shown), { force: false, isOurs: isReport })
  return `${shown}, its page: ${page}`
}

/** The runs of an earlier report that belong to the experiment. Throws InputError. */
function readEarlier(
  directory: string,
  file: string,
  { experiment, size }: { readonly experiment: Experiment; readonly size: Size },
): readonly Outcome[] {
  const text = readText(directory, file, 'the CSV of an earlier report')
  return inFile(file, () => experiment.ownRuns(size, readEarlierRuns(text)))
}

/** Calls `read`; InputErrors get the name of the file. */
function inFile<T>(file: string | undefined, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return rethrowIn(file)(error)
  }
}

/** Rethrows; InputErrors get the name of the file. */
function rethrowIn(file: string | undefined): (error: unknown) => never {
  return (error) => {
    if (file === undefined || !(error instanceof InputError)) throw error
    throw new InputError(error.issues.map((issue) => ({ ...issue, file })))
  }
}

/** Makes and locks the folder. Throws InputError. */
function lockReport(folder: string, shown: string): FolderLock {
  try {
    makeFolder(folder)
    return lockFolder(folder, shown, 'reproduce')
  } catch (error) {
    throw writeFailure(error, shown, 'a folder that can be written')
  }
}

/** Throws InputError if the folder holds something other than a report, finished or begun. */
function expectReport(folder: string, shown: string): void {
  if (!isThere(folder)) return
  settleFolder(folder, shown)
  const names = namesOf(folder)
  if (names.length === 0 || ['report.txt', 'runs', CLUSTER].some((name) => names.includes(name))) return
  const expected = 'a new folder, or that of an earlier report'
  throw inputError('--out', expected, `something else in ${shown}`, 'name another folder')
}

interface RunScenariosOptions {
  readonly lock: FolderLock
  readonly cache: RunCache
  readonly threads: number
  readonly progress: ProgressLine
  readonly tally: Tally
  readonly interruption: Interruption
}

/** Results in the order of the scenarios; equal scenarios run once. Throws a Failure if a run fails. */
async function runScenarios(scenarios: readonly Scenario[], options: RunScenariosOptions): Promise<readonly Result[]> {
  const { cache, interruption } = options
  const texts = scenarios.map((scenario) => formatScenario(scenario))
  const keys = texts.map(runKey)
  const results = new Map<string, Result>()
  const jobs: Job[] = []
  for (const [id, key] of keys.entries()) {
    if (keys.indexOf(key) < id) continue
    const known = await cache.find(key)
    if (known === undefined) jobs.push({ id, scenarioText: texts[id] ?? '', wants: 'result' })
    else results.set(key, known)
  }
  const failures: Failure[] = []
  await runJobs(jobs, {
    ...options,
    onEnded(ended) {
      const key = keys[ended.id] ?? ''
      if (ended.type === 'failed') {
        failures.push(new Failure('a run failed', ended.isInput ? EXIT_INPUT : EXIT_BUG, ended.message))
      } else if (ended.type === 'result') {
        options.lock.expectHeld()
        cache.add(key, texts[ended.id] ?? '', ended.result)
        results.set(key, ended.result)
      }
    },
  })
  if (interruption.signal !== undefined) {
    throw new Failure('finished runs are kept; repeat the command to resume', interruption.exitCode)
  }
  const [failure] = failures
  if (failure !== undefined) throw failure
  return keys.flatMap((key) => results.get(key) ?? [])
}

function find(name: string, size: Size): Experiment {
  const found = experiments.find((experiment) => experiment.name === name)
  const names = experiments.map((experiment) => experiment.name)
  if (found === undefined) {
    const hint = suggestion(name, names)
    throw inputError('reproduce', `one of ${names.join(', ')}`, JSON.stringify(name), hint)
  }
  if (!found.sizes.includes(size)) {
    const expected = `${found.sizes.join(' or ')} for ${name}`
    throw inputError('--size', expected, size)
  }
  return found
}

/** The printed report as JSON. Figures and the metrics of every run are in the folder only. */
function jsonOf(
  { name, title, source }: Experiment,
  { size, seeds, folder }: { readonly size: Size; readonly seeds: readonly number[]; readonly folder: string },
  { findings }: ExperimentReport,
): object {
  const { claims, tables, remarks } = findings
  return {
    experiment: name,
    title,
    source,
    size,
    seeds,
    claims,
    tables: tables.map(({ title: heading, columns, rows }) => ({
      title: heading,
      columns: columns.map(({ head }) => head),
      rows,
    })),
    remarks,
    folder,
  }
}

function listed(): object[] {
  return experiments.map(({ name, title, source, sizes }) => ({ experiment: name, title, source, sizes }))
}

function listText(context: Context): string {
  const rows = experiments.map(({ name, title, source, sizes }) => [name, title, source, sizes.join(', ')])
  const columns = ['experiment', 'subject', 'source', 'sizes']
  return textTable(columns, rows, context.text)
}
