/**
 * Values as writers ask for them.
 */
import { knownOf, type Value } from '../../../core/device-model/index.ts'

/** Whether any of the values is known. */
export const isAnyKnown = (...values: readonly (Value | undefined)[]): boolean =>
  values.some((value) => knownOf(value) !== undefined)

/** Fields that a language has no words for, each with the reason. @param fields by reason */
export function withReasons(fields: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).flatMap(([reason, names]) => names.map((name) => [name, reason])))
}
