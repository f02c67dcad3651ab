/**
 * Trial: a run of a scenario with overrides.
 */
import { InputError } from '../../../core/base/issue.ts'
import { createSimulation } from '../../index.ts'
import { printScenario, type Scenario } from '../../scenario/index.ts'
import { overridden } from './suspect.ts'

/** A run with overrides: without some suspects, or with a remedy. */
export interface Trial {
  readonly sets: readonly string[]
  readonly scenario: Scenario
}

/** Null: the scenario does not take the overrides, or is the same with them. */
export function trialOf(scenario: Scenario, sets: readonly string[]): Trial | null {
  try {
    const changed = overridden(scenario, sets)
    if (changed === null || JSON.stringify(printScenario(changed)) === JSON.stringify(printScenario(scenario)))
      return null
    const own = { ...changed, observe: [] }
    // Building finds what only the network shows: buffers that are too small for their headroom.
    createSimulation(own).close()
    return { sets, scenario: own }
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}
