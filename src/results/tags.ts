/**
 * Tags: completion, slowdown, goodput and fairness of each tag's flows.
 * Units in the names: Ps picoseconds, Bps bit/s; slowdowns and indexes are ratios. NaN where no flow is there to be counted.
 * Goodput of a tag: the payload its receivers got in the measuring window; where the whole run is measured, all of it,
 * over the time from the tag's first start to its last end (the run's, where one of its flows has none).
 * Source of the index: R. Jain, D. Chiu, W. Hawe, DEC-TR-301 (1984): (sum x)^2 / (n sum x^2), from 1/n to 1.
 */
import { activePs, endOfRunPs, hasWindow } from './run-times.ts'
import { mean, quantileOfSorted, sortedValues } from './quantiles.ts'
import type { Result } from './result.ts'
import type { Completions } from './completions.ts'
import { findColumn, numbersOf, textsOf } from './table.ts'

export interface TagSummary {
  readonly tag: string
  readonly flows: number
  readonly finished: number
  /** Flows that started in the measuring window, of them those that finished, and of these those without an ideal time. */
  readonly measured: number
  readonly measuredFinished: number
  readonly withoutIdeal: number
  /** Over measured finished flows, as everything below but goodput. */
  readonly meanSlowdown: number
  readonly p50Slowdown: number
  readonly p99Slowdown: number
  readonly meanCompletionPs: number
  readonly p99CompletionPs: number
  readonly goodputBps: number
  /** Between its flows that live in the window: delivered payload over the time they took, or had until the run ended. */
  readonly jainIndex: number
}

/** Summaries by tag, in the order of their first start; empty where all flows have one tag. */
export function tagSummaries(result: Result, completions: Completions): TagSummary[] {
  const rowsOf = new Map<string, number[]>()
  textsOf(result.flows, 'tag').forEach((tag, row) => {
    const rows = rowsOf.get(tag)
    if (rows === undefined) rowsOf.set(tag, [row])
    else rows.push(row)
  })
  if (rowsOf.size < 2) return []
  return [...rowsOf].map(([tag, rows]) => summaryOf(result, completions, tag, rows))
}

/** 1: all equal; 1/n: one of n has everything. NaN without values, or where all are 0. */
export function jainIndex(values: readonly number[]): number {
  const squares = sum(values.map((value) => value * value))
  return squares > 0 ? sum(values) ** 2 / (values.length * squares) : NaN
}

function summaryOf(
  result: Result,
  { completionPs, slowdown }: Completions,
  tag: string,
  rows: readonly number[],
): TagSummary {
  const { flows, windowFromPs, windowToPs } = result
  const [startPs, measured] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'measured')]
  const finished = rows.filter((row) => !Number.isNaN(completionPs[row]))
  const counted = finished.filter((row) => measured[row] === 1)
  const slowdowns = sortedValues(Float64Array.from(counted, (row) => slowdown[row]!))
  const times = sortedValues(Float64Array.from(counted, (row) => completionPs[row]!))
  const endPs = (row: number): number =>
    Number.isNaN(completionPs[row]) ? endOfRunPs(result, startPs[row]!) : startPs[row]! + completionPs[row]!
  const delivered = deliveredBytes(result, completionPs)
  const inWindow = rows.filter((row) => startPs[row]! < windowToPs && endPs(row) > windowFromPs)
  return {
    tag,
    flows: rows.length,
    finished: finished.length,
    measured: rows.filter((row) => measured[row] === 1).length,
    measuredFinished: times.length,
    withoutIdeal: times.length - slowdowns.length,
    meanSlowdown: mean(slowdowns),
    p50Slowdown: quantileOfSorted(slowdowns, 0.5),
    p99Slowdown: quantileOfSorted(slowdowns, 0.99),
    meanCompletionPs: mean(times),
    p99CompletionPs: quantileOfSorted(times, 0.99),
    goodputBps: hasWindow(result)
      ? perSecond(result.windowPayloadBytesByTag[tag] ?? NaN, windowToPs - windowFromPs)
      : perSecond(sum(rows.map(delivered)), activePs(result, completionPs, rows)),
    jainIndex: jainIndex(
      inWindow.map((row) => delivered(row) / (endPs(row) - startPs[row]!)).filter((rate) => !Number.isNaN(rate)),
    ),
  }
}

/** Payload of a message that its receiver has; where results of old do not say, 0 for unfinished ones. */
function deliveredBytes({ flows }: Result, completionPs: Float64Array): (row: number) => number {
  const sizeBytes = numbersOf(flows, 'sizeBytes')
  const column = findColumn(flows, 'deliveredBytes')
  const known = column === undefined || column.type === 'text' ? null : column.data
  return (row) => (Number.isNaN(completionPs[row]) ? (known?.[row] ?? 0) : sizeBytes[row]!)
}

function perSecond(bytes: number, overPs: number): number {
  return overPs > 0 ? (bytes / overPs) * 8e12 : NaN
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + (Number.isNaN(value) ? 0 : value), 0)
}
