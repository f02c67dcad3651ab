/**
 * Tags: completion, slowdown, goodput and fairness of each tag's flows.
 * Units in the names: Ps picoseconds, Bps bit/s; slowdowns and indexes are ratios. NaN where no flow is there to be counted.
 * Goodput of a tag: the payload its receivers got in the measuring window; where the whole run is measured, all of it,
 * over the time from the tag's first start to its last end (the run's, where one of its flows has none).
 */
import type { FlowGroup } from './flows/flow-group.ts'
import { jainOf } from './flows/jain.ts'
import { hasWindow } from './run-times.ts'
import { knownQuantile, mean, quantileOfSorted } from './quantiles.ts'
import type { Result } from './result.ts'

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
  /** NaN of fewer flows than it needs. */
  readonly p99Slowdown: number
  readonly maxSlowdown: number
  readonly meanCompletionPs: number
  readonly p99CompletionPs: number
  readonly maxCompletionPs: number
  readonly goodputBps: number
  /** Between its flows that live in the window: delivered payload over the time they took, or had until the run ended. */
  readonly jainIndex: number
}

/** The summary of a tag's flows. */
export function tagSummary(result: Result, tag: string, group: FlowGroup): TagSummary {
  const { windowFromPs, windowToPs } = result
  const [slowdowns, times] = [group.slowdowns, group.timesPs]
  return {
    tag,
    flows: group.flows,
    finished: group.finished,
    measured: group.measured,
    measuredFinished: times.length,
    withoutIdeal: times.length - slowdowns.length,
    meanSlowdown: mean(slowdowns),
    p50Slowdown: quantileOfSorted(slowdowns, 0.5),
    p99Slowdown: knownQuantile(slowdowns, 0.99),
    maxSlowdown: quantileOfSorted(slowdowns, 1),
    meanCompletionPs: mean(times),
    p99CompletionPs: knownQuantile(times, 0.99),
    maxCompletionPs: quantileOfSorted(times, 1),
    goodputBps: hasWindow(result)
      ? perSecond(result.windowPayloadBytesByTag[tag] ?? NaN, windowToPs - windowFromPs)
      : perSecond(group.deliveredBytes, group.activePs),
    jainIndex: group.jainIndex,
  }
}

/** 1: all equal; 1/n: one of n has everything. NaN without values, or where all are 0. */
export function jainIndex(values: readonly number[]): number {
  return jainOf(values.length, sum(values), sum(values.map((value) => value * value)))
}

function perSecond(bytes: number, overPs: number): number {
  return overPs > 0 ? (bytes / overPs) * 8e12 : NaN
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + (Number.isNaN(value) ? 0 : value), 0)
}
