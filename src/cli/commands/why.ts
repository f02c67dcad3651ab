/**
 * why RESULT|SCENARIO: the causes of slow flows, each proved by a run without it. The answer of a result is kept in its folder.
 */
import path from 'node:path'
import { BUDGET, type Ran, why, whyBetween } from '../../advice.ts'
import { inputError } from '../../core/base/issue.ts'
import { isExplained, type Result, type WhyJson } from '../../core/results/index.ts'
import { sarifLog } from '../../core/findings/index.ts'
import { parseScenario, type Scenario } from '../../lab/scenario/index.ts'
import { whyFindings, whyText } from '../../show/index.ts'
import { command, type FlagsOf } from '../command.ts'
import type { Context } from '../context.ts'
import { isFolder } from '../files/folders.ts'
import { writeWhole } from '../files/files.ts'
import { openScenario, readScenario, withAutopsy } from '../files/scenario-file.ts'
import { WHY_FILE } from '../files/result-folder.ts'
import { storedResults } from '../files/stored-results.ts'
import { givenFlag, jobsFlag, seedFlag, setFlag, valueFlag } from '../flags.ts'
import { fileText, wholeNumber } from '../parsers.ts'
import { isSweep } from '../sweep/stored-sweep.ts'
import { runAllOn } from '../workers/run-all.ts'
import { buildSimulation, simulate } from '../workers/simulate.ts'
import { type RunWatch, watchRun } from '../workers/watch-run.ts'

const FLAGS = {
  budget: valueFlag(
    'N',
    wholeNumber(1, 10_000),
    `Packet-hops of all runs, over those of the run that is explained [default = ${BUDGET}]`,
  ),
  jobs: jobsFlag,
  seed: seedFlag,
  set: setFlag('Change a parameter of SCENARIO; may be repeated'),
  json: givenFlag('Print JSON'),
  sarif: givenFlag('Print the findings as SARIF'),
  quiet: givenFlag('Show no progress'),
}
type WhyFlags = FlagsOf<typeof FLAGS>

export const whyCommand = command({
  brief: 'Say why flows are slow: causes that a run without them has proved, and remedies that were tried',
  about: [
    'Suspects are what rules find in the scenario, what its flows waited for, devices and links that are unlike their',
    'equals, faults and limits that it declares, and its workloads. The same seed is run again without each: a suspect is a',
    'cause if a number of the flows is less by a fifth or more then, and cleared if not. Remedies are printed with what',
    'they did for the flows that suffer, and for the others.',
    '',
    'With two it says which of the differences between their scenarios makes the slower one slow: each alone, all together,',
    'and pairs of the best three. The answer of one result is kept in its folder (why.json), for its report.',
    '',
    'Examples:',
    '  rocelab run scenarios/wrong-dscp-map.yaml --autopsy --out r',
    '  rocelab why r',
    '  rocelab why scenarios/wrong-dscp-map.yaml --set pfc.classes=[]',
    '  rocelab why yesterday today',
  ],
  manyArgs: {
    brief: 'Result folder, or scenario; a second one to find which difference between the two matters',
    placeholder: 'RESULT',
    parse: fileText,
    minimum: 1,
    maximum: 2,
  },
  flags: FLAGS,
  run: explainWhy,
})

async function explainWhy(this: Context, flags: WhyFlags, ...names: string[]): Promise<void> {
  const { json: isJson = false, sarif: isSarif = false } = flags
  if (isJson && isSarif) throw inputError('--sarif', 'one form of output', '--json besides')
  const watch = watchRun(this, flags.quiet)
  try {
    const asked: Asked[] = []
    for (const name of names) asked.push(await askedOf(this, flags, name))
    const runs: (Ran & Asked)[] = []
    for (const one of asked) {
      const result =
        one.result ?? (await observed(one, watch, (text) => this.process.stderr.write(`rocelab: ${text}\n`)))
      if (result === null) return interrupted(this, watch)
      runs.push({ ...one, result })
    }
    const [first, second] = runs
    const runAll = runAllOn(flags.jobs, watch)
    const budget = flags.budget ?? BUDGET
    const { answer, isSecondSlower } =
      second === undefined
        ? { answer: await why(first!.scenario, first!.result, runAll, budget), isSecondSlower: false }
        : await whyBetween(first!, second, runAll, budget)
    if (watch.interruption.signal !== undefined) return interrupted(this, watch)
    watch.progress.clear()
    const own = isSecondSlower ? second! : first!
    if (second === undefined && own.folder !== undefined && own.digest === answer.digest)
      writeWhole(path.join(path.resolve(this.directory, own.folder), WHY_FILE), `${JSON.stringify(answer)}\n`)
    if (second !== undefined && !isJson && !isSarif)
      this.process.stdout.write(`${own.file} is slower. Its differences, each with the value of the other:\n\n`)
    print(this, flags, answer, own.file)
  } finally {
    watch.end()
  }
}

/** A run that is asked about. */
interface Asked {
  readonly scenario: Scenario
  /** Null: it has to be run. */
  readonly result: Result | null
  /** The file of its scenario, and the folder of its result. */
  readonly file: string
  readonly folder?: string
  /** That of the result; '': it is a scenario. */
  readonly digest: string
}

async function askedOf({ directory }: Context, { seed, set = [] }: WhyFlags, name: string): Promise<Asked> {
  if (isSweep(directory, name)) throw inputError('RESULT', 'the folder of a result', 'a sweep')
  if (!isFolder(directory, name, 'a result or a scenario'))
    return {
      scenario: readScenario(openScenario(directory, name), { sets: set, seed }).scenario,
      result: null,
      file: name,
      digest: '',
    }
  if (seed !== undefined || set.length > 0)
    throw inputError(seed === undefined ? '--set' : '--seed', 'a scenario to change', `the result ${name}`)
  const [stored] = await storedResults(directory, [name])
  const { result } = stored!
  const isWhole = isExplained(result) && !result.partial
  return {
    scenario: parseScenario(JSON.stringify(result.scenario)),
    result: isWhole ? result : null,
    file: `${name}/scenario.yaml`,
    folder: name,
    digest: result.digest,
  }
}

function interrupted(context: Context, { interruption, progress }: RunWatch): void {
  progress.clear()
  context.process.stderr.write('rocelab: nothing is proved: the runs were interrupted\n')
  context.process.exitCode = interruption.exitCode
}

function print({ process: { stdout }, text }: Context, { json, sarif }: WhyFlags, answer: WhyJson, file: string): void {
  if (sarif === true) stdout.write(`${JSON.stringify(sarifLog(whyFindings(answer), [], file))}\n`)
  else stdout.write(json === true ? `${JSON.stringify(answer)}\n` : whyText(answer, file, text))
}

/** The run with the observer autopsy. Null: it was interrupted. */
async function observed(
  { scenario, folder, digest }: Asked,
  watch: RunWatch,
  say: (text: string) => void,
): Promise<Result | null> {
  if (folder !== undefined) say(`${folder} has no whole run with an autopsy: running its scenario again`)
  const own = withAutopsy(scenario)
  const { result } = await simulate(
    own,
    buildSimulation(own),
    watch.slices(() => 'the run  '),
  )
  if (watch.interruption.signal !== undefined) return null
  if (folder !== undefined && digest !== result.digest)
    say(`${folder} has another run: its digest is ${digest}, now ${result.digest}; the answer is not kept there`)
  return result
}
