/**
 * Differences of counters: what happened between two readings of one counter. A lower reading is a wrap or a reset, which
 * only the other counters of the device can tell.
 * Source: docs/models/localiser.md, "Differences".
 */

import { assert } from '../../../core/base/assert.ts'

/** A counter that fell from above this share of its range may have wrapped. */
const WRAP_SHARE = 0.75
/** Where counters of 32 and 16 bits stay for good once they are there, whatever the width that they are read with. */
const SATURATED: ReadonlySet<number> = new Set([2 ** 32 - 1, 2 ** 16 - 1])

/** wrap: it is one if the device's other counters went on. stuck: the counter is saturated. */
export type Step = 'rose' | 'same' | 'wrap' | 'fell' | 'stuck'

/** How a cumulative counter went from one reading to the next. */
export function stepOf(old: number, value: number, bits: number): Step {
  if (value > old) return 'rose'
  if (value === old) return SATURATED.has(value) || value === 2 ** bits - 1 ? 'stuck' : 'same'
  return old > WRAP_SHARE * 2 ** bits ? 'wrap' : 'fell'
}

/** Growth from one reading to the next. */
export interface Difference {
  readonly fromNs: number
  readonly toNs: number
  /** NaN: not known. */
  readonly amount: number
}

/** Readings of one counter in the order of time. */
export interface Points {
  readonly bits: number
  readonly timesNs: readonly number[]
  readonly values: readonly number[]
}

interface Interval {
  readonly fromNs: number
  readonly toNs: number
}

const overlaps = (a: Interval, b: Interval): boolean => a.fromNs < b.toNs && b.fromNs < a.toNs

/** Differences of the cumulative counters of one device, by the same keys. */
export function differencesOf(counters: ReadonlyMap<string, Points>): Map<string, Difference[]> {
  const resets = resetsOf(counters)
  const isUnknown = (interval: Interval): boolean => resets.some((reset) => overlaps(reset, interval))
  const found = new Map<string, Difference[]>()
  for (const [key, { bits, timesNs, values }] of counters) {
    const differences: Difference[] = []
    for (let i = 1; i < values.length; i++) {
      const [old, value] = [values[i - 1]!, values[i]!]
      const interval = { fromNs: timesNs[i - 1]!, toNs: timesNs[i]! }
      const step = stepOf(old, value, bits)
      const grown = step === 'wrap' ? value - old + 2 ** bits : value - old
      const amount = step === 'stuck' || isUnknown(interval) ? NaN : grown
      assert(!(amount < 0), 'series: a counter shrinks')
      assert(interval.fromNs < interval.toNs, 'series: readings are out of order')
      differences.push({ ...interval, amount })
    }
    found.set(key, differences)
  }
  return found
}

/** Intervals in which the counters of a device started again. */
function resetsOf(counters: ReadonlyMap<string, Points>): Interval[] {
  const fallen = new Map<string, Interval>()
  const wraps = new Map<string, Interval>()
  /** Counters that rose, by interval. */
  const rises = new Map<string, Interval>()
  for (const { bits, timesNs, values } of counters.values()) {
    for (let i = 1; i < values.length; i++) {
      const step = stepOf(values[i - 1]!, values[i]!, bits)
      if (step === 'same' || step === 'stuck') continue
      const interval = { fromNs: timesNs[i - 1]!, toNs: timesNs[i]! }
      const into = step === 'rose' ? rises : step === 'wrap' ? wraps : fallen
      into.set(`${interval.fromNs} ${interval.toNs}`, interval)
    }
  }
  const went = [...rises.values()]
  const alone = [...wraps.values()].filter((wrap) => !went.some((rise) => overlaps(wrap, rise)))
  return [...fallen.values(), ...alone]
}
