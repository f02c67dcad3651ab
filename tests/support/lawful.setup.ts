/**
 * Checks conservation laws in every run of the tests, at many instants and at its end, unless a test sets `check: false`.
 * Runs of the built program (tests/cli) pass `--check` where they want them.
 */
import { vi } from 'vitest'
import type * as Simulations from '../../src/lab/simulation/simulation.ts'

vi.mock('../../src/lab/simulation/simulation.ts', async (original) => {
  const { createSimulation, run, ...others } = await original<typeof Simulations>()
  return {
    ...others,
    createSimulation: (...[scenario, options]: Parameters<typeof createSimulation>) =>
      createSimulation(scenario, { check: true, ...options }),
    run: (...[scenario, options]: Parameters<typeof run>) => run(scenario, { check: true, ...options }),
  }
})
