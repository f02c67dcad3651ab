/**
 * Input of the mapping of one HPCC-family run, and its text forms of quantities.
 */
import { formatQuantity } from '../../core/base/units.ts'
import type { ImportInput } from '../importer.ts'
import type { Ns3Config } from '../ns3/config.ts'
import type { Environment } from '../ns3/files.ts'
import type { Ns3Flow } from '../ns3/flows.ts'
import type { Ns3Dialect, Ns3Topology } from '../ns3/topology.ts'
import type { ImportLog } from '../text-input.ts'

/** Flows of these simulators start at two seconds; LINK_DOWN counts from there. */
export const ORIGIN_NS = 2_000_000_000

export const time = (ns: number): string => formatQuantity('duration', ns * 1000)
export const microseconds = (us: number): string => formatQuantity('duration', Math.round(us * 1e6))
export const bytes = (count: number): string => formatQuantity('size', count)
export const rateText = (rateBps: number): string => formatQuantity('rate', rateBps)

/** Congestion control by its rocelab name. */
export type Scheme = 'none' | 'dcqcn' | 'timely' | 'dctcp-rate' | 'hpcc' | 'hpcc-pint'

/** Input of the mapping of one import. */
export interface Run {
  readonly input: ImportInput
  readonly dialect: Ns3Dialect
  readonly log: ImportLog
  readonly config: Ns3Config
  readonly topology: Ns3Topology
  readonly flows: readonly Ns3Flow[]
  readonly env: Environment
  readonly payloadBytes: number
  /** Simulator time that becomes scenario time 0. */
  readonly originNs: number
  readonly scheme: Scheme
}

/** PFC can be switched off in conweave only. */
export const conweaveHasPfc = (run: Run): boolean => run.config.flag('ENABLE_PFC', true)

/** The traffic class of all flows; undefined if they differ. */
export function commonClass(run: Run): number | undefined {
  const first = run.flows[0]?.trafficClass
  return run.flows.every((flow) => flow.trafficClass === first) ? first : undefined
}
