/**
 * Plain run: a built run in a program without what most scenarios do not use (transport/plain.ts). The build makes this module and
 * what it reaches anew, where it differs, in plain/ (scripts/inline.mjs); in sources it is the same run as the other.
 */
import type { Scenario } from '../scenario/scenario.ts'
import { createSimulation as create, type Simulation, type SimulationOptions } from './built-run.ts'

/** A function of its own: the build would follow a re-export past this module. */
export const createSimulation = (scenario: Scenario, options: SimulationOptions = {}): Simulation =>
  create(scenario, options)
