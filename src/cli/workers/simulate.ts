/**
 * Simulate: runs a scenario to its end in slices, between which signals are handled and progress is shown.
 */
import { InputError } from '../../core/base/issue.ts'
import {
  createSimulation,
  type Progress,
  type Simulation,
  type SimulationOptions,
  sliceSizes,
} from '../../lab/index.ts'
import type { Result, RunCost } from '../../core/results/index.ts'
import type { Scenario } from '../../lab/scenario/index.ts'
import { BrokenRun } from '../failure.ts'
import { expectHeapRoom } from '../heap-room.ts'

export interface SimulateOptions {
  /** Checks conservation laws after every slice, with slices of random length. */
  readonly check?: boolean
  /** Called after each slice; true ends the run. */
  readonly isInterrupted?: () => boolean
  /** Called after each slice. */
  readonly onSlice?: (simulation: Simulation) => void
}

export interface Simulated {
  /** Marked partial if the run was interrupted. */
  readonly result: Result
  /** Cost of the event loop, without reading, building and writing. */
  readonly cost: RunCost
}

/** Runs a built scenario and closes it. Throws BrokenRun for any error. */
export async function simulate(
  scenario: Scenario,
  simulation: Simulation,
  options: SimulateOptions = {},
): Promise<Simulated> {
  const slice = sliceSizes(scenario, options.check === true)
  const startMs = performance.now()
  const startCpu = process.cpuUsage()
  let isInterrupted = false
  try {
    while (simulation.advance(slice())) {
      expectHeapRoom()
      options.onSlice?.(simulation)
      await yieldToEvents()
      if (options.isInterrupted?.() === true) {
        isInterrupted = true
        break
      }
    }
    const cpu = process.cpuUsage(startCpu)
    const cost: RunCost = {
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      wallSeconds: (performance.now() - startMs) / 1000,
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
    }
    return { result: simulation.result(isInterrupted), cost }
  } catch (error) {
    const { nowPs, events } = simulation.progress()
    throw new BrokenRun({ name: scenario.name, seed: scenario.seed, nowPs, events }, error)
  } finally {
    simulation.close()
  }
}

/** Completed share of the run, 0 .. 1. */
export function fractionOf(progress: Progress): number {
  return Number.isFinite(progress.fraction) ? Math.min(1, Math.max(0, progress.fraction)) : 0
}

/** Builds a scenario. Throws InputError for mistakes that only the build finds, BrokenRun for any other error. */
export function buildSimulation(scenario: Scenario, options: SimulationOptions = {}): Simulation {
  try {
    return createSimulation(scenario, options)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new BrokenRun({ name: scenario.name, seed: scenario.seed, nowPs: 0, events: 0 }, error)
  }
}

/** Lets the event loop of Node handle pending events. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
