/**
 * explain RESULT: why flows took the time that they took. explain A B: what makes the difference between two results.
 * A result without the columns of the observer `autopsy` is run again with it.
 */
import { buildCommand } from '@stricli/core'
import { inputError } from '../../base/issue.ts'
import { closedTags } from '../../lab/index.ts'
import { differenceOf, differenceText, explain, explainText, flowLifeText, isExplained } from '../../report/index.ts'
import { readResult, type Result } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Context } from '../context.ts'
import { guarded } from '../failure.ts'
import { givenFlag } from '../flags.ts'
import { readerOf } from '../files/result-folder.ts'
import { withAutopsy } from '../files/scenario-file.ts'
import { watchInterruption } from '../interruption.ts'
import { fileText } from '../parsers.ts'
import { ProgressLine } from '../progress-line.ts'
import { progressText } from '../workers/progress-text.ts'
import { buildSimulation, simulate } from '../workers/simulate.ts'

interface ExplainFlags {
  readonly flow?: number
  readonly json?: boolean
  readonly quiet?: boolean
}

export const explainCommand = buildCommand<ExplainFlags, string[], Context>({
  docs: {
    brief: 'Explain completion times: their parts, and who caused them',
    fullDescription: [
      'Prints of what the completion times of a result consist, by slowdown, size and tag, where pauses began, and the ports',
      'where packets waited. With two results prints which parts make the difference between them, flow by flow.',
      'A result that was run without the observer autopsy is run again with it: the same packets, and the same digest.',
      '',
      'Examples:',
      '  rocelab run scenarios/incast-pfc.yaml --autopsy --out incast',
      '  rocelab explain incast',
      '  rocelab explain incast --flow 17',
      '  rocelab explain incast incast-dcqcn',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'array',
      parameter: { brief: 'Result folder; a second one to compare with', placeholder: 'RESULT', parse: fileText },
      minimum: 1,
      maximum: 2,
    },
    flags: {
      flow: {
        kind: 'parsed',
        parse: flowNumber,
        optional: true,
        placeholder: 'N',
        brief: 'Show the life of one flow, by its number in flows.csv',
      },
      json: givenFlag('Print JSON'),
      quiet: givenFlag('Show no progress'),
    },
  },
  func: guarded(explainResults),
})

async function explainResults(this: Context, flags: ExplainFlags, ...names: string[]): Promise<void> {
  const [a, b] = names
  if (a === undefined) throw inputError('explain', 'a result folder', 'nothing')
  if (b !== undefined && flags.flow !== undefined)
    throw inputError('--flow', 'one result', 'two', 'rocelab explain RESULT --flow N')
  const first = await explained(this, flags, a)
  const { stdout } = this.process
  if (b !== undefined) {
    const second = await explained(this, flags, b)
    const difference = differenceOf(first, second, closedInBoth(first, second))
    stdout.write(flags.json === true ? `${JSON.stringify(difference)}\n` : differenceText(difference, this.text))
    return
  }
  if (flags.flow !== undefined) {
    const count = first.flows.rowCount
    if (flags.flow >= count) throw inputError('--flow', `a number from 0 to ${count - 1}`, `${flags.flow}`)
    stdout.write(flowLifeText(first, flags.flow, this.text))
    return
  }
  const explanation = explain(first)
  stdout.write(flags.json === true ? `${JSON.stringify(explanation)}\n` : explainText(explanation, this.text))
}

/** A result with the columns of `autopsy`: as it was stored, or run again. */
async function explained(context: Context, flags: ExplainFlags, name: string): Promise<Result> {
  const { result } = await readResult(readerOf(context.directory, name))
  if (isExplained(result)) return result
  const scenario = withAutopsy(parseScenario(JSON.stringify(result.scenario)))
  const { stderr } = context.process
  stderr.write(`rocelab: ${name} has no autopsy: running its scenario again with it\n`)
  const progress = new ProgressLine(flags.quiet === true ? undefined : context.terminal)
  const interruption = watchInterruption((text) => {
    progress.clear()
    stderr.write(`rocelab: ${text}\n`)
  })
  try {
    const { result: again } = await simulate(scenario, buildSimulation(scenario, false), {
      isInterrupted: () => interruption.signal !== undefined,
      onSlice: (simulation) => progress.update((elapsedMs) => progressText(simulation.progress(), elapsedMs)),
    })
    if (again.digest !== result.digest && !result.partial)
      stderr.write(
        `rocelab: ${name} was made by another version: its digest is ${result.digest}, now ${again.digest}\n`,
      )
    if (interruption.signal !== undefined) context.process.exitCode = interruption.exitCode
    return again
  } finally {
    progress.clear()
    interruption.release()
  }
}

/** Tags of closed-loop flows on both sides. */
function closedInBoth(a: Result, b: Result): ReadonlySet<string> {
  const tagsOf = ({ scenario }: Result): ReadonlySet<string> => closedTags(parseScenario(JSON.stringify(scenario)))
  const inB = tagsOf(b)
  return new Set([...tagsOf(a)].filter((tag) => inB.has(tag)))
}

function flowNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`expected a whole number, received ${JSON.stringify(text)}`)
  return Number(text)
}
