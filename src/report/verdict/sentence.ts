/**
 * A run in one sentence: how much traffic, over which network, under which schemes, and how it ended.
 */
import { numbersOf, sum } from '../../results/index.ts'
import { exactCount, humanBytes, humanDuration } from '../format.ts'
import { counted } from '../phrases.ts'
import type { ReportedRun } from '../reported-run.ts'

export function runSentence({ result, summary, facts }: ReportedRun): string {
  const { flows } = summary
  const bytes = humanBytes(sum(numbersOf(result.flows, 'sizeBytes')))
  const where = facts === null ? '' : ` over ${facts.networkText}, with ${facts.schemesText}`
  const unfinished = `${exactCount(flows.unfinished)} of them did not finish`
  const end = flows.unfinished === 0 ? 'all finished' : flows.finished === 0 ? 'none finished' : unfinished
  return `${counted(flows.total, 'flow')} of ${bytes} in all ran${where}; ${end} in ${humanDuration(result.simulatedPs)} of simulated time.`
}
