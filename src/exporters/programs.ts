/** Programs: workloads of a result whose messages wait for each other, as tables of operations. */
import { type Scenario, scenarioOf } from '../lab/scenario/index.ts'
import { listedRanks, OperationTable, readGoal, waitingTable } from '../core/workload/graph/index.ts'
import { readTrace } from '../core/workload/trace.ts'
import { networkOf } from './network.ts'

export interface ExportedProgram {
  /** "program", or "program-2" where there are several: the third workload. */
  readonly name: string
  readonly table: OperationTable
  /** Host of each rank, of its first nic. */
  readonly hostOf: readonly number[]
  readonly hostCount: number
  /** Settings of the workload that a program does not have. */
  readonly leftOut: readonly string[]
}

type Workload = Scenario['workload'][number]

/** Programs of a result's scenario in its printed form, and the kinds of workloads that have none. */
export function programsOf(scenario: unknown): { programs: ExportedProgram[]; others: string[] } {
  const { portCounts } = networkOf(scenario)
  // Cast: the scenario of a result is a map.
  const { workload } = scenarioOf(scenario as Parameters<typeof scenarioOf>[0])
  const found = workload.map((one) => programOf(one, portCounts))
  const isAlone = workload.length === 1
  return {
    programs: found.flatMap((one, index) =>
      one === null ? [] : [{ ...one, name: isAlone ? 'program' : `program-${index}`, hostCount: portCounts.length }],
    ),
    others: workload.flatMap(({ kind }, index) => (found[index] === null ? [kind] : [])),
  }
}

function programOf(
  one: Workload,
  portCounts: readonly number[],
): Pick<ExportedProgram, 'table' | 'hostOf' | 'leftOut'> | null {
  const hostCount = portCounts.length
  if (one.kind === 'trace') {
    const { table } = waitingTable(readTrace(one, hostCount), hostCount)
    return { table, hostOf: portCounts.map((_, host) => host), leftOut: [] }
  }
  if (one.kind !== 'graph' && one.kind !== 'collective') return null
  const all = listedRanks(one, { hostCount, portCounts }).hostOf
  const settings = ['stepTime', 'stepLatency', 'insideLatency', 'insideRate', 'rendezvous', 'slots', 'start'] as const
  const leftOut: string[] = settings.filter((name) => one[name])
  if (one.placement !== 'packed') leftOut.push('placement')
  if (one.kind === 'graph') {
    const hostOf = all.filter((_, index) => index % one.nics === 0)
    return { table: readGoal(one.goal, 'goal', []), hostOf, leftOut }
  }
  const table = new OperationTable(all.length)
  const group = table.addGroup(all.map((_, rank) => rank))
  const {
    operation,
    algorithm,
    size: sizeBytes,
    element: elementBytes,
    channels,
    slices,
    order,
    iterations,
    nodeSize,
  } = one
  for (let rank = 0; rank < all.length; rank++) {
    for (let iteration = 0; iteration < iterations; iteration++) {
      const id = table.addPart(group, {
        operation,
        algorithm,
        sizeBytes,
        elementBytes,
        channels,
        slices,
        order,
        nodeSize,
      })
      if (iteration > 0) table.depend(id, id - 1, 'after')
    }
    table.endRank()
  }
  return { table, hostOf: all, leftOut }
}

/** A note for readers of a file; undefined: there is nothing to say. */
export function noteOf(path: string, said: readonly string[]): { readonly note?: string } {
  return said.length === 0 ? {} : { note: `${path}: ${said.join('; ')}` }
}
