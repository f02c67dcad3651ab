/**
 * Sums of a host: what its RDMA devices count, each for itself, is of the host as a whole.
 */
import { assert } from '../../../core/base/assert.ts'
import { ALL_PRIORITIES, counterNamed, type Reading } from '../../../core/device-model/index.ts'
import { stepOf } from '../../devices/series/index.ts'
import type { Kept } from './kept.ts'

/** A counter of a host, with those that are added up. */
export interface Sum {
  readonly parts: readonly Kept[]
  /** At the times at which all parts were read. */
  readonly readings: readonly Reading[]
}

/**
 * Counters of the whole device, by name. Sums neither wrap nor start again: a part that starts again is seen in its own
 * readings. @param timeOf time of a reading of a counter by its position
 */
export function sumsOf(kept: Iterable<Kept>, timeOf: (kept: Kept, position: number) => number): Map<string, Sum> {
  const parts = new Map<string, Kept[]>()
  for (const one of kept)
    if (counterNamed(one.name)?.scope === 'device') parts.set(one.name, [...(parts.get(one.name) ?? []), one])
  const sums = new Map<string, Sum>()
  for (const [name, all] of parts) {
    const whole = all.filter(({ port }) => port === '')
    const own = whole.length > 0 ? whole : all
    const values = own.map((one) => valuesOf(one, own.length > 1, timeOf))
    const times = [...values[0]!.keys()].filter((time) => values.every((each) => each.has(time)))
    const { device, bits } = own[0]!.readings[0]!
    assert(
      own.every(({ readings }) => readings[0]!.device === device),
      'counts: a sum is over several devices',
    )
    sums.set(name, {
      parts: own,
      readings: times.map((timeNs) => ({
        device,
        port: '',
        priority: ALL_PRIORITIES,
        name,
        value: values.reduce((sum, each) => sum + each.get(timeNs)!, 0),
        bits: own.length > 1 ? 64 : bits,
        timeNs,
      })),
    })
  }
  return sums
}

/** Values by time. @param isUnwrapped with what wraps took away */
function valuesOf(
  kept: Kept,
  isUnwrapped: boolean,
  timeOf: (kept: Kept, position: number) => number,
): Map<number, number> {
  let before = 0
  return new Map(
    kept.readings.map(({ value, bits }, i) => {
      const last = kept.readings[i - 1]
      const isWrap = isUnwrapped && last !== undefined && stepOf(last.value, value, bits) === 'wrap'
      if (isWrap) before += 2 ** bits
      return [timeOf(kept, i), value + before]
    }),
  )
}
