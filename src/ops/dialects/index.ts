/**
 * Dialects: the forms that are read, in the order in which they are tried.
 */
import type { Dialect } from './dialect.ts'
import { Facts } from './facts.ts'
import { ethtoolPause } from './hosts/ethtool-pause.ts'
import { mlnxQos } from './hosts/mlnx-qos.ts'
import { junos } from './junos/junos.ts'
import { nvueLldp } from './nvue/lldp.ts'
import { nvue } from './nvue/nvue.ts'
import { nvueRoceCounters } from './nvue/roce-counters.ts'
import { nvueRoceStatus } from './nvue/roce-status.ts'
import { type Part, partsOf } from './text.ts'

export type { Dialect } from './dialect.ts'
export { type Count, Facts, type Neighbour, type PortFacts, type Reference } from './facts.ts'
export type { Line } from './text.ts'

export const DIALECTS: readonly Dialect[] = [
  mlnxQos,
  ethtoolPause,
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

/** Reads a file of a device by what is in it. It never throws. @param file its name, for places */
export function readFile(file: string, text: string, command = ''): ReadFile {
  const parts: ReadPart[] = []
  const unknown: Part[] = []
  for (const part of partsOf(file, text, command)) {
    const dialect = DIALECTS.find((each) => each.recognises(part))
    if (dialect === undefined) unknown.push(part)
    else {
      const facts = new Facts(file)
      dialect.read(part, facts)
      parts.push({ dialect, facts })
    }
  }
  return { parts, unknown }
}
