/**
 * Kept readings: of each counter of a device those of one form, in their order. Forms are never mixed: some cache values,
 * count in other widths, or drops of one cause alone. Readings with times go before those in the order of their files' names,
 * these before a single one; of two forms that are read alike the one that counts more is kept. The two outputs of one file
 * that differ in a value are of nobody knows which port, and say nothing of it.
 */
import { assert } from '../../../core/base/assert.ts'
import type { Device, FileReading } from '../../devices/joins/index.ts'
import { ALL_PRIORITIES, CLASSES, counterNamed } from '../../../core/device-model/index.ts'

/** How files tell growth: with times, in the order of their names only, not at all (one reading), or there are none. */
export type Timing = 'timed' | 'ordered' | 'once' | 'nothing'

export interface Kept {
  readonly timing: Timing
  readonly port: string
  readonly priority: number
  readonly name: string
  /** At least one, the oldest first. */
  readonly readings: readonly FileReading[]
}

export const keyOf = (port: string, priority: number, name: string): string => JSON.stringify([port, priority, name])

const RANKS: readonly Timing[] = ['once', 'ordered', 'timed']

/** By keyOf. @param portOf the name by which links know a port */
export function keptOf({ readings }: Device, portOf: (port: string) => string): Map<string, Kept> {
  const forms = new Map<string, Map<string, FileReading[]>>()
  for (const reading of readings) {
    const { port, priority, name, form } = reading
    if (port === '' && counterNamed(name)?.scope !== 'device') continue
    const key = keyOf(portOf(port), priority, name)
    let own = forms.get(key)
    if (own === undefined) forms.set(key, (own = new Map()))
    const list = own.get(form)
    if (list === undefined) own.set(form, [reading])
    else list.push(reading)
  }
  const kept = new Map<string, Kept>()
  for (const [key, own] of forms) {
    const found = [...own.values()].flatMap((list) => keptIn(list, portOf(list[0]!.port)) ?? [])
    const [best] = found.sort(
      (a, b) =>
        RANKS.indexOf(b.timing) - RANKS.indexOf(a.timing) ||
        b.readings.length - a.readings.length ||
        b.readings.at(-1)!.value - a.readings.at(-1)!.value,
    )
    if (best !== undefined) kept.set(key, best)
  }
  return kept
}

function keptIn(list: readonly FileReading[], port: string): Kept | undefined {
  const { priority, name } = list[0]!
  const byFile = new Map<string, FileReading | null>()
  for (const reading of list) {
    const known = byFile.get(reading.origin.file)
    byFile.set(reading.origin.file, known === undefined || known?.value === reading.value ? reading : null)
  }
  const clear = [...byFile.values()].filter((reading) => reading !== null)
  if (clear.length === 0) return undefined
  const timed = clear.filter(({ timeNs }) => Number.isFinite(timeNs)).toSorted((a, b) => a.timeNs - b.timeNs)
  const isTimed = new Set(timed.map(({ timeNs }) => timeNs)).size > 1
  const readings = isTimed ? timed : clear.toSorted((a, b) => byName(a.origin.file, b.origin.file))
  return { timing: isTimed ? 'timed' : readings.length > 1 ? 'ordered' : 'once', port, priority, name, readings }
}

/** Names in their order, where numbers in them count as such: t9 comes before t10. */
function byName(a: string, b: string): number {
  const [x, y] = [a, b].map((name) => name.match(/\d+|\D+/g) ?? [])
  for (let i = 0; i < Math.max(x!.length, y!.length); i++) {
    const [one, other] = [x![i] ?? '', y![i] ?? '']
    const difference = Number(one) - Number(other)
    if (difference !== 0 && !Number.isNaN(difference)) return difference
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}

const PAUSES: ReadonlySet<string> = new Set(['pauseRxUs', 'pauseTxUs', 'pfcRxFrames', 'pfcTxFrames'])

/**
 * Times at which a device was polled: those of the counter of pauses that was read most. Files of other forms and ports are
 * collected shortly before or after and count as of the same poll, so that intervals are those between polls.
 */
export class Polls {
  readonly timesNs: readonly number[]
  readonly #nearNs: number

  constructor(kept: Iterable<Kept>) {
    const timed = [...kept].filter(({ timing }) => timing === 'timed')
    const score = ({ name, readings }: Kept): number => readings.length + (PAUSES.has(name) ? 1e9 : 0)
    const main = timed.reduce<Kept | undefined>(
      (most, one) => (most === undefined || score(one) > score(most) ? one : most),
      undefined,
    )
    this.timesNs = [...new Set(main?.readings.map(({ timeNs }) => timeNs))]
    const gaps = this.timesNs.slice(1).map((time, i) => time - this.timesNs[i]!)
    assert(
      gaps.every((gap) => gap > 0),
      'counts: polls are out of order',
    )
    this.#nearNs = gaps.reduce((least, gap) => Math.min(least, gap), Infinity) / 2
  }

  /** The poll that a time belongs to, or the time where it is far from all. */
  near(timeNs: number): number {
    let [low, high] = [0, this.timesNs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.timesNs[middle]! < timeNs) low = middle + 1
      else high = middle
    }
    const around = [this.timesNs[low - 1], this.timesNs[low]].filter((time) => time !== undefined)
    const nearest = around.toSorted((a, b) => Math.abs(a - timeNs) - Math.abs(b - timeNs))[0]
    return nearest !== undefined && Math.abs(nearest - timeNs) < this.#nearNs ? nearest : timeNs
  }
}

/** Counters that some devices have by priority, and the names of those of all priorities together. */
const TOTALS: readonly (readonly [name: string, total: string])[] = [
  ['rxBytes', 'portRxBytes'],
  ['txBytes', 'portTxBytes'],
  ['rxPackets', 'rxPackets'],
  ['txPackets', 'txPackets'],
  ['pfcRxFrames', 'portPfcRxFrames'],
  ['pfcTxFrames', 'portPfcTxFrames'],
  ['dropIn', 'dropIn'],
  ['dropOut', 'dropOut'],
]

/** A counter of all priorities, under the name that those of each have. */
export interface Total {
  readonly name: string
  readonly kept: Kept
}

/** Counters of all priorities of a port that it does not count by priority. */
export function totalsOf(kept: ReadonlyMap<string, Kept>, port: string): Total[] {
  return TOTALS.flatMap(([name, total]): Total[] => {
    if (CLASSES.some((priority) => kept.has(keyOf(port, priority, name)))) return []
    const own = kept.get(keyOf(port, ALL_PRIORITIES, name)) ?? kept.get(keyOf(port, ALL_PRIORITIES, total))
    return own === undefined ? [] : [{ name, kept: own }]
  })
}

/** Whether it is the sum over all priorities of a counter that is usually kept by priority. */
export const isTotal = ({ name, priority }: Kept): boolean =>
  priority === ALL_PRIORITIES && TOTALS.some(([each]) => each === name)
