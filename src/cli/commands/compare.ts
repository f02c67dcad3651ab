/**
 * compare A B: compares two results flow by flow, or a result with another simulator's completion times.
 */
import path from 'node:path'
import { formatIssue, InputError, issuesIn } from '../../core/base/issue.ts'
import { closedTags } from '../../lab/index.ts'
import { compareText } from '../../show/index.ts'
import {
  COMPARED_COLUMNS,
  compareFlows,
  compareResults,
  type Comparison,
  partialReason,
  readResult,
  type Result,
} from '../../core/results/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { type CompletionFile, completionsAs, readCompletions } from '../files/completion-file.ts'
import { command, type FlagsOf } from '../command.ts'
import { choiceFlag, givenFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { isFolder } from '../files/folders.ts'
import { readText } from '../files/input-file.ts'
import { fileText } from '../parsers.ts'
import { readerOf } from '../files/result-folder.ts'

const FLAGS = {
  completion: choiceFlag(['receiver', 'sender'], 'End at which a flow counts as complete [default = as in A]'),
  json: givenFlag('Print JSON'),
}
type CompareFlags = FlagsOf<typeof FLAGS>

export const compare = command({
  brief: 'Compare two results flow by flow',
  about: [
    'A and B are result folders; one of them may be the fct.txt of an HPCC or conweave run. Flows are paired by source,',
    'destination, start and size; flows of closed loops, which start when others finish, by order instead of start.',
    'Ratios are B / A: above 1, B is slower.',
    '',
    'Examples:',
    '  rocelab compare results/incast-s1-0123abcd results/incast-s2-4567cdef',
    '  rocelab compare results/imported mix/fct.txt',
  ],
  args: [
    { brief: 'Result folder, or fct.txt', placeholder: 'A', parse: fileText },
    { brief: 'Result folder, or fct.txt', placeholder: 'B', parse: fileText },
  ],
  flags: FLAGS,
  run: compareSides,
})

const WHAT = 'a result folder or an fct.txt'

type Side = { readonly result: Result } | { readonly file: CompletionFile }

async function compareSides(this: Context, flags: CompareFlags, a: string, b: string): Promise<void> {
  const [sideA, sideB] = await sidesOf(this, a, b)
  const comparison = comparisonOf(sideA, sideB, flags.completion)
  const named = { ...comparison, nameA: `${comparison.nameA} (${a})`, nameB: `${comparison.nameB} (${b})` }
  const { stdout, stderr } = this.process
  const isPartialA = isPartial(sideA)
  const isPartialB = isPartial(sideB)
  for (const [name, side] of [[a, sideA] as const, [b, sideB] as const]) {
    if (!isPartial(side)) continue
    stderr.write(
      `rocelab: ${name} is partial: its run was ${partialReason(side.result)}, and flows may be missing or unfinished\n`,
    )
  }
  if (comparison.pairs.rowsA.length === 0) {
    const why = 'no flow that finished in both has the same source, destination, start and size'
    stderr.write(`rocelab: nothing to compare in ${a} and ${b}: ${why}\n`)
  }
  if (flags.json === true) stdout.write(`${JSON.stringify({ ...jsonOf(named), isPartialA, isPartialB })}\n`)
  else stdout.write(compareText(named, this.text))
}

/** Reads both sides. Throws InputError with the mistakes of both. */
async function sidesOf(context: Context, a: string, b: string): Promise<readonly [Side, Side]> {
  const [sideA, sideB] = await Promise.allSettled([sideOf(context, a), sideOf(context, b)])
  if (sideA.status === 'fulfilled' && sideB.status === 'fulfilled') return [sideA.value, sideB.value]
  const reasons = [sideA, sideB].flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []))
  for (const reason of reasons) if (!(reason instanceof InputError)) throw reason
  const issues = reasons.flatMap((reason) => (reason instanceof InputError ? reason.issues : []))
  const texts = issues.map(formatIssue)
  throw new InputError(issues.filter((_, index) => texts.indexOf(texts[index] ?? '') === index))
}

function isPartial(side: Side): side is { readonly result: Result } {
  return 'result' in side && side.result.partial
}

async function sideOf(context: Context, name: string): Promise<Side> {
  if (!isFolder(context.directory, name, WHAT)) {
    return {
      file: readCompletions(path.basename(name), readText(context.directory, name, WHAT)),
    }
  }
  try {
    return { result: (await readResult(readerOf(context.directory, name), COMPARED_COLUMNS)).result }
  } catch (error) {
    throw new InputError(issuesIn(error, name))
  }
}

function comparisonOf(a: Side, b: Side, completion: 'receiver' | 'sender' | undefined): Comparison {
  if ('result' in a && 'result' in b) {
    return compareResults(a.result, b.result, completion, closedInBoth(a.result, b.result))
  }
  if ('file' in a && 'file' in b) return compareFlows(a.file, b.file)
  if ('result' in a && 'file' in b) return compareFlows(completionsAs(b.file.format, a.result), b.file)
  if ('file' in a && 'result' in b) return compareFlows(a.file, completionsAs(a.file.format, b.result))
  throw new Error('expected a result or a file on each side')
}

/** Tags of closed-loop flows on both sides. */
function closedInBoth(a: Result, b: Result): ReadonlySet<string> {
  const inB = closedTagsOf(b)
  return new Set([...closedTagsOf(a)].filter((tag) => inB.has(tag)))
}

/** Empty if this version cannot read the scenario. */
function closedTagsOf({ scenario }: Result): ReadonlySet<string> {
  try {
    return closedTags(parseScenario(JSON.stringify(scenario)))
  } catch (error) {
    if (error instanceof InputError) return new Set()
    throw error
  }
}

/** The comparison without its pairs, of which there may be millions. */
function jsonOf(comparison: Comparison): object {
  const { pairs, worst, ...rest } = comparison
  return { ...rest, flowsCompared: pairs.rowsA.length, worst: worst ?? null }
}
