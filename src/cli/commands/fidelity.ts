/**
 * fidelity FOLDER: runs another simulator's inputs and compares the results with that simulator's own.
 */
import path from 'node:path'
import { formatIssue, InputError } from '../../core/base/issue.ts'
import { exactCount, humanNumber, humanShare, textTable } from '../../show/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { choiceFlag, givenFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { fileText } from '../parsers.ts'
import {
  type CaseComparison,
  type CaseOptions,
  compareCase,
  findCases,
  openCase,
  scenarioOf,
} from '../files/reference-run.ts'
import { buildSimulation, simulate } from '../workers/simulate.ts'

/** Comparison of a case, or the reasons why there is none. */
type Outcome = CaseComparison | { readonly name: string; readonly problems: readonly string[] }

const FLAGS = {
  rounding: choiceFlag(
    ['truncate', 'nearest'],
    'Rounding of serialization times [default = by the name of the folder]',
  ),
  dialect: choiceFlag(['hpcc', 'conweave'], 'Simulator [default = by the keys of config.txt]'),
  json: givenFlag('Print JSON'),
}
type FidelityFlags = FlagsOf<typeof FLAGS>

export const fidelity = command({
  brief: "Run another simulator's inputs and compare the results flow by flow",
  about: [
    'FOLDER holds runs of the HPCC ns-3 simulator or one of its descendants, one folder each: config.txt, the files that',
    'it names, and the output fct.txt and pfc.txt. Each run is imported, repeated here, and compared row by row.',
    'A flow is exact if its completion time is equal to the nanosecond. Deviation is |ours / theirs - 1|.',
    'A folder with "clean" in its name is assumed to come from a build that rounds serialization times to the nearest',
    'nanosecond; any other from one that truncates them, as the published simulators do.',
    '',
    'Examples:',
    '  rocelab fidelity tests/fidelity/ns3',
    '  rocelab fidelity my-run --rounding truncate --json',
  ],
  args: [{ brief: 'Folder of runs, or one run', placeholder: 'FOLDER', parse: fileText }],
  flags: FLAGS,
  run: compareRuns,
})

async function compareRuns(this: Context, flags: FidelityFlags, folder: string): Promise<void> {
  const { json, ...options } = flags
  const outcomes: Outcome[] = []
  for (const at of findCases(path.resolve(this.directory, folder), folder)) outcomes.push(await outcomeOf(at, options))
  const { stdout } = this.process
  if (json === true) stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`)
  else stdout.write(tableOf(outcomes, this))
}

async function outcomeOf(folder: string, options: CaseOptions): Promise<Outcome> {
  try {
    const reference = openCase(folder, options)
    const scenario = scenarioOf(reference.tree)
    const { result } = await simulate(scenario, buildSimulation(scenario))
    return compareCase(reference, result)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { name: path.basename(folder), problems: error.issues.map((issue) => formatIssue({ ...issue, hint: '' })) }
  }
}

function tableOf(outcomes: readonly Outcome[], { text }: Context): string {
  const compared = outcomes.filter((outcome) => 'exact' in outcome)
  const right = ['flows', 'exact', 'median', 'p90', 'worst', 'mean ratio', 'PFC theirs', 'ours', 'equal']
  const columns = ['case', 'flows', 'exact', 'median', 'p90', 'worst', 'worst flow', ...right.slice(5)].map((head) =>
    right.includes(head) ? ({ head, align: 'right' } as const) : { head },
  )
  const table = textTable(columns, compared.map(rowOf), text)
  const failed = outcomes.flatMap((outcome) =>
    'problems' in outcome
      ? [`${outcome.name}: not compared`, ...outcome.problems.map((problem) => `  ${problem}`)]
      : [],
  )
  return failed.length === 0 ? table : `${table}\n${failed.join('\n')}\n`
}

function rowOf(c: CaseComparison): string[] {
  const worst = c.worst === null || c.worst.deviation === 0 ? '-' : c.worst.flow
  return [
    c.name,
    exactCount(c.flows),
    exactCount(c.exact),
    humanShare(c.median),
    humanShare(c.p90),
    humanShare(c.worst?.deviation ?? NaN),
    c.matched === c.flows ? worst : `${worst} (${c.flows - c.matched} missing)`,
    humanNumber(c.meanRatio, 6),
    exactCount(c.pauses.theirs),
    exactCount(c.pauses.ours),
    exactCount(c.pauses.equal),
  ]
}
