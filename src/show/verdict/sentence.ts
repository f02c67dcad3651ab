/**
 * Runs in sentences: how much traffic over which network, under which schemes, and how it ended.
 */
import { numbersOf, sum } from '../../core/results/index.ts'
import { exactCount, humanBytes, humanDuration } from '../../core/base/format.ts'
import { capital, counted } from '../../core/findings/index.ts'
import type { ReportedRun } from '../reported-run.ts'

/** A run alone. */
export function runSentence(run: ReportedRun): string {
  const schemes = run.facts === null ? '' : `, ${run.facts.schemesText}`
  return `${trafficText(run)}${schemes}: ${endText(run)}.`
}

/** Several runs: once for all what they share, and for each the rest. */
export function runSentences(runs: readonly ReportedRun[]): {
  readonly shared: string
  readonly each: readonly string[]
} {
  const traffic = new Set(runs.map(trafficText))
  if (traffic.size !== 1) return { shared: '', each: runs.map(runSentence) }
  const each = runs.map((run) => capital(`${run.facts === null ? '' : `${run.facts.schemesText}: `}${endText(run)}.`))
  return { shared: `In each of ${runs.length} runs ${[...traffic][0]!}.`, each }
}

/** Runs that differ in the seed alone, as one: numbers from the least to the most. */
export function seedsSentence(runs: readonly ReportedRun[]): string {
  const [first] = runs
  if (first === undefined || runs.length === 1) return runs.map(runSentence).join('')
  const flows = spanText(
    runs.map(({ summary }) => summary.flows.total),
    exactCount,
  )
  const bytes = spanText(runs.map(bytesOf), (value) => humanBytes(value))
  const time = spanText(
    runs.map(({ result }) => result.simulatedPs),
    (value) => humanDuration(value),
  )
  const unfinished = runs.map(({ summary }) => summary.flows.unfinished)
  const end = unfinished.every((count) => count === 0)
    ? 'all finished'
    : `${spanText(unfinished, exactCount)} did not finish`
  const schemes = first.facts === null ? '' : `, ${first.facts.schemesText}`
  return `In each of ${runs.length} seeds ${flows} flows, ${bytes} in all, ran${whereText(first)}${schemes}: ${end}, in ${time} of simulated time.`
}

/** "157 to 201", or "45" where all are the same. */
function spanText(values: readonly number[], textOf: (value: number) => string): string {
  const [least, most] = [textOf(Math.min(...values)), textOf(Math.max(...values))]
  return least === most ? least : `${least} to ${most}`
}

function bytesOf({ result }: ReportedRun): number {
  return sum(numbersOf(result.flows, 'sizeBytes'))
}

function whereText({ facts }: ReportedRun): string {
  return facts === null ? '' : ` over ${facts.networkText}`
}

/** "45 flows, 55.0 MB in all, ran over a star network of 5 hosts, 1 switch and 5 links". */
function trafficText(run: ReportedRun): string {
  return `${counted(run.summary.flows.total, 'flow')}, ${humanBytes(bytesOf(run))} in all, ran${whereText(run)}`
}

function endText({ result, summary: { flows } }: ReportedRun): string {
  const unfinished = `${exactCount(flows.unfinished)} did not finish`
  const end = flows.unfinished === 0 ? 'all finished' : flows.finished === 0 ? 'none finished' : unfinished
  return `${end}, in ${humanDuration(result.simulatedPs)} of simulated time`
}
