/**
 * Conservation laws in every run of the tests: at instants all over it and at its end, unless a test says `check: false`.
 * What runs in a program of its own (tests/cli) says `--check` where it wants them.
 */
import { vi } from 'vitest'
import type * as Simulations from '../../src/lab/simulation.ts'

vi.mock('../../src/lab/simulation.ts', async (original) => {
  const { createSimulation, run, ...others } = await original<typeof Simulations>()
  return {
    ...others,
    createSimulation: (...[scenario, options]: Parameters<typeof createSimulation>) =>
      createSimulation(scenario, { check: true, ...options }),
    run: (...[scenario, options]: Parameters<typeof run>) => run(scenario, { check: true, ...options }),
  }
})
