/**
 * Key numbers: five numbers of a run, or their means over seeds, each beside its value in an idle network, where every flow
 * is alone.
 * Ideal times are those of the flow table: the same path at line rate, with the same headers, in an empty network.
 */
import {
  completionsOf,
  numbersOf,
  quantileOfSorted,
  type Result,
  sortedValues,
  sum,
  valuesWhere,
} from '../../results/index.ts'
import { exactCount, humanDuration, humanNumber, humanRate } from '../../base/format.ts'
import type { ReportedRun } from '../reported-run.ts'
import { overSeeds } from '../seed-groups.ts'

type Run = Pick<ReportedRun, 'result' | 'summary'>

export interface KeyNumber {
  readonly name: string
  readonly text: string
  /** "95 %: 1.2 to 1.4": the interval of a mean over seeds; '' where it is of one run. */
  readonly rangeText: string
  /** The same number in an idle network. */
  readonly idleText: string
  /** The thing that is counted, in a few words. */
  readonly note: string
}

/** A number of a run, and how it is written. */
interface Measured {
  readonly name: string
  readonly value: number
  readonly idle: number
  readonly textOf: (value: number) => string
  /** No value is lower. */
  readonly least?: number
  /** True: the number is some of those in an idle network. */
  readonly isPart?: boolean
  readonly note: string
  /** The note where it is of several seeds. */
  readonly seedsNote: string
}

/** Numbers of one run, or means over runs that differ in the seed alone. At least one. */
export function keyNumbers(runs: readonly Run[]): KeyNumber[] {
  const isOfSome = runs.some(({ summary: { flows } }) => flows.measuredFinished < flows.measured)
  const seeds = runs.map((run) => measuredOf(run, isOfSome))
  return seeds[0]!.map(({ name, textOf, least = 0, isPart = false, note, seedsNote }, row): KeyNumber => {
    const { value, low, high } = overSeeds(seeds.map((numbers) => numbers[row]!.value))
    const idleText = textOf(overSeeds(seeds.map((numbers) => numbers[row]!.idle)).value)
    const isRange = low !== undefined && high !== undefined && low < high
    return {
      name,
      text: isPart ? `${textOf(value)} of ${idleText}` : textOf(value),
      rangeText: isRange ? `95 %: ${textOf(Math.max(least, low))} to ${textOf(high)}` : '',
      idleText,
      note: runs.length === 1 ? note : [`mean of ${runs.length} seeds`, seedsNote].filter(Boolean).join(': '),
    }
  })
}

function measuredOf({ result, summary }: Run, isOfSome: boolean): Measured[] {
  const idle = idleOf(result)
  const end = summary.completion === 'receiver' ? 'at the receiver' : 'at the sender'
  const which = isOfSome ? `${end}, finished flows` : end
  const duration = { textOf: (value: number) => humanDuration(value), note: which, seedsNote: which }
  const slowdown = isOfSome ? 'completion over ideal, finished flows' : 'completion over ideal'
  return [
    {
      name: 'flows finished',
      value: summary.flows.finished,
      idle: summary.flows.total,
      textOf: (value) => (Number.isInteger(value) ? exactCount(value) : humanNumber(value, 4)),
      isPart: true,
      note: `in ${humanDuration(result.simulatedPs)}`,
      seedsNote: '',
    },
    { name: 'median completion', value: summary.p50CompletionPs, idle: idle.p50Ps, ...duration },
    { name: '99th percentile completion', value: summary.p99CompletionPs, idle: idle.p99Ps, ...duration },
    {
      name: '99th percentile slowdown',
      value: summary.p99Slowdown,
      idle: 1,
      textOf: (value) => (value === 1 ? '1' : humanNumber(value)),
      least: 1,
      note: slowdown,
      seedsNote: slowdown,
    },
    {
      name: 'goodput',
      value: summary.goodputBps,
      idle: idle.goodputBps,
      textOf: (value) => humanRate(value),
      note: `payload of all receivers over ${humanDuration(summary.goodputOverPs)}`,
      seedsNote: 'payload of all receivers',
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
  const times = sortedValues(valuesWhere(idealPs, (row) => measured[row] === 1 && !Number.isNaN(completionPs[row])))
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
