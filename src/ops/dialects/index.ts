/**
 * Dialects: the forms that are read, in the order in which they are tried.
 */
import { ethtoolStatistics } from './counters/ethtool-statistics.ts'
import { nodeExporter } from './counters/node-exporter.ts'
import { rdmaStatistic } from './counters/rdma-statistic.ts'
import type { Dialect } from './dialect.ts'
import { eosConfig } from './eos/running-config.ts'
import { eosEcn } from './eos/show-ecn.ts'
import { eosInterfaces } from './eos/show-interfaces.ts'
import { eosLldp } from './eos/show-lldp.ts'
import { eosPfc, eosPfcCounters } from './eos/show-pfc.ts'
import { Facts } from './facts.ts'
import { HOST_DIALECTS } from './hosts/host-dialects.ts'
import { sysfs } from './hosts/sysfs.ts'
import { SONIC } from './sonic/index.ts'
import { nxosConfig } from './nx-os/running-config.ts'
import { nxosInterface } from './nx-os/show-interface.ts'
import { nxosLldp } from './nx-os/show-lldp.ts'
import { nxosPfc } from './nx-os/show-pfc.ts'
import { nxosQueuing } from './nx-os/show-queuing.ts'
import { os10Config } from './os10/running-config.ts'
import { os10Lldp } from './os10/show-lldp.ts'
import { junos } from './junos/junos.ts'
import { nvueLldp } from './nvue/lldp.ts'
import { nvue } from './nvue/nvue.ts'
import { nvueRoceCounters } from './nvue/roce-counters.ts'
import { nvueRoceStatus } from './nvue/roce-status.ts'
import { type Part, partsOf } from './text.ts'

export type { Dialect } from './dialect.ts'
export { completeClasses } from './hosts/sysfs-settings.ts'
export { type Count, Facts, type Neighbour, type Reference } from './facts.ts'
export { ownLine, ownText } from './text.ts'

export const DIALECTS: readonly Dialect[] = [
  ...HOST_DIALECTS,
  ethtoolStatistics,
  rdmaStatistic,
  nodeExporter,
  sysfs,
  ...SONIC,
  eosConfig,
  os10Config,
  nxosConfig,
  nxosPfc,
  nxosQueuing,
  nxosInterface,
  nxosLldp,
  eosPfc,
  eosPfcCounters,
  eosEcn,
  eosInterfaces,
  eosLldp,
  os10Lldp,
  junos,
  nvue,
  nvueRoceStatus,
  nvueRoceCounters,
  nvueLldp,
]

/** A part of a file, its form and what it says. */
export interface ReadPart {
  readonly dialect: Dialect
  readonly facts: Facts
}

export interface ReadFile {
  readonly parts: readonly ReadPart[]
  /** Parts of no form that is known. */
  readonly unknown: readonly Part[]
}

/** Parts of a file, each with its form where it has one. */
export function formsIn(file: string, text: string, command = ''): { part: Part; dialect: Dialect | undefined }[] {
  return partsOf(file, text, command).map((part) => ({ part, dialect: DIALECTS.find((each) => each.recognises(part)) }))
}

/** Reads a file of a device by what is in it. It never throws. @param file its name, for places */
export function readFile(file: string, text: string, command = ''): ReadFile {
  const parts: ReadPart[] = []
  const unknown: Part[] = []
  for (const { part, dialect } of formsIn(file, text, command)) {
    if (dialect === undefined) unknown.push(part)
    else {
      const facts = new Facts(file)
      dialect.read(part, facts)
      parts.push({ dialect, facts })
    }
  }
  return { parts, unknown }
}
