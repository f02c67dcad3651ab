/**
 * Definitions: from a scenario's {kind, ...} value to the registered definition of that name, and properties of the
 * scenario that its schemes define.
 */
import { assert } from '../../core/base/assert.ts'
import { InputError } from '../../core/base/issue.ts'
import { type BalanceDefinition, balances, type PathVariety } from '../../core/fabric/balance/index.ts'
import { quirksOf } from '../scenario/compat.ts'
import { schemeSets } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { congestionsOf, recoveriesOf } from '../scenario/schemes.ts'
import type { CongestionDefinition } from '../../core/transport/congestion/congestion.ts'
import { irn } from '../../core/transport/recovery/irn.ts'
import { rewindingIrn } from '../../core/transport/recovery/irn-rewind.ts'
import { type RecoveryDefinition, type Timeout, timeoutOf } from '../../core/transport/recovery/recovery.ts'
import { neededBy, type Needs } from '../../core/transport/scheme.ts'

/** The definition named `value.kind`; the scenario parser has made sure that there is one. */
export function definitionOf<D extends { readonly name: string }>(
  definitions: readonly D[],
  value: { readonly kind: string },
): D {
  const found = definitions.find((definition) => definition.name === value.kind)
  assert(found !== undefined, 'a scenario names a definition that is not registered')
  return found
}

/** The scenario's loss recovery, which takes the values of `scenario.recovery`. */
export function recoveryOf(scenario: Scenario): RecoveryDefinition {
  const { recovery } = scenario
  if (recovery.kind === irn.name && quirksOf(scenario).rewinds) return rewindingIrn
  return definitionOf(recoveriesOf(scenario), recovery)
}

/** Receivers hold ACKs back on purpose: delayed as those of TCP, or one for several requests. */
export function holdsAcks(scenario: Scenario): boolean {
  return recoveryOf(scenario).delayedAckPs?.(scenario.recovery) != null || scenario.qp.ackCoalescing > 1
}

/** The scenario's congestion control, which takes the values of `scenario.congestion`. */
export function congestionOf(scenario: Scenario): CongestionDefinition {
  return definitionOf(congestionsOf(scenario), scenario.congestion)
}

/** On how many paths the scenario's path choice sends packets of one flow. */
export function pathVarietyOf({ balance }: Scenario): PathVariety {
  return definitionOf<BalanceDefinition>(balances, balance).paths(balance)
}

/** Timeouts of the scenario's queue pairs; null: there are none. */
export function scenarioTimeout(scenario: Scenario): Timeout | null {
  return timeoutOf(recoveryOf(scenario), scenario.recovery, scenario.qp.ackTimeout)
}

/** Needs of the scenario's congestion control, with its values. */
export function congestionNeeds(scenario: Scenario): Needs {
  return neededBy(congestionOf(scenario), scenario.congestion)
}

/** Whether the congestion control of some workload needs it. */
export function isNeeded(scenario: Scenario, need: keyof Needs): boolean {
  return schemeSets(scenario).some((set) => congestionNeeds(set.scenario)[need] === true)
}

/** Whether packets of some workload name the path they take. */
export function hasPaths(scenario: Scenario): boolean {
  return schemeSets(scenario).some((set) => recoveryOf(set.scenario).hasPaths === true)
}

/** Prefixes the paths of input issues with `path`. */
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
