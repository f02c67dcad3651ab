/**
 * Definitions: from a scenario's {kind, ...} value to the registered thing of that name.
 */
import { assert } from '../../base/assert.ts'
import { InputError } from '../../base/issue.ts'
import { type BalanceDefinition, balances, type PathVariety } from '../../fabric/balance/index.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { CongestionDefinition } from '../../transport/congestion/congestion.ts'
import { congestions } from '../../transport/congestion/index.ts'
import { recoveries } from '../../transport/recovery/index.ts'
import { type RecoveryDefinition, type Timeout, timeoutOf } from '../../transport/recovery/recovery.ts'

/** The definition named `value.kind`; the scenario parser has made sure that there is one. */
export function createFrom<D extends { readonly name: string }>(
  definitions: readonly D[],
  value: { readonly kind: string },
): D {
  const found = definitions.find((definition) => definition.name === value.kind)
  assert(found !== undefined, 'a scenario names a definition that is not registered')
  return found
}

/** The scenario's loss recovery. It takes the scenario's values `as never`: a registry knows no types by name. */
export function recoveryOf({ recovery }: Scenario): RecoveryDefinition {
  return createFrom(recoveries, recovery) as unknown as RecoveryDefinition
}

/** The scenario's congestion control, whose values it takes likewise. */
export function congestionOf({ congestion }: Scenario): CongestionDefinition {
  return createFrom(congestions, congestion) as unknown as CongestionDefinition
}

/** How many ways the scenario's path choice gives the packets of one flow, where there are several. */
export function pathVarietyOf({ balance }: Scenario): PathVariety {
  return (createFrom(balances, balance) as unknown as BalanceDefinition).paths(balance as never)
}

/** Timeouts of the scenario's queue pairs; null: there are none. */
export function scenarioTimeout(scenario: Scenario): Timeout | null {
  return timeoutOf(recoveryOf(scenario), scenario.recovery, scenario.qp.ackTimeout)
}

/** Puts where it is in front of the paths of input issues. */
export function withPath<T>(path: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(
      error.issues.map((issue) => ({ ...issue, path: issue.path === '' ? path : `${path}.${issue.path}` })),
    )
  }
}
