/**
 * Experiments as `reproduce` runs them: what it asks of the room `experiments`, and what it gives to it.
 * An experiment makes scenarios, has them run, and draws its conclusions; it sees neither files nor threads.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Result } from '../results/index.ts'
import type { Scenario } from '../scenario/index.ts'
import { moduleUrl } from './package-root.ts'

/** small: seconds, for tests and a first look; full: as the paper has it, minutes to hours. */
export type Size = 'small' | 'full'

export interface ExperimentContext {
  readonly size: Size
  /** One or more; an experiment that needs none takes the first. */
  readonly seeds: readonly number[]
  /** Runs scenarios on all threads there are and gives their results in the order asked. May be called again. */
  readonly run: (scenarios: readonly Scenario[]) => Promise<readonly Result[]>
}

export interface ExperimentReport {
  /** For the terminal: tables, and what of the paper holds. */
  readonly text: string
  /** Tables, figures, pages: names without a folder. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

export interface Experiment {
  readonly name: string
  readonly title: string
  /** Paper and figure. */
  readonly source: string
  readonly help: string
  readonly sizes: readonly Size[]
  readonly run: (context: ExperimentContext) => Promise<ExperimentReport>
}

/** All experiments; none in a build that has no such room. */
export async function loadExperiments(): Promise<readonly Experiment[]> {
  const room = moduleUrl('../experiments/index')
  if (!existsSync(fileURLToPath(room))) return []
  const { experiments } = (await import(room.href)) as { readonly experiments: readonly Experiment[] }
  return experiments
}
