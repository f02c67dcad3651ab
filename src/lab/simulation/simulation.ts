/**
 * Simulation: a scenario built and run, by the plain program where that has all that it needs.
 */
import { Bug } from '../../core/base/assert.ts'
import { createRandomStreams } from '../../core/base/random.ts'
import type { Result } from '../../core/results/result.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { createSimulation as createFull, type Simulation, type SimulationOptions } from './built-run.ts'
import { needsFull } from './full-needs.ts'
import { createSimulation as createPlain } from './plain-run.ts'

export type { Progress, Simulation, SimulationOptions } from './built-run.ts'

/** Some milliseconds of work: long enough to make a return cheap, short enough to react to a key press. */
export const SLICE_EVENTS = 20_000

/**
 * Builds a scenario, to be advanced in slices. Close it in the end.
 * @throws InputError where the scenario cannot be built
 */
export function createSimulation(scenario: Scenario, options: SimulationOptions = {}): Simulation {
  return needsFull(scenario) ? createFull(scenario, options) : createPlain(scenario, options)
}

/** Number of events of each call of `advance`; random if laws are checked, so that they are checked at any event. */
export function sliceSizes({ seed }: Scenario, isChecked: boolean): () => number {
  if (!isChecked) return () => SLICE_EVENTS
  const random = createRandomStreams(seed).stream('check')
  return () => 1 + random.below(SLICE_EVENTS)
}

/** Runs a scenario to its end. A Bug names scenario and seed. */
export function run(scenario: Scenario, options: SimulationOptions = {}): Result {
  const simulation = createSimulation(scenario, options)
  try {
    const slice = sliceSizes(scenario, options.check === true)
    while (simulation.advance(slice()));
    return simulation.result(false)
  } catch (error) {
    if (error instanceof Bug) throw new Bug(`${scenario.name}, seed ${scenario.seed}: ${error.message}`)
    throw error
  } finally {
    simulation.close()
  }
}
