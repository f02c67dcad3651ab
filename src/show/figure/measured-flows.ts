/**
 * Measured flows of several results, and in words how many of them never finished: figures show times of those that
 * did, and say how many others there are.
 */
import { completionsOf, numbersOf, type Result, textsOf, valuesWhere } from '../../core/results/index.ts'
import type { SeedGroup } from '../seed-groups.ts'

/** A result and what to call it in a legend, where there are several. */
export interface NamedResult {
  readonly label: string
  readonly result: Result
}

/** The measured flows of a result; one entry a flow in each column. Nobody changes them: they may be those of the result. */
export interface MeasuredFlows {
  readonly label: string
  readonly sizeBytes: Float64Array
  readonly tag: readonly string[]
  /** Infinity where the flow never finished: it took longer than every other. */
  readonly completionPs: Float64Array
  /** NaN where the flow has no ideal time. */
  readonly slowdown: Float64Array
  /** Messages that waited for others to finish and were never posted: no flows, and so in no figure. */
  readonly unposted: number
}

/** The flows of each seed of a group. */
export interface MeasuredGroup {
  readonly label: string
  readonly seeds: readonly MeasuredFlows[]
}

export function measuredGroupOf({ label, runs }: SeedGroup<NamedResult>): MeasuredGroup {
  return { label, seeds: runs.map(measuredFlowsOf) }
}

export function measuredFlowsOf({ label, result }: NamedResult): MeasuredFlows {
  const { completionPs, slowdown } = completionsOf(result)
  const measured = numbersOf(result.flows, 'measured')
  const isMeasured = (row: number): boolean => measured[row] === 1
  const isWhole = measured.every((value) => value === 1)
  const ofRows = (values: Float64Array): Float64Array => (isWhole ? values : valuesWhere(values, isMeasured))
  const tags = textsOf(result.flows, 'tag')
  const ends = ofRows(completionPs)
  const slowdowns = ofRows(slowdown)
  const isOpen = ends.some(Number.isNaN)
  return {
    label,
    sizeBytes: ofRows(numbersOf(result.flows, 'sizeBytes')),
    tag: isWhole ? tags : tags.filter((_, row) => isMeasured(row)),
    completionPs: isOpen ? ends.map((ps) => (Number.isNaN(ps) ? Infinity : ps)) : ends,
    slowdown: isOpen ? slowdowns.map((value, row) => (Number.isNaN(ends[row]) ? Infinity : value)) : slowdowns,
    unposted: Object.values(result.unposted).reduce((sum, count) => sum + count, 0),
  }
}

/** Whether a group has a flow with a value that is a number. */
export function hasFinite({ seeds }: MeasuredGroup, column: 'completionPs' | 'slowdown'): boolean {
  return seeds.some((own) => own[column].some(Number.isFinite))
}

/** Flows of each tag, in the order of their first. */
export function countsByTag(groups: readonly MeasuredGroup[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { seeds } of groups) {
    for (const { tag: tags } of seeds) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  }
  return counts
}

interface Counts {
  readonly label: string
  readonly total: number
  readonly unfinished: number
  readonly withoutIdeal: number
  readonly unposted: number
}

function countsOf({ label, seeds }: MeasuredGroup): Counts {
  const total = (countOf: (flows: MeasuredFlows) => number): number => seeds.reduce((sum, own) => sum + countOf(own), 0)
  return {
    label,
    total: total(({ completionPs }) => completionPs.length),
    unfinished: total(({ completionPs }) => countWhere(completionPs, (time) => time === Infinity)),
    withoutIdeal: total(({ slowdown }) => countWhere(slowdown, Number.isNaN)),
    unposted: total(({ unposted }) => unposted),
  }
}

export function countWhere(values: Float64Array, isCounted: (value: number, row: number) => boolean): number {
  let count = 0
  values.forEach((value, row) => {
    if (isCounted(value, row)) count++
  })
  return count
}

/** "300 measured flows, all finished", "measured flows that did not finish: a 12 of 300, b 0 of 300". */
export function finishedText(groups: readonly MeasuredGroup[]): string {
  const counts = groups.map(countsOf)
  const texts = counts.map((of) => `${countText(of)}${waitingText(of)}`)
  if (new Set(texts).size === 1) return groups.length > 1 ? `each: ${texts[0]}` : texts[0]!
  const each = counts.map((of) => `${of.label} ${of.unfinished} of ${of.total}${waitingText(of)}`)
  return `measured flows that did not finish: ${each.join(', ')}`
}

/** How figures show flows that did not finish, and that the summary does not count them; none where all finished. */
export function unfinishedNotes(groups: readonly MeasuredGroup[], shown: string): string[] {
  if (!groups.some((group) => countsOf(group).unfinished > 0)) return []
  return [`unfinished flows count as slowest${shown}`, 'percentiles in the summary leave them out']
}

/** How many finished flows figures of the slowdown leave out; none where each has an ideal time. */
export function withoutIdealNotes(groups: readonly MeasuredGroup[]): string[] {
  const count = groups.reduce((sum, group) => sum + countsOf(group).withoutIdeal, 0)
  return count === 0 ? [] : [`${count} finished flows have no ideal time and are left out`]
}

function countText({ total, unfinished }: Counts): string {
  if (total === 0) return 'no measured flow'
  if (unfinished > 0) return `${unfinished} of ${total} measured flows did not finish`
  return `${total} measured flows, all finished`
}

function waitingText({ unposted }: Counts): string {
  return unposted > 0 ? `, and ${unposted} messages that wait for others were never posted` : ''
}
