/**
 * explain RESULT: why flows took the time that they took. explain A B: what makes the difference between two results.
 * A result without the columns of the observer `autopsy` is run again with it.
 */
import { hostNamesOf } from '../../lab/advice/host-names.ts'
import { resultFacts } from '../../lab/advice/reported-run.ts'
import { inputError, InputError } from '../../core/base/issue.ts'
import { sarifLog } from '../../core/findings/index.ts'
import { closedTags } from '../../lab/index.ts'
import {
  differenceOf,
  differenceText,
  explain,
  explainText,
  explanationFindings,
  explanationJson,
  flowLifeJson,
  flowLifeText,
} from '../../show/index.ts'
import { isExplained, partialReason, type Result } from '../../core/results/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { givenFlag, valueFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { withAutopsy } from '../files/scenario-file.ts'
import { type LabelledResult, storedResults } from '../files/stored-results.ts'
import { watchRun } from '../workers/watch-run.ts'
import { fileText, parser } from '../parsers.ts'
import { isSweep } from '../sweep/stored-sweep.ts'
import { buildSimulation, simulate } from '../workers/simulate.ts'

const flowNumber = parser('a whole number', (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined))

const FLAGS = {
  flow: valueFlag('N', flowNumber, 'Show the life of one flow, by its number in flows.csv'),
  json: givenFlag('Print JSON'),
  sarif: givenFlag('Print the findings of one result as SARIF'),
  quiet: givenFlag('Show no progress'),
}
type ExplainFlags = FlagsOf<typeof FLAGS>

export const explainCommand = command({
  brief: 'Explain completion times: their parts, and who caused them',
  about: [
    'Prints the parts of completion times by slowdown, size and tag, where pauses began, and the ports where packets waited.',
    'With two results it prints which parts make the difference between them, flow by flow.',
    'A result that was run without the observer autopsy is run again with it: the same packets, and the same digest.',
    '',
    'Examples:',
    '  rocelab run scenarios/incast-pfc.yaml --autopsy --out incast',
    '  rocelab explain incast',
    '  rocelab explain incast --flow 17',
    '  rocelab explain incast incast-dcqcn',
  ],
  manyArgs: {
    brief: 'Result folder; a second one to compare with',
    placeholder: 'RESULT',
    parse: fileText,
    minimum: 1,
    maximum: 2,
  },
  flags: FLAGS,
  run: explainResults,
})

async function explainResults(this: Context, flags: ExplainFlags, ...names: string[]): Promise<void> {
  if (names.length === 2 && flags.flow !== undefined)
    throw inputError('--flow', 'one result', 'two', 'rocelab explain RESULT --flow N')
  const capture = names.find((name) => /\.pcap(?:ng)?$/.test(name))
  if (capture !== undefined)
    throw inputError('RESULT', 'a result folder', 'a capture', `rocelab decode ${capture} --explain`)
  if (flags.sarif === true) refuseBesideSarif(flags, names)
  refuseSweeps(this.directory, names)
  const stored = await storedResults(this.directory, names)
  const [a] = stored
  if (a === undefined) throw inputError('explain', 'a result folder', 'nothing')
  const count = a.result.flows.rowCount
  if (flags.flow !== undefined && flags.flow >= count)
    throw inputError('--flow', count === 0 ? 'a result with flows' : `a number from 0 to ${count - 1}`, `${flags.flow}`)
  const [first, second] = await explained(this, flags, stored)
  if (first === undefined) return
  const labels = stored.map(({ label }) => label)
  const { folder } = stored[0]!
  this.process.stdout.write(textOf(this, flags, labels, { first, second, folder }))
}

function refuseBesideSarif({ json, flow }: ExplainFlags, names: readonly string[]): void {
  const received = json === true ? '--json besides' : flow !== undefined ? '--flow besides' : 'two results'
  if (json === true || flow !== undefined || names.length === 2)
    throw inputError('--sarif', 'one result and no other form of output', received)
}

function textOf(
  { text }: Context,
  { json, sarif, flow }: ExplainFlags,
  [nameA = '', nameB = '']: readonly string[],
  { first, second, folder }: { readonly first: Result; readonly second: Result | undefined; readonly folder: string },
): string {
  const isJson = json === true
  const jsonText = (value: object): string => `${JSON.stringify(value)}\n`
  if (second !== undefined) {
    // Folders, since both may be runs of one scenario.
    const difference = { ...differenceOf(first, second, closedInBoth(first, second)), nameA, nameB }
    return isJson ? jsonText({ schemaVersion: 1, ...difference }) : differenceText(difference, text)
  }
  if (flow !== undefined) {
    if (isJson) return jsonText(flowLifeJson(first, flow))
    return flowLifeText(first, flow, text, hostNamesOf(parseScenario(JSON.stringify(first.scenario))))
  }
  const explanation = explain(first, resultFacts(first))
  if (sarif === true) return jsonText(sarifLog(explanationFindings(explanation), [], nameA))
  return isJson ? jsonText(explanationJson(explanation)) : explainText(explanation, text, folder)
}

function refuseSweeps(directory: string, names: readonly string[]): void {
  const sweeps = names.filter((name) => isSweep(directory, name))
  if (sweeps.length === 0) return
  const hint = 'rocelab run with the values of one of its points, and --autopsy'
  throw new InputError(
    sweeps.map((file) => ({ path: '', file, expected: 'the folder of a result', received: 'a sweep', hint })),
  )
}

/** Results with the columns of `autopsy`: as they were stored, or run again. None after an interruption. */
async function explained(
  context: Context,
  flags: ExplainFlags,
  stored: readonly LabelledResult[],
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const { result, folder } of stored) {
    const whole = isExplained(result) ? result : await runAgain(context, flags, result, folder)
    if (whole === undefined) return []
    results.push(whole)
  }
  return results
}

/** The run of a result, with the observer. undefined: interrupted, and the exit code is set. */
async function runAgain(
  context: Context,
  flags: ExplainFlags,
  result: Result,
  folder: string,
): Promise<Result | undefined> {
  const scenario = withAutopsy(parseScenario(JSON.stringify(result.scenario)))
  const { stderr } = context.process
  const say = (text: string): void => {
    stderr.write(`rocelab: ${text}\n`)
  }
  say(`${folder} has no autopsy: running its scenario again with it`)
  const watch = watchRun(context, flags.quiet)
  const { progress, interruption } = watch
  try {
    const { result: again } = await simulate(scenario, buildSimulation(scenario), watch.slices())
    progress.clear()
    if (interruption.signal !== undefined) {
      say(`nothing is explained: the run of ${folder} was interrupted`)
      context.process.exitCode = interruption.exitCode
      return undefined
    }
    if (result.partial) say(`${folder} is partial: its run was ${partialReason(result)}; this is the whole run`)
    else if (again.digest !== result.digest)
      say(`${folder} was made by another version: its digest is ${result.digest}, now ${again.digest}`)
    return again
  } finally {
    watch.end()
  }
}

/** Tags of closed-loop flows on both sides. */
function closedInBoth(a: Result, b: Result): ReadonlySet<string> {
  const tagsOf = ({ scenario }: Result): ReadonlySet<string> => closedTags(parseScenario(JSON.stringify(scenario)))
  const inB = tagsOf(b)
  return new Set([...tagsOf(a)].filter((tag) => inB.has(tag)))
}
