/**
 * One: what the analysis of probes says of a fabric in a known state. It reads the table of probes, as from a file, and
 * nothing else of the run.
 */
import { run } from '../../../src/lab/index.ts'
import { analyse, baselineOf, type FabricState, readProbeLog } from '../../../src/doctor/diagnosis/pingmesh/index.ts'
import { readCsv, type Result, tableOfKind, writeCsv } from '../../../src/core/results/index.ts'
import { p99, slowdownsOf, victimsOf } from '../victims.ts'
import { scenarioOfTree, type Tree } from '../tree.ts'
import { type DrawnState, drawState, stateOf as stateOfSeed, type State } from './draw-state.ts'

export interface PingmeshScore {
  readonly seed: number
  readonly state: State
  readonly found: FabricState
  /** The hosts that were dead or paused, and those that were named. */
  readonly hosts: readonly string[]
  readonly foundHosts: readonly string[]
}

/** Draws until the run is in its state: a circle of pauses holds, or the other traffic is twice as slow as without. */
const ATTEMPTS_MAX = 40
const CONGESTED_FACTOR = 2

export function scoreOfSeed(seed: number): PingmeshScore {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const drawn = drawState(seed, attempt)
    const result = run(scenarioOfTree(drawn.tree))
    const healthy = run(scenarioOfTree(drawn.healthy))
    if (!isInState(drawn, result, healthy)) continue
    const logs = [result, healthy].map((one) =>
      readProbeLog(readCsv('pingmesh', writeCsv(tableOfKind(one, 'pingmesh')!))),
    )
    const [log, before] = logs as [(typeof logs)[0], (typeof logs)[0]]
    const { state, hosts } = analyse(log, baselineOf(before)).state
    return { seed, state: drawn.state, found: state, hosts: drawn.hosts, foundHosts: hosts }
  }
  throw new Error(`score: seed ${seed} was never ${stateOfSeed(seed)}`)
}

/** The truth of the two states that are not set by hand, from the simulator. */
function isInState({ state, tree }: DrawnState, result: Result, healthy: Result): boolean {
  if (healthy.pauseCircle !== null) return false
  if (state === 'deadlock') return result.pauseCircle !== null
  if (state !== 'congested') return true
  const tags = tagsOf(tree, healthy)
  const [slow, usual] = [result, healthy].map((one) => {
    const victims = victimsOf(one, { tags })
    return slowdownsOf(victims, victims, p99).get('')!
  })
  return slow! >= CONGESTED_FACTOR * usual!
}

/** Tags of the traffic that both runs have. */
function tagsOf({ workload }: Tree, healthy: Result): string[] {
  const inHealthy = new Set(healthy.flows.columns.find(({ name }) => name === 'tag')!.data as readonly string[])
  return workload.map(({ tag }) => String(tag)).filter((tag) => inHealthy.has(tag))
}
