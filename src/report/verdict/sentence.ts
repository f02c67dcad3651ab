/**
 * Runs in sentences: how much traffic over which network, under which schemes, and how it ended.
 */
import { numbersOf, sum } from '../../results/index.ts'
import { exactCount, humanBytes, humanDuration } from '../format.ts'
import { counted } from '../phrases.ts'
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

/** "45 flows, 55.0 MB in all, ran over a star network of 5 hosts, 1 switch and 5 links". */
function trafficText({ result, summary, facts }: ReportedRun): string {
  const bytes = humanBytes(sum(numbersOf(result.flows, 'sizeBytes')))
  const where = facts === null ? '' : ` over ${facts.networkText}`
  return `${counted(summary.flows.total, 'flow')}, ${bytes} in all, ran${where}`
}

function endText({ result, summary: { flows } }: ReportedRun): string {
  const unfinished = `${exactCount(flows.unfinished)} did not finish`
  const end = flows.unfinished === 0 ? 'all finished' : flows.finished === 0 ? 'none finished' : unfinished
  return `${end}, in ${humanDuration(result.simulatedPs)} of simulated time`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
