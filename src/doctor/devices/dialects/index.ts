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
import { sonicCliConfig } from './sonic-cli/running-config.ts'
import { nxosConfig } from './nx-os/running-config.ts'
import { nxosInterface } from './nx-os/show-interface.ts'
import { nxosLldp } from './nx-os/show-lldp.ts'
import { nxosPfc, nxosPfcDetail } from './nx-os/show-pfc.ts'
import { nxosQueuing } from './nx-os/show-queuing.ts'
import { os10Config } from './os10/running-config.ts'
import { os10Lldp } from './os10/show-lldp.ts'
import { junos } from './junos/junos.ts'
import { nvueInterfaceCounters } from './nvue/interface-counters.ts'
import { nvueLldp } from './nvue/lldp.ts'
import { nvue } from './nvue/nvue.ts'
import { nvueRoceCounters } from './nvue/roce-counters.ts'
import { nvueRoceStatus } from './nvue/roce-status.ts'
import { strangerIn } from './strangers.ts'
import { type Line, ownLine, ownText, type Part, partsOf } from './text.ts'

export type { Dialect } from './dialect.ts'
export { completeClasses } from './hosts/sysfs-settings.ts'
export { type Count, Facts, type Mark, NAME_PREFIX, type Neighbour, type Reference } from './facts.ts'
export { hostKey, hostnameIn, type HostText, textsByHost } from './sessions.ts'
export { type Line, ownLine, ownText } from './text.ts'

export const DIALECTS: readonly Dialect[] = [
  ...HOST_DIALECTS,
  ethtoolStatistics,
  rdmaStatistic,
  nodeExporter,
  sysfs,
  ...SONIC,
  sonicCliConfig,
  eosConfig,
  os10Config,
  nxosConfig,
  nxosPfc,
  nxosPfcDetail,
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
  nvueInterfaceCounters,
  nvueLldp,
]

const STARTS = DIALECTS.flatMap(({ start }) => start ?? [])
/** Whose marks are words that other languages have, too. */
const SHARE_WORDS: readonly Dialect[] = [eosConfig, os10Config, nxosConfig, sonicCliConfig]

/** A part of a file, its form and what it says. */
export interface ReadPart {
  readonly heading: string
  readonly first: Line
  readonly dialect: Dialect
  readonly facts: Facts
  /** Whether half of its lines, or of those that look as if they mattered, are not understood. */
  readonly isHalfRead: boolean
}

export interface UnknownPart {
  readonly first: Line
  /** That it is in, one that is not read; '': not known. */
  readonly language: string
}

export interface ReadFile {
  readonly parts: readonly ReadPart[]
  /** Parts of no form that is known. */
  readonly unknown: readonly UnknownPart[]
}

interface PartForm {
  readonly part: Part
  readonly dialect: Dialect | undefined
  readonly language: string | undefined
}

/** Parts of a file, each with its form where it has one. */
export function formsIn(file: string, text: string, command = '', lineNumbers?: readonly number[]): PartForm[] {
  return partsOf(file, text, command, STARTS, lineNumbers).map((part) => {
    const dialect = DIALECTS.find((each) => each.recognises(part))
    if (dialect !== undefined && !SHARE_WORDS.includes(dialect)) return { part, dialect, language: undefined }
    const language = strangerIn(part.text)
    return { part, dialect: language === undefined ? dialect : undefined, language }
  })
}

/**
 * Reads a file of a device by what is in it. It never throws. @param file its name, for places
 * @param lineNumbers number in the file of each line, from 1; absent: the text is the whole file
 */
export function readFile(file: string, text: string, command = '', lineNumbers?: readonly number[]): ReadFile {
  const parts: ReadPart[] = []
  const unknown: UnknownPart[] = []
  for (const { part, dialect, language } of formsIn(file, text, command, lineNumbers)) {
    const first = ownLine(part.lines.find(({ text: line }) => line.trim() !== '') ?? part.lines[0]!)
    if (dialect === undefined) unknown.push({ first, language: language ?? '' })
    else {
      const facts = new Facts(file)
      dialect.read(part, facts)
      parts.push({ heading: ownText(part.heading), first, dialect, facts, isHalfRead: isHalfRead(part, facts) })
    }
  }
  // A file of nothing but a log, or of prompts, is not read either.
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.trim() !== '')
  if (parts.length + unknown.length === 0 && at >= 0)
    unknown.push({ first: { number: at + 1, text: ownText(lines[at]!) }, language: '' })
  return { parts, unknown }
}

/** One line or two may be new to a reader. */
const FEW_LINES = 3

function isHalfRead({ lines }: Part, { remainder, understood }: Facts): boolean {
  if (remainder.length < FEW_LINES) return false
  const others = understood ?? lines.filter(({ text }) => text.trim() !== '').length - remainder.length
  return remainder.length >= others
}
