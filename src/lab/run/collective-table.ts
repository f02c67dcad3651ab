/** Collective table: the rounds of collectives as a table of the result. */
import { hostName } from '../../base/device-names.ts'
import { type Table, TableBuilder } from '../../results/table.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { busFactor } from '../../workload/graph/bus-factor.ts'
import type { Source } from '../../workload/workload.ts'

/** Name of the table, and its kind. */
export const COLLECTIVE_TABLE = 'collectives'

/** The rounds of all workloads, by workload and in order; none where there is no collective. */
export function collectiveTables({ workload }: Scenario, sources: readonly Source[]): Table[] {
  if (sources.every((source) => source.rounds === undefined)) return []
  const table = new TableBuilder(COLLECTIVE_TABLE, [
    { name: 'tag', type: 'text' },
    { name: 'operation', type: 'text' },
    { name: 'algorithm', type: 'text' },
    { name: 'iteration', type: 'integer' },
    { name: 'ranks', type: 'integer' },
    { name: 'sizeBytes', type: 'integer' },
    { name: 'startPs', type: 'integer' },
    { name: 'endPs', type: 'number' },
    { name: 'medianEndPs', type: 'number' },
    { name: 'lastRank', type: 'integer' },
    { name: 'lastHost', type: 'text' },
    { name: 'algorithmBps', type: 'number' },
    { name: 'busBps', type: 'number' },
  ])
  sources.forEach((source, i) => {
    for (const round of source.rounds?.() ?? []) {
      const { operation, algorithm, iteration, ranks, sizeBytes, startPs, endPs, medianEndPs } = round
      const bps = (sizeBytes * 8e12) / (endPs - startPs)
      table.add(
        workload[i]!.tag,
        operation,
        algorithm,
        iteration,
        ranks,
        sizeBytes,
        startPs,
        endPs,
        medianEndPs,
        round.lastRank,
        hostName(round.lastHost),
        bps,
        bps * busFactor(operation, ranks),
      )
    }
  })
  return [table.build()]
}
