/**
 * why RESULT|SCENARIO: the causes of slow flows, each proved by a run without it. The answer of a result is kept in its folder.
 */
import path from 'node:path'
import { BUDGET, why } from '../../advice.ts'
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
    'The answer of a result is kept in its folder (why.json), for its report.',
    '',
    'Examples:',
    '  rocelab run scenarios/wrong-dscp-map.yaml --autopsy --out r',
    '  rocelab why r',
    '  rocelab why scenarios/wrong-dscp-map.yaml --set pfc.classes=[]',
  ],
  args: [{ brief: 'Result folder, or scenario', placeholder: 'RESULT', parse: fileText }],
  flags: FLAGS,
  run: explainWhy,
})

async function explainWhy(this: Context, flags: WhyFlags, name: string): Promise<void> {
  const { json: isJson = false, sarif: isSarif = false } = flags
  if (isJson && isSarif) throw inputError('--sarif', 'one form of output', '--json besides')
  if (isSweep(this.directory, name)) throw inputError('RESULT', 'the folder of a result', 'a sweep')
  const isResult = isFolder(this.directory, name, 'a result or a scenario')
  if (isResult && (flags.seed !== undefined || (flags.set ?? []).length > 0))
    throw inputError(flags.seed === undefined ? '--set' : '--seed', 'a scenario to change', `the result ${name}`)
  const watch = watchRun(this, flags.quiet)
  try {
    const [stored] = isResult ? await storedResults(this.directory, [name]) : []
    const scenario =
      stored === undefined
        ? readScenario(openScenario(this.directory, name), { sets: flags.set ?? [], seed: flags.seed }).scenario
        : parseScenario(JSON.stringify(stored.result.scenario))
    const result =
      stored !== undefined && isExplained(stored.result) && !stored.result.partial
        ? stored.result
        : await observed(scenario, watch)
    if (result === null) return interrupted(this, watch)
    const answer = await why(scenario, result, runAllOn(flags.jobs, watch), flags.budget ?? BUDGET)
    if (watch.interruption.signal !== undefined) return interrupted(this, watch)
    watch.progress.clear()
    if (stored !== undefined && stored.result.digest === result.digest)
      writeWhole(path.join(path.resolve(this.directory, name), WHY_FILE), `${JSON.stringify(answer)}\n`)
    print(this, flags, answer, isResult ? `${name}/scenario.yaml` : name)
  } finally {
    watch.end()
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
async function observed(scenario: Scenario, watch: RunWatch): Promise<Result | null> {
  const own = withAutopsy(scenario)
  const { result } = await simulate(
    own,
    buildSimulation(own),
    watch.slices(() => 'the run  '),
  )
  return watch.interruption.signal === undefined ? result : null
}
