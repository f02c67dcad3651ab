/**
 * Plans whose runs are known by a sentence: experiments that do not have axes yet. Their sentence is one axis.
 */
import type { Result } from '../../../results/index.ts'
import type { Scenario } from '../../../scenario/index.ts'
import { defineExperiment as define, type Experiment as ExperimentOf } from '../experiment.ts'
import type { Claim, Findings } from '../findings.ts'
import type { Measures, PlanHead, Size } from '../plan.ts'

export type { Measures, Size } from '../plan.ts'

export type Experiment = ExperimentOf<Plan>

export interface Point {
  /** The varied parameters in a few words; identifies the run together with its seed. */
  readonly condition: string
  readonly seed: number
  readonly scenario: Scenario
}

export interface Outcome {
  readonly condition: string
  readonly seed: number
  readonly digest: string
  readonly measures: Measures
}

export interface Plan extends PlanHead {
  readonly points: (size: Size, seed: number) => readonly Point[]
  readonly measure: (result: Result, point: Point) => Measures
  readonly conclude: (outcomes: readonly Outcome[], size: Size) => Findings
}

export function defineExperiment(plan: Plan): Experiment {
  const experiment = define({
    ...plan,
    points: (size, seed) => plan.points(size, seed).map(({ condition, ...point }) => ({ at: { condition }, ...point })),
    measure: (result, { at, ...point }) => plan.measure(result, { condition: String(at['condition']), ...point }),
    conclude: ({ outcomes }, size) => {
      const findings = plan.conclude(
        outcomes.map(({ at, ...outcome }) => ({ condition: String(at['condition']), ...outcome })),
        size,
      )
      return { ...findings, claims: findings.claims.map(parted) }
    },
  })
  return { ...experiment, plan }
}

/** An id "claim [check]" in two. */
function parted({ id, check, ...claim }: Claim): Claim {
  const [, own = id, named = check] = /^(.*?) \[(.*)\]$/.exec(id) ?? []
  return { id: own, check: named, ...claim }
}
