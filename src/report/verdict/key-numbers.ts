/**
 * Key numbers: five numbers of a run, each beside its value in an idle network, where every flow is alone.
 * Ideal times are those of the flow table: the same path at line rate, with the same headers, in an empty network.
 */
import { completionsOf, numbersOf, quantileOfSorted, type Result, sortedValues, sum } from '../../results/index.ts'
import { exactCount, humanDuration, humanNumber, humanRate } from '../format.ts'
import type { ReportedRun } from '../reported-run.ts'

export interface KeyNumber {
  readonly name: string
  readonly text: string
  /** The same number in an idle network. */
  readonly idleText: string
  /** What is counted, in a few words. */
  readonly note: string
}

export function keyNumbers({ result, summary }: Pick<ReportedRun, 'result' | 'summary'>): KeyNumber[] {
  const idle = idleOf(result)
  const end = summary.completion === 'receiver' ? 'at the receiver' : 'at the sender'
  const isOfSome = summary.flows.measuredFinished < summary.flows.measured
  const which = isOfSome ? `${end}, finished flows` : end
  return [
    {
      name: 'flows finished',
      text: `${exactCount(summary.flows.finished)} of ${exactCount(summary.flows.total)}`,
      idleText: exactCount(summary.flows.total),
      note: `in ${humanDuration(result.simulatedPs)}`,
    },
    {
      name: 'median completion',
      text: humanDuration(summary.p50CompletionPs),
      idleText: humanDuration(idle.p50Ps),
      note: which,
    },
    {
      name: '99th percentile completion',
      text: humanDuration(summary.p99CompletionPs),
      idleText: humanDuration(idle.p99Ps),
      note: which,
    },
    {
      name: '99th percentile slowdown',
      text: humanNumber(summary.p99Slowdown),
      idleText: '1',
      note: isOfSome ? 'completion over ideal, finished flows' : 'completion over ideal',
    },
    {
      name: 'goodput',
      text: humanRate(summary.goodputBps),
      idleText: humanRate(idle.goodputBps),
      note: `payload of all receivers over ${humanDuration(summary.goodputOverPs)}`,
    },
  ]
}

interface Idle {
  readonly p50Ps: number
  readonly p99Ps: number
  readonly goodputBps: number
}

/** Quantiles over the flows of which the summary takes them; goodput of all flows, each ending after its ideal time. */
function idleOf(result: Result): Idle {
  const { completionPs, idealPs } = completionsOf(result)
  const measured = numbersOf(result.flows, 'measured')
  const times = sortedValues(idealPs.filter((_, row) => measured[row] === 1 && !Number.isNaN(completionPs[row])))
  const startPs = numbersOf(result.flows, 'startPs')
  let [firstPs, lastPs] = [Infinity, -Infinity]
  for (let row = 0; row < startPs.length; row++) {
    firstPs = Math.min(firstPs, startPs[row]!)
    lastPs = Math.max(lastPs, startPs[row]! + idealPs[row]!)
  }
  const bytes = sum(numbersOf(result.flows, 'sizeBytes'))
  return {
    p50Ps: quantileOfSorted(times, 0.5),
    p99Ps: quantileOfSorted(times, 0.99),
    goodputBps: lastPs > firstPs ? (bytes / (lastPs - firstPs)) * 8e12 : NaN,
  }
}
