/**
 * Simulate: a scenario run to its end in slices, so that signals are seen and progress is shown in between.
 */
import { InputError } from '../../base/issue.ts'
import { createRandomStreams } from '../../base/random.ts'
import { createSimulation, type Progress, type Simulation } from '../../lab/index.ts'
import type { Result, RunCost } from '../../results/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import { BrokenRun } from '../failure.ts'
import { expectHeapRoom } from '../heap-room.ts'

/** Some milliseconds of work: long enough that yielding costs nothing, short enough that a key press is felt. */
const SLICE_EVENTS = 20_000

interface SimulateOptions {
  /** Laws are looked at after every slice, and slices then end anywhere. */
  readonly check?: boolean
  /** Asked after each slice; true ends the run there. */
  readonly isInterrupted?: () => boolean
  /** Told after each slice. */
  readonly onSlice?: (simulation: Simulation) => void
}

export interface Simulated {
  /** Marked partial when it was interrupted. */
  readonly result: Result
  /** Of the event loop alone: neither reading nor building nor writing. */
  readonly cost: RunCost
}

/** Runs what was built of a scenario, and closes it. Throws BrokenRun for anything that goes wrong. */
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

/** Share of the run that is done, 0 .. 1. */
export function fractionOf(progress: Progress): number {
  return Number.isFinite(progress.fraction) ? Math.min(1, Math.max(0, progress.fraction)) : 0
}

/** Builds a scenario. Throws InputError for what only the build can see, BrokenRun for anything else. */
export function buildSimulation(scenario: Scenario, isChecked = false): Simulation {
  try {
    return createSimulation(scenario, { check: isChecked })
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new BrokenRun({ name: scenario.name, seed: scenario.seed, nowPs: 0, events: 0 }, error)
  }
}

/** Events of the next slice; at random where laws are looked at, so that no law holds at round numbers alone. */
function sliceSizes(scenario: Scenario, isChecked: boolean): () => number {
  if (!isChecked) return () => SLICE_EVENTS
  const random = createRandomStreams(scenario.seed).stream('check')
  return () => 1 + random.below(SLICE_EVENTS)
}

/** One turn of the event loop of the process. */
export function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
