/**
 * Key numbers: five numbers of a run, or their means over seeds, each beside its value in an idle network, where every flow
 * is alone.
 * Ideal times are those of the flow table: the same path at line rate, with the same headers, in an empty network. A flow has
 * one whenever it starts, so that times and slowdowns have their idle values in every run. How many flows there are, and the
 * goodput from first start to last end, follow from when flows start: in a closed loop the run itself decides that, and an idle
 * network would have had them earlier, and perhaps more of them. There the two have no idle value.
 */
import {
  completionsOf,
  hasTail,
  numbersOf,
  quantileOfSorted,
  type Result,
  sortedValues,
  sum,
  valuesWhere,
} from '../../core/results/index.ts'
import { exactCount, humanDuration, humanNumber, humanRate } from '../../core/base/format.ts'
import type { ReportedRun } from '../reported-run.ts'
import { overSeeds } from '../seed-groups.ts'

type Run = Pick<ReportedRun, 'result' | 'summary' | 'facts'>

export interface KeyNumber {
  readonly name: string
  readonly text: string
  /** "95 %: 1.2 to 1.4": the interval of a mean over seeds; '' where it is of one run. */
  readonly rangeText: string
  /** The same number in an idle network; '' where only another run could say it. */
  readonly idleText: string
  /** The thing that is counted, in a few words. */
  readonly note: string
}

/** A number of a run, and how it is written. */
interface Measured {
  readonly name: string
  readonly value: number
  /** NaN: not known. */
  readonly idle: number
  readonly textOf: (value: number) => string
  /** No value is lower. */
  readonly least?: number
  /** The number is a part of these. */
  readonly total?: number
  readonly note: string
  /** The note where it is of several seeds. */
  readonly seedsNote: string
}

/** Share of flows that numbers of the tail leave above them. */
const TAIL = 0.99

/** Whether each run has enough flows for numbers of its tail; else the slowest flow stands in their place. */
export function haveTails(runs: readonly Run[]): boolean {
  return runs.every(({ summary: { flows } }) => hasTail(flows.measuredFinished - flows.withoutIdeal))
}

/**
 * Numbers of one run, or means over runs that differ in the seed alone. At least one.
 * @param areTails of all runs that stand side by side, so that they have the same numbers
 */
export function keyNumbers(runs: readonly Run[], areTails = haveTails(runs)): KeyNumber[] {
  const who = whoText(runs)
  const seeds = runs.map((run) => measuredOf(run, who, areTails))
  return seeds[0]!.map(({ name, textOf, least = 0, total, note, seedsNote }, row): KeyNumber => {
    const { value, low, high } = overSeeds(seeds.map((numbers) => numbers[row]!.value))
    const meanOf = (of: 'idle' | 'total'): number => overSeeds(seeds.map((numbers) => numbers[row]![of] ?? NaN)).value
    const idle = meanOf('idle')
    const isRange = low !== undefined && high !== undefined && low < high
    return {
      name,
      text: total === undefined ? textOf(value) : `${textOf(value)} of ${textOf(meanOf('total'))}`,
      rangeText: isRange ? `95 %: ${textOf(Math.max(least, low))} to ${textOf(high)}` : '',
      idleText: Number.isNaN(idle) ? '' : textOf(idle),
      note: runs.length === 1 ? note : [`mean of ${runs.length} seeds`, seedsNote].filter(Boolean).join(': '),
    }
  })
}

/** "19 flows, 3 did not finish": those that the numbers are taken over; "16 to 19 flows" where seeds differ. */
function whoText(runs: readonly Run[]): string {
  const rangeOf = (of: (flows: Run['summary']['flows']) => number): string => {
    const counts = runs.map(({ summary: { flows } }) => of(flows))
    return [...new Set([Math.min(...counts), Math.max(...counts)])].map((count) => exactCount(count)).join(' to ')
  }
  const [finished, left] = [
    rangeOf((flows) => flows.measuredFinished),
    rangeOf((flows) => flows.measured - flows.measuredFinished),
  ]
  return `${finished} ${finished === '1' ? 'flow' : 'flows'}${left === '0' ? '' : `, ${left} did not finish`}`
}

function measuredOf({ result, summary, facts }: Run, who: string, areTails: boolean): Measured[] {
  const idle = idleOf(result)
  const isOpen = facts !== null && !facts.hasClosedLoop
  const share = areTails ? TAIL : 1
  const of = (times: 'completionPs' | 'slowdown'): number =>
    quantileOfSorted(sortedValues(measuredOnly(result, times)), share)
  const end = summary.completion === 'receiver' ? 'at the receiver' : 'at the sender'
  const which = `${end}, of ${who}`
  const duration = { textOf: (value: number) => humanDuration(value), note: which, seedsNote: which }
  const slowdown = `completion over ideal, of ${who}`
  return [
    {
      name: 'flows finished',
      value: summary.flows.finished,
      idle: isOpen ? summary.flows.total : NaN,
      total: summary.flows.total,
      textOf: (value) => (Number.isInteger(value) ? exactCount(value) : humanNumber(value, 4)),
      note: `in ${humanDuration(result.simulatedPs)}`,
      seedsNote: '',
    },
    {
      name: 'median completion',
      value: summary.p50CompletionPs,
      idle: quantileOfSorted(idle.timesPs, 0.5),
      ...duration,
    },
    {
      name: areTails ? '99th percentile completion' : 'slowest completion',
      value: of('completionPs'),
      idle: quantileOfSorted(idle.timesPs, share),
      ...duration,
    },
    {
      name: areTails ? '99th percentile slowdown' : 'highest slowdown',
      value: of('slowdown'),
      idle: 1,
      textOf: (value) => (value === 1 ? '1' : humanNumber(value)),
      least: 1,
      note: slowdown,
      seedsNote: slowdown,
    },
    {
      name: 'goodput',
      value: summary.goodputBps,
      idle: isOpen ? idle.goodputBps : NaN,
      textOf: (value) => humanRate(value),
      note: `payload of all receivers over ${humanDuration(summary.goodputOverPs)}`,
      seedsNote: 'payload of all receivers',
    },
  ]
}

/** Values of measured flows; NaN: of those that did not finish. */
function measuredOnly(result: Result, of: 'completionPs' | 'slowdown'): Float64Array {
  const measured = numbersOf(result.flows, 'measured')
  return valuesWhere(completionsOf(result)[of], (row) => measured[row] === 1)
}

interface Idle {
  /** Ascending. */
  readonly timesPs: Float64Array
  readonly goodputBps: number
}

/** Times of the flows of which the summary takes them; goodput of all flows, each ending after its ideal time. */
function idleOf(result: Result): Idle {
  const { completionPs, idealPs } = completionsOf(result)
  const measured = numbersOf(result.flows, 'measured')
  const timesPs = sortedValues(valuesWhere(idealPs, (row) => measured[row] === 1 && !Number.isNaN(completionPs[row])))
  const startPs = numbersOf(result.flows, 'startPs')
  let [firstPs, lastPs] = [Infinity, -Infinity]
  for (let row = 0; row < startPs.length; row++) {
    firstPs = Math.min(firstPs, startPs[row]!)
    lastPs = Math.max(lastPs, startPs[row]! + idealPs[row]!)
  }
  const bytes = sum(numbersOf(result.flows, 'sizeBytes'))
  return {
    timesPs,
    goodputBps: lastPs > firstPs ? (bytes / (lastPs - firstPs)) * 8e12 : NaN,
  }
}
