/**
 * Measured flows of several results, and in words how many of them never finished: figures show times of those that
 * did, and say how many others there are.
 */
import { completionsOf, numbersOf, type Result, textsOf } from '../../results/index.ts'
import type { SeedGroup } from '../seed-groups.ts'

/** A result and what to call it in a legend, where there are several. */
export interface NamedResult {
  readonly label: string
  readonly result: Result
}

/** The measured flows of a result; one entry a flow in each column. */
export interface MeasuredFlows {
  readonly label: string
  readonly sizeBytes: readonly number[]
  readonly tag: readonly string[]
  /** Infinity where the flow never finished: it took longer than every other. */
  readonly completionPs: readonly number[]
  /** NaN where the flow has no ideal time. */
  readonly slowdown: readonly number[]
  /** Messages that waited for others to finish and were never posted: no flows, and so in no figure. */
  readonly unposted: number
}

/** Flows of all seeds of a group together, and those of each. */
export interface MeasuredGroup extends MeasuredFlows {
  readonly seeds: readonly MeasuredFlows[]
}

export function measuredGroupOf({ label, runs }: SeedGroup<NamedResult>): MeasuredGroup {
  const seeds = runs.map(measuredFlowsOf)
  return {
    label,
    sizeBytes: seeds.flatMap(({ sizeBytes }) => sizeBytes),
    tag: seeds.flatMap(({ tag }) => tag),
    completionPs: seeds.flatMap(({ completionPs }) => completionPs),
    slowdown: seeds.flatMap(({ slowdown }) => slowdown),
    unposted: seeds.reduce((sum, { unposted }) => sum + unposted, 0),
    seeds,
  }
}

export function measuredFlowsOf({ label, result }: NamedResult): MeasuredFlows {
  const measured = numbersOf(result.flows, 'measured')
  const rows = Array.from(measured.keys()).filter((row) => measured[row] === 1)
  const { completionPs, slowdown } = completionsOf(result)
  const ofRows = (values: ArrayLike<number>): number[] =>
    rows.map((row) => (Number.isNaN(values[row]) ? Infinity : (values[row] as number)))
  const tags = textsOf(result.flows, 'tag')
  return {
    label,
    sizeBytes: ofRows(numbersOf(result.flows, 'sizeBytes')),
    tag: rows.map((row) => tags[row] as string),
    completionPs: ofRows(completionPs),
    slowdown: rows.map((row) => (Number.isNaN(completionPs[row]) ? Infinity : slowdown[row]!)),
    unposted: Object.values(result.unposted).reduce((sum, count) => sum + count, 0),
  }
}

/** "300 measured flows, all finished", "measured flows that did not finish: a 12 of 300, b 0 of 300". */
export function finishedText(flows: readonly MeasuredFlows[]): string {
  const texts = flows.map(({ completionPs, unposted }) => `${countText(completionPs)}${waitingText(unposted)}`)
  if (new Set(texts).size === 1) return flows.length > 1 ? `each: ${texts[0]}` : texts[0]!
  const counts = flows.map(({ label, completionPs, unposted }) => {
    return `${label} ${unfinishedCount(completionPs)} of ${completionPs.length}${waitingText(unposted)}`
  })
  return `measured flows that did not finish: ${counts.join(', ')}`
}

/** How figures show flows that did not finish, and that the summary does not count them; none where all finished. */
export function unfinishedNotes(flows: readonly MeasuredFlows[], shown: string): string[] {
  if (!flows.some(({ completionPs }) => unfinishedCount(completionPs) > 0)) return []
  return [`unfinished flows count as slowest${shown}`, 'percentiles in the summary leave them out']
}

/** How many finished flows figures of the slowdown leave out; none where each has an ideal time. */
export function withoutIdealNotes(flows: readonly MeasuredFlows[]): string[] {
  const count = flows.reduce((sum, { slowdown }) => sum + slowdown.filter(Number.isNaN).length, 0)
  return count === 0 ? [] : [`${count} finished flows have no ideal time and are left out`]
}

function countText(completionPs: readonly number[]): string {
  const total = completionPs.length
  const unfinished = unfinishedCount(completionPs)
  if (total === 0) return 'no measured flow'
  if (unfinished > 0) return `${unfinished} of ${total} measured flows did not finish`
  return `${total} measured flows, all finished`
}

function waitingText(unposted: number): string {
  return unposted > 0 ? `, and ${unposted} messages that wait for others were never posted` : ''
}

function unfinishedCount(completionPs: readonly number[]): number {
  return completionPs.filter((time) => time === Infinity).length
}
