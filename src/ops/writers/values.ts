/**
 * Values as writers ask for them.
 */
import type { Plain, Value } from '../model/index.ts'

/** The value; undefined: unknown. */
export function known<T extends Plain>(value: Value<T> | undefined): T | undefined {
  return value === undefined || value.state === 'unknown' ? undefined : value.value
}

/** Whether any of the values is known. */
export const isAnyKnown = (...values: readonly (Value | undefined)[]): boolean =>
  values.some((value) => known(value) !== undefined)

/** Fields that a language has no words for, each with the reason. @param fields by reason */
export function withReasons(fields: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).flatMap(([reason, names]) => names.map((name) => [name, reason])))
}
