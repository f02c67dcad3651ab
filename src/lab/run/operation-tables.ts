/** Operation tables: rounds of collectives, the critical path, and operations that never began, as tables of the result. */
import { hostName } from '../../base/device-names.ts'
import { type Table, TableBuilder } from '../../results/table.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { busFactor } from '../../workload/collective-names.ts'
import type { Operations } from '../../workload/operations.ts'
import type { Traffic } from './traffic.ts'

/** Names of the tables, which are their kinds. */
export const OPERATION_TABLES = ['collectives', 'critical-path', 'unstarted'] as const

/** A workload of operations. */
interface Job {
  readonly tag: string
  readonly index: number
  readonly operations: Operations
}

/** Tables of all workloads, in their order; none where no workload has operations. */
export function operationTables({ workload }: Scenario, traffic: Traffic): Table[] {
  const jobs = traffic.sources.flatMap(({ operations }, index): Job[] =>
    operations === undefined ? [] : [{ tag: workload[index]!.tag, index, operations }],
  )
  return jobs.length === 0 ? [] : [rounds(jobs), criticalPath(jobs, traffic), unstarted(jobs)]
}

/** Tags of workloads of operations, each once; nothing where there are none. */
export function jobsOf({ workload }: Scenario, { sources }: Traffic): { readonly jobs?: readonly string[] } {
  const tags = sources.flatMap(({ operations }, index) => (operations === undefined ? [] : [workload[index]!.tag]))
  return tags.length === 0 ? {} : { jobs: [...new Set(tags)] }
}

function rounds(jobs: readonly Job[]): Table {
  const table = new TableBuilder('collectives', [
    { name: 'tag', type: 'text' },
    { name: 'operation', type: 'text' },
    { name: 'algorithm', type: 'text' },
    { name: 'iteration', type: 'integer' },
    { name: 'ranks', type: 'integer' },
    { name: 'sizeBytes', type: 'integer' },
    { name: 'elementBytes', type: 'integer' },
    { name: 'startPs', type: 'integer' },
    { name: 'donePs', type: 'number' },
    { name: 'medianDonePs', type: 'number' },
    { name: 'lastRank', type: 'integer' },
    { name: 'lastName', type: 'text' },
    { name: 'algorithmBps', type: 'number' },
    { name: 'busBps', type: 'number' },
  ])
  for (const { tag, operations } of jobs) {
    for (const round of operations.rounds()) {
      const { operation, algorithm, iteration, ranks, sizeBytes, startPs, endPs, medianEndPs, lastRank } = round
      const sizes = [sizeBytes, round.elementBytes] as const
      const bps = (sizeBytes * 8e12) / (endPs - startPs)
      const last = [lastRank, hostName(operations.hostOf(lastRank))] as const
      const times = [startPs, endPs, medianEndPs] as const
      const rates = [bps, bps * busFactor(operation, ranks)] as const
      table.add(tag, operation, algorithm, iteration, ranks, ...sizes, ...times, ...last, ...rates)
    }
  }
  return table.build()
}

/** Pieces in order of time. Those of messages have the message's row, and what it would have taken alone in the network. */
function criticalPath(jobs: readonly Job[], traffic: Traffic): Table {
  const table = new TableBuilder('critical-path', [
    { name: 'tag', type: 'text' },
    { name: 'piece', type: 'text' },
    { name: 'operation', type: 'text' },
    { name: 'rank', type: 'integer' },
    { name: 'rankName', type: 'text' },
    { name: 'fromPs', type: 'integer' },
    { name: 'toPs', type: 'integer' },
    { name: 'flow', type: 'number' },
    { name: 'idealPs', type: 'number' },
  ])
  for (const { tag, index, operations } of jobs) {
    for (const { kind, operation, fromPs, toPs } of operations.criticalPath()) {
      const { id, rank, message } = operation
      const row = kind === 'message' && message >= 0 ? traffic.rowOf(index, message) : -1
      const [flow, idealPs] = row < 0 ? [NaN, NaN] : [row, traffic.log.get('idealPs', row)]
      const name = operations.nameOf(id)
      table.add(tag, kind, name, rank, hostName(operations.hostOf(rank)), fromPs, toPs, flow, idealPs)
    }
  }
  return table.build()
}

function unstarted(jobs: readonly Job[]): Table {
  const table = new TableBuilder('unstarted', [
    { name: 'tag', type: 'text' },
    { name: 'rank', type: 'integer' },
    { name: 'rankName', type: 'text' },
    { name: 'operation', type: 'text' },
    { name: 'waitsFor', type: 'text' },
  ])
  for (const { tag, operations } of jobs) {
    for (const { rank, id, waitsFor } of operations.unstarted()) {
      const names = [operations.nameOf(id), operations.nameOf(waitsFor)] as const
      table.add(tag, rank, hostName(operations.hostOf(rank)), ...names)
    }
  }
  return table.build()
}
