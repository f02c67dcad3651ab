/**
 * Why: from a run to its answer. The same in a command, in tests and in a browser; who calls it runs the trials.
 */
import { createSimulation, topologyOf } from '../../index.ts'
import { outlineOf } from '../outline.ts'
import type { Result, WhyJson } from '../../../core/results/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import { busyPortOf } from './busy-port.ts'
import { Inquiry, type Trial } from './inquiry.ts'
import { remediesFor } from './remedies.ts'
import { type Sample, sampleOf } from './sample.ts'
import { suspectsOf } from './suspects/index.ts'
import { whyJson } from './why-json.ts'

/** Packet-hops of all trials together, over those of the run or its forecast, unless said otherwise. */
export const BUDGET = 10

/** Runs scenarios to their end. Null: it was stopped. */
export type RunAll = (scenarios: readonly Scenario[]) => Promise<readonly (Result | null)[]>

/**
 * @param result of the scenario; with the observer autopsy likely suspects come first
 * @param runAll as many at a time as it likes: the answer does not depend on it
 */
export async function why(
  scenario: Scenario,
  result: Result,
  runAll: RunAll,
  budget: number = BUDGET,
): Promise<WhyJson> {
  const topology = topologyOf(scenario)
  const simulation = createSimulation(scenario)
  const { findings, cost } = outlineOf(scenario, simulation)
  simulation.close()
  const base = sampleOf(result)
  // A run that stands still has fewer than it is worth.
  const runHops = Math.max(1, base.packetHops, cost.packetHops)
  const budgetHops = Math.round(budget * runHops)
  let spent = 0
  const runTrials = async (trials: readonly Trial[]): Promise<(Sample | null)[]> => {
    const count = Math.max(0, Math.floor((budgetHops - spent) / runHops))
    const chosen = trials.slice(0, count)
    const results = await runAll(chosen.map((trial) => trial.scenario))
    const samples = trials.map((_, i) => {
      const own = results[i] ?? null
      return own === null || own.partial ? null : sampleOf(own)
    })
    for (const sample of samples) spent += sample?.packetHops ?? 0
    return samples
  }
  const inquiry = new Inquiry(scenario, base, runTrials)
  const suspects = suspectsOf(scenario, topology, result, findings)
  const answer = await inquiry.answer(suspects, (suspect) => remediesFor(suspect, scenario, result))
  return whyJson(answer, {
    name: scenario.name,
    seed: scenario.seed,
    digest: result.digest,
    busyPort: busyPortOf(result, topology),
    drops: result.counters.drops,
    budgetHops,
  })
}
