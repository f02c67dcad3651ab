/**
 * Series: readings of many devices as amounts over intervals that all devices share. Polls that are lost, late or of other
 * lengths are spread over the intervals that they cover, by the clock of the device that they are from.
 * Source: docs/models/localiser.md, "Differences".
 */
import { assert } from '../../../core/base/assert.ts'
import { leastOf, mostOf } from '../../../core/base/extremes.ts'
import { counterNamed, type Reading } from '../../../core/device-model/index.ts'
import { type Difference, differencesOf, type Points } from './differences.ts'

/** Longest series of intervals; beyond, intervals get longer. */
const INTERVALS_MAX = 4096
/** Share of two spans that has to be common to both, else the clock of the device is off. */
const COMMON_SHARE = 0.7

/** An amount in an interval, and how much of the interval the readings cover. */
export interface Amount {
  readonly value: number
  /** Above 0. */
  readonly coveredNs: number
}

/** Counters of one device. */
class DeviceSeries {
  readonly differences: ReadonlyMap<string, readonly Difference[]>
  readonly levels: ReadonlyMap<string, Points>
  readonly timesNs: readonly number[]
  /** Names of its counters. */
  readonly names: ReadonlySet<string>
  /** Added to its times to get those of the others. */
  shiftNs = 0

  constructor(readings: readonly Reading[]) {
    const sums = new Map<string, Reading[]>()
    const levels = new Map<string, Reading[]>()
    for (const reading of readings) {
      const into = counterNamed(reading.name)?.kind === 'sum' ? sums : levels
      const key = keyOf(reading.port, reading.priority, reading.name)
      const known = into.get(key)
      if (known === undefined) into.set(key, [reading])
      else known.push(reading)
    }
    this.differences = differencesOf(new Map([...sums].map(([key, list]) => [key, pointsOf(list)])))
    this.levels = new Map([...levels].map(([key, list]) => [key, pointsOf(list)]))
    this.timesNs = [...new Set(readings.map(({ timeNs }) => timeNs))].sort((a, b) => a - b)
    this.names = new Set(readings.map(({ name }) => name))
  }
}

/** Readings of each device, in their order. */
export function byDevice(readings: readonly Reading[]): Map<string, Reading[]> {
  const lists = new Map<string, Reading[]>()
  for (const reading of readings) {
    const known = lists.get(reading.device)
    if (known === undefined) lists.set(reading.device, [reading])
    else known.push(reading)
  }
  return lists
}

/** The name of a counter has no stroke, and a priority is a number: only the port may have one. */
const keyOf = (port: string, priority: number, name: string): string => `${name}|${priority}|${port}`

/** In the order of time; two values of one time, which cannot both be right, leave the larger one. */
function pointsOf(readings: readonly Reading[]): Points {
  const sorted = readings.toSorted((a, b) => a.timeNs - b.timeNs || a.value - b.value)
  const kept = sorted.filter(({ timeNs }, i) => sorted[i + 1]?.timeNs !== timeNs)
  return {
    bits: mostOf(kept.map(({ bits }) => bits)),
    timesNs: kept.map(({ timeNs }) => timeNs),
    values: kept.map(({ value }) => value),
  }
}

export class Series {
  readonly fromNs: number
  readonly intervalNs: number
  /** How many intervals there are; 0: no device has been read twice. */
  readonly count: number
  /** Priorities of all readings, in ascending order. */
  readonly priorities: readonly number[]
  readonly #devices: ReadonlyMap<string, DeviceSeries>

  constructor(readings: readonly Reading[]) {
    this.#devices = new Map([...byDevice(readings)].map(([device, list]) => [device, new DeviceSeries(list)]))
    this.priorities = [...new Set(readings.map(({ priority }) => priority))].sort((a, b) => a - b)
    const polled = [...this.#devices.values()].filter(({ timesNs }) => timesNs.length > 1)
    setClocks(polled)
    const firsts = polled.map(({ timesNs, shiftNs }) => timesNs[0]! + shiftNs)
    const lasts = polled.map(({ timesNs, shiftNs }) => timesNs.at(-1)! + shiftNs)
    const gaps = polled.flatMap(({ timesNs }) => timesNs.slice(1).map((time, i) => time - timesNs[i]!))
    this.fromNs = polled.length === 0 ? 0 : leastOf(firsts)
    const spanNs = polled.length === 0 ? 0 : mostOf(lasts) - this.fromNs
    this.intervalNs = Math.max(medianOf(gaps), spanNs / INTERVALS_MAX)
    this.count = polled.length === 0 ? 0 : Math.max(1, Math.round(spanNs / this.intervalNs))
    assert(this.count <= INTERVALS_MAX + 1, 'series: more intervals than have room')
  }

  /** Whether a device has been read at least twice, so that something is known of it. */
  has(device: string): boolean {
    return (this.#devices.get(device)?.timesNs.length ?? 0) > 1
  }

  /** Names of the counters that a device has, with those that never changed. */
  names(device: string): ReadonlySet<string> {
    return this.#devices.get(device)?.names ?? new Set()
  }

  /** Begin of an interval, by the common clock. */
  beginNs(interval: number): number {
    return this.fromNs + interval * this.intervalNs
  }

  /** Amount of a cumulative counter in an interval; undefined: not known. */
  amount(device: string, port: string, priority: number, name: string, interval: number): Amount | undefined {
    const series = this.#devices.get(device)
    const differences = series?.differences.get(keyOf(port, priority, name))
    if (series === undefined || differences === undefined) return undefined
    const fromNs = this.beginNs(interval) - series.shiftNs
    const toNs = fromNs + this.intervalNs
    let [value, coveredNs] = [0, 0]
    for (let i = firstAbove(differences, fromNs, toOf); i < differences.length; i++) {
      const difference = differences[i]!
      if (difference.fromNs >= toNs) break
      if (Number.isNaN(difference.amount)) continue
      const commonNs = Math.min(toNs, difference.toNs) - Math.max(fromNs, difference.fromNs)
      value += (difference.amount * commonNs) / (difference.toNs - difference.fromNs)
      coveredNs += commonNs
    }
    assert(value >= 0 && coveredNs <= this.intervalNs * (1 + 1e-9), 'series: an amount is of more than its interval')
    return coveredNs > 0 ? { value, coveredNs } : undefined
  }

  /** The sum of a cumulative counter over all intervals; undefined: not known. */
  total(device: string, port: string, priority: number, name: string): number | undefined {
    return this.growth(device, port, priority, name)?.value
  }

  /** The same with the time that is known of all intervals, by the clock of the device. */
  growth(device: string, port: string, priority: number, name: string): Amount | undefined {
    const differences = this.#devices.get(device)?.differences.get(keyOf(port, priority, name))
    const known = differences?.filter(({ amount }) => !Number.isNaN(amount))
    if (known === undefined || known.length === 0) return undefined
    const value = known.reduce((sum, { amount }) => sum + amount, 0)
    return { value, coveredNs: known.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0) }
  }

  /** The highest value of a gauge or watermark that was read in an interval; undefined: none was. */
  level(device: string, port: string, priority: number, name: string, interval: number): number | undefined {
    const series = this.#devices.get(device)
    const points = series?.levels.get(keyOf(port, priority, name))
    if (series === undefined || points === undefined) return undefined
    const fromNs = this.beginNs(interval) - series.shiftNs
    // A watermark is of the time before it was read, which half an interval more or less does not change.
    const [earliestNs, latestNs] = [fromNs + this.intervalNs / 2, fromNs + 1.5 * this.intervalNs]
    let highest: number | undefined
    for (let i = firstAbove(points.timesNs, earliestNs, Number); i < points.timesNs.length; i++) {
      if (points.timesNs[i]! > latestNs) break
      highest = Math.max(highest ?? 0, points.values[i]!)
    }
    return highest
  }

  /** The highest value of a gauge or watermark at any time; undefined: it was never read. */
  highest(device: string, port: string, priority: number, name: string): number | undefined {
    const points = this.#devices.get(device)?.levels.get(keyOf(port, priority, name))
    return points === undefined ? undefined : mostOf(points.values)
  }
}

const toOf = ({ toNs }: Difference): number => toNs

/** Index of the first item of an ascending list whose time is above a time. */
function firstAbove<T>(items: readonly T[], timeNs: number, timeOf: (item: T) => number): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeOf(items[middle]!) > timeNs) high = middle
    else low = middle + 1
  }
  return low
}

/** Clocks that are so far off that their devices seem to have been read at other times than the rest. */
function setClocks(devices: readonly DeviceSeries[]): void {
  const firstNs = medianOf(devices.map(({ timesNs }) => timesNs[0]!))
  const lastNs = medianOf(devices.map(({ timesNs }) => timesNs.at(-1)!))
  for (const device of devices) {
    const [first, last] = [device.timesNs[0]!, device.timesNs.at(-1)!]
    const commonNs = Math.min(last, lastNs) - Math.max(first, firstNs)
    if (commonNs < COMMON_SHARE * Math.min(last - first, lastNs - firstNs)) device.shiftNs = lastNs - last
  }
}

/** 0 of nothing. */
function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
