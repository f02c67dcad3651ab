/**
 * Counts: values of one port under a driver's names, as neutral counters, and back.
 */
import { ALL_PRIORITIES, CLASSES } from '../../../../core/device-model/index.ts'
import type { Facts } from '../facts.ts'
import type { Line } from '../text.ts'
import { type Driver, PRIORITY_SIGN, type VendorCounter } from './names.ts'

/** A value under the driver's name for it. */
export interface Stat {
  readonly value: number
  readonly line: Line
}

/** By the driver's name. */
export type Stats = ReadonlyMap<string, Stat>

/** A value under its neutral name. */
export interface NeutralCount {
  /** 0 to 7, or ALL_PRIORITIES. */
  readonly priority: number
  readonly name: string
  readonly value: number
}

/** A number as drivers print it; undefined: it is none. Beyond 2^53 the last digits are lost. */
export function countOf(text: string): number | undefined {
  return /^\d{1,25}$/.test(text) ? Number(text) : undefined
}

/** The first driver of which a name is there; undefined: none. */
export function driverOf(stats: Iterable<string>, drivers: readonly Driver[]): Driver | undefined {
  const names = [...stats]
  return drivers.find(({ sign }) => names.some((name) => sign.test(name)))
}

/** Notes the counters of a port that are there. */
export function noteStats(facts: Facts, port: string, stats: Stats, counters: readonly VendorCounter[]): void {
  const noted = new Set<string>()
  for (const { counter, priority, key, names } of shownBy(counters)) {
    const first = stats.get(names[0]!)
    if (first === undefined || noted.has(key) || !names.every((name) => stats.has(name))) continue
    noted.add(key)
    const value = names.reduce((sum, name) => sum + stats.get(name)!.value, 0) * counter.factor
    facts.counts.push({
      port,
      priority,
      name: counter.name,
      value,
      bits: bitsOf(counter.bits, value),
      line: first.line,
    })
  }
}

/** A value beyond a counter's width shows that it is wider: drivers add up what narrow hardware counts. */
export function bitsOf(bits: number, value: number): number {
  return value < 2 ** bits ? bits : 64
}

/**
 * Names and values under which a driver shows counters, in the order of its table. What it does not count is left out. A
 * value starts again at 0 beyond its width. Of counters that are shown in parts the first have the larger ones.
 */
export function vendorCounts(
  counters: readonly VendorCounter[],
  counts: Iterable<NeutralCount>,
): { readonly name: string; readonly value: number }[] {
  const values = new Map([...counts].map(({ name, priority, value }) => [`${name} ${priority}`, value]))
  const shown: { name: string; value: number }[] = []
  for (const { counter, key, names } of shownBy(counters)) {
    const value = values.get(key)
    if (value === undefined) continue
    // The first name that it has is enough.
    values.delete(key)
    let rest = Math.round(value / counter.factor) % 2 ** counter.bits
    for (const [i, name] of names.entries()) {
      const part = Math.ceil(rest / (names.length - i))
      rest -= part
      shown.push({ name, value: part })
    }
  }
  return shown
}

/** A counter of one priority, or of all together. */
interface Shown {
  readonly counter: VendorCounter
  readonly priority: number
  /** The same for all under one neutral name. */
  readonly key: string
  readonly names: readonly string[]
}

const known = new WeakMap<readonly VendorCounter[], readonly Shown[]>()

/** A table with a row for each priority. */
export function shownBy(counters: readonly VendorCounter[]): readonly Shown[] {
  let shown = known.get(counters)
  if (shown === undefined) known.set(counters, (shown = counters.flatMap((counter) => eachOf(counter))))
  return shown
}

function eachOf(counter: VendorCounter): Shown[] {
  const { name, vendor } = counter
  const priorities = vendor[0]!.includes(PRIORITY_SIGN) ? CLASSES : [ALL_PRIORITIES]
  return priorities.map((priority) => ({
    counter,
    priority,
    key: `${name} ${priority}`,
    names: vendor.map((pattern) => pattern.replace(PRIORITY_SIGN, String(priority))),
  }))
}
