/** Host delays: distributions of the time between wire and application; one file and one line each. */
import { InputError } from '../../base/issue.ts'
import type { ValueOf, VariantParam } from '../../base/params.ts'
import { exponential } from './exponential.ts'
import type { HostDelay } from './host-delay.ts'
import { lognormal } from './lognormal.ts'
import { none } from './none.ts'
import { quantiles } from './quantiles.ts'

export type { HostDelay } from './host-delay.ts'

/** Every distribution a scenario can name. */
export const hostDelays = [none, exponential, lognormal, quantiles] as const

/** A distribution chosen in a scenario: its kind, and its params beside it. */
export type HostDelayValue = ValueOf<VariantParam<(typeof hostDelays)[number]>>

/**
 * The chosen distribution; null: no delay.
 * @throws InputError with paths below `path`, the place of the value in the scenario
 */
export function createHostDelay(value: HostDelayValue, path: string): HostDelay | null {
  const chosen = hostDelays.find((definition) => definition.name === value.kind)!
  try {
    // The value's kind says that its other keys are this definition's params.
    return (chosen.create as (values: HostDelayValue) => HostDelay | null)(value)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(error.issues.map((issue) => ({ ...issue, path: `${path}.${issue.path}` })))
  }
}
