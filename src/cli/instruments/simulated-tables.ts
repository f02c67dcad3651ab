/** Tables of collectives by simulation: the runs of their plans on all processors. */
import { availableParallelism } from 'node:os'
import { type Simulated, simulatedRows, type SimulationPlan } from '../../doctor/expect/index.ts'
import type { Context } from '../context.ts'
import { EXIT_BUG, Failure } from '../failure.ts'
import { runJobs, Tally } from '../workers/run-jobs.ts'
import { watchRun } from '../workers/watch-run.ts'

/** Rows of each plan; none where there is no plan. Runs that several rows need run once. @throws Failure where a run fails or is interrupted */
export async function simulatedTables(
  context: Context,
  plans: readonly (SimulationPlan | null)[],
): Promise<(readonly Simulated[])[]> {
  const limits = new Map(plans.flatMap((plan) => [...(plan?.runs ?? [])]))
  // The longest go first, so that no processor waits for one at the end.
  const texts = [...limits.keys()].toReversed()
  const times = new Map<string, number>()
  const failures: Failure[] = []
  const { progress, interruption, end } = watchRun(context)
  try {
    await runJobs(
      texts.map((scenarioText, id) => ({
        id,
        scenarioText,
        wants: 'summary',
        limit: { packetHops: limits.get(scenarioText)!.packetHopsMost },
      })),
      {
        threads: availableParallelism(),
        progress,
        tally: new Tally('runs', texts.length),
        interruption,
        onEnded(ended) {
          if (ended.type === 'failed') failures.push(new Failure('a run failed', EXIT_BUG, ended.message))
          const meanPs = ended.type === 'summary' ? ended.summary.collectives?.[0]?.meanPs : null
          if (typeof meanPs === 'number') times.set(texts[ended.id]!, meanPs)
        },
      },
    )
  } finally {
    end()
  }
  if (interruption.signal !== undefined) throw new Failure('nothing is printed of a part', interruption.exitCode)
  const [failure] = failures
  if (failure !== undefined) throw failure
  return plans.map((plan) => (plan === null ? [] : simulatedRows(plan, (text) => times.get(text))))
}
