/**
 * Kinds of tables: what the rows of a table of a result are, whatever name its scenario gave it. An observer's table has the
 * observer's name as its kind, with the part of the run behind a stroke where that says more. The log of workloads of probes is a table too.
 */
import type { Table } from './table.ts'

export type TableKind =
  | 'autopsy/hops'
  | 'autopsy/origins'
  | 'autopsy/ports'
  | 'capture'
  | 'collectives'
  | 'critical-path'
  | 'counters'
  | 'counters/edges'
  | 'deadlock'
  | 'drops'
  | 'goodput'
  | 'jobs'
  | 'link-use'
  | 'nic-receive'
  | 'operations'
  | 'pair-goodput'
  | 'pause-intervals'
  | 'pause-log'
  | 'pause-tree'
  | 'pingmesh'
  | 'queue-depth'
  | 'ranks'
  | 'rates'
  | 'server-state'
  | 'unstarted'
  | 'watchdog'
  | 'watermarks'
  // Tables that only earlier versions wrote (stored/old-kinds.ts).
  | 'drops/without-links'
  | 'pause-intervals/without-peers'

/** The first table of this kind, or of the next one given; undefined: the run did not observe it. */
export function tableOfKind(
  { series }: { readonly series: readonly Table[] },
  ...kinds: readonly TableKind[]
): Table | undefined {
  for (const kind of kinds) {
    const table = series.find((one) => one.kind === kind)
    if (table !== undefined) return table
  }
  return undefined
}
