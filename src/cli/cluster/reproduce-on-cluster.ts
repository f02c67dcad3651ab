/**
 * Reproduction on a cluster: the runs of an experiment as tasks. An experiment asks for its runs in batches; a batch that is
 * not complete ends the command, and the same command goes on from there.
 */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { findPoints } from '../../lab/advice/sweep/finished-points.ts'
import type { Result } from '../../core/results/index.ts'
import type { Scenario } from '../../lab/scenario/index.ts'
import { formatScenario } from '../../lab/scenario/index.ts'
import type { Context } from '../context.ts'
import { EXIT_BUG, EXIT_INPUT, Failure } from '../failure.ts'
import type { RunCache } from '../files/run-cache.ts'
import { programKey, runKey } from '../sweep/program-key.ts'
import { AttemptLogs, CLUSTER } from './attempt-logs.ts'
import type { ClusterFlags } from './cluster-flags.ts'
import type { Work } from './cluster-work.ts'
import { runOnCluster, statusText } from './run-on-cluster.ts'
import type { TaskPoint } from './task-file.ts'

/** The command has done what it was asked for, and runs are missing. */
export class RunsOpen extends Error {
  readonly exitCode: number
  constructor(exitCode: number) {
    super('runs are open')
    this.name = 'RunsOpen'
    this.exitCode = exitCode
  }
}

interface ClusterReproduction {
  readonly experiment: string
  readonly folder: string
  readonly shown: string
  readonly cache: RunCache
}

/**
 * Results of a batch, in the order of its scenarios. Throws RunsOpen where some are missing, a Failure if a run failed, and
 * what the scheduler throws.
 */
export async function resultsOnCluster(
  context: Context,
  flags: ClusterFlags & { readonly quiet?: boolean; readonly json?: boolean },
  { experiment, folder, shown, cache }: ClusterReproduction,
  scenarios: readonly Scenario[],
): Promise<readonly Result[]> {
  const texts = scenarios.map((scenario) => formatScenario(scenario))
  const keys = texts.map((text) => runKey(text))
  const points = keys.flatMap((key, i): TaskPoint[] =>
    keys.indexOf(key) < i ? [] : [{ key, scenarioText: texts[i]!, values: {}, seed: scenarios[i]!.seed }],
  )
  for (const { key } of points) await cache.drop(key)
  const logs = new AttemptLogs(folder, shown)
  const lines: unknown[] = []
  const work: Work = {
    title: experiment,
    points,
    header: { program: programKey(), wants: 'result', limit: {}, keepsFlows: false, retries: flags.retry === true },
    look() {
      for (const line of logs.next()) lines.push(line)
      const finished = new Set(points.flatMap(({ key }) => (cache.holds(key) ? [key] : [])))
      const failed = new Map([...findPoints(points, lines).failed].filter(([key]) => !finished.has(key)))
      return { finished, failed }
    },
  }
  const again = `rocelab reproduce ${experiment} ...`
  const { view, interruption } = await runOnCluster(context, flags, work, { folder, shown, noun: 'runs', again })
  if (flags.status === true || flags.cancel === true) {
    context.process.stdout.write(statusText(view, work, 'runs', flags.json))
    throw new RunsOpen(0)
  }
  if (interruption !== undefined) throw new RunsOpen(interruption.exitCode)
  const [failure] = view.failed.values()
  if (view.finished.size < points.length) {
    if (view.queued.size > 0 || view.open.length > 0 || failure === undefined) throw new RunsOpen(0)
    const text = `${failure.message}\n--retry runs it again`
    throw new Failure('a run failed', failure.isInput ? EXIT_INPUT : EXIT_BUG, text)
  }
  const results = new Map<string, Result>()
  for (const { key } of points) {
    const result = await cache.find(key)
    if (result !== undefined) results.set(key, result)
  }
  return keys.flatMap((key) => results.get(key) ?? [])
}

/** Removes what a finished reproduction had for its cluster. */
export function clearCluster(folder: string): void {
  rmSync(path.join(folder, CLUSTER), { recursive: true, force: true })
}
