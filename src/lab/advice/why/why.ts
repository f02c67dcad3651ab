/**
 * Why: from a run to its answer. The same in a command, in tests and in a browser; who calls it runs the trials.
 */
import { createSimulation, topologyOf } from '../../index.ts'
import { outlineOf } from '../outline.ts'
import type { Result, WhyJson } from '../../../core/results/index.ts'
import type { Finding } from '../../../core/findings/index.ts'
import type { Topology } from '../../../core/topology/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import { busyPortOf } from './busy-port.ts'
import { differencesOf } from './differences.ts'
import { type Answer, Inquiry } from './inquiry.ts'
import type { Trial } from './trial.ts'
import { remediesFor } from './remedies.ts'
import { isSlower, type Sample, sampleOf } from './sample.ts'
import { suspectsOf } from './suspects/index.ts'
import { whyJson } from './why-json.ts'

/** Packet-hops of all trials together, over those of the run or its forecast, unless said otherwise. */
export const BUDGET = 10

/** Runs scenarios to their end. Null: it was stopped. */
export type RunAll = (scenarios: readonly Scenario[]) => Promise<readonly (Result | null)[]>

/** A scenario with its run. */
export interface Ran {
  readonly scenario: Scenario
  readonly result: Result
}

/**
 * Which of the differences between two scenarios makes the difference between their runs: the slower one with each value of
 * the faster one, with all, and with pairs of the best three.
 * @returns the answer for the slower one, and whether that is the second
 */
export async function whyBetween(
  a: Ran,
  b: Ran,
  runAll: RunAll,
  budget: number = BUDGET,
): Promise<{ readonly answer: WhyJson; readonly isSecondSlower: boolean }> {
  const isSecondSlower = isSlower(sampleOf(b.result), sampleOf(a.result))
  const [slower, faster] = isSecondSlower ? [b, a] : [a, b]
  const trials = new Trials(slower, runAll, budget)
  const answer = await trials.inquiry.answer(differencesOf(slower.scenario, faster.scenario))
  return { answer: trials.answered(answer, slower), isSecondSlower }
}

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
  const trials = new Trials({ scenario, result }, runAll, budget)
  const suspects = suspectsOf(scenario, trials.topology, result, trials.findings)
  const answer = await trials.inquiry.answer(suspects, (suspect) => remediesFor(suspect, scenario, result))
  return trials.answered(answer, { scenario, result })
}

/** Runs trials within the budget of packet-hops. */
class Trials {
  readonly topology: Topology
  readonly findings: readonly Finding[]
  readonly inquiry: Inquiry
  readonly #budgetHops: number
  readonly #runHops: number
  #spentHops = 0

  constructor({ scenario, result }: Ran, runAll: RunAll, budget: number) {
    this.topology = topologyOf(scenario)
    const simulation = createSimulation(scenario)
    const { findings, cost } = outlineOf(scenario, simulation)
    simulation.close()
    this.findings = findings
    const base = sampleOf(result)
    // A run that stands still has fewer than it is worth.
    this.#runHops = Math.max(1, base.packetHops, cost.packetHops)
    this.#budgetHops = Math.round(budget * this.#runHops)
    this.inquiry = new Inquiry(scenario, base, (trials) => this.#run(trials, runAll))
  }

  async #run(trials: readonly Trial[], runAll: RunAll): Promise<(Sample | null)[]> {
    const count = Math.max(0, Math.floor((this.#budgetHops - this.#spentHops) / this.#runHops))
    const results = await runAll(trials.slice(0, count).map((trial) => trial.scenario))
    return trials.map((_, i) => {
      const own = results[i] ?? null
      if (own === null || own.partial) return null
      this.#spentHops += own.counters.packetHops
      return sampleOf(own)
    })
  }

  answered(answer: Answer, { scenario, result }: Ran): WhyJson {
    return whyJson(answer, {
      name: scenario.name,
      seed: scenario.seed,
      digest: result.digest,
      busyPort: busyPortOf(result, this.topology),
      drops: result.counters.drops,
      budgetHops: this.#budgetHops,
    })
  }
}
