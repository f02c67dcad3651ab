/** Values of settings as writers take them: known ones, whatever their state, and those that absence does not say already. */
import { knownOf, type Plain, type Value } from '../../../core/device-model/index.ts'

/** As `known`, without a default of the device that is `usual` where nothing is written. */
export function written<T extends Plain>(value: Value<T>, usual: NoInfer<T>): T | undefined {
  if (value.state === 'default' && isSame(value.value, usual)) return undefined
  return knownOf(value)
}

export function isSame(a: Plain | undefined, b: Plain | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b
  return a.length === b.length && a.every((each, i) => each === b[i])
}

/** The first known of several values. */
export function firstKnown<T extends Plain>(values: Iterable<Value<T>>): T | undefined {
  for (const value of values) {
    const found = knownOf(value)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whole number as it is written. */
export const whole = (value: number): string => String(Math.round(value))
