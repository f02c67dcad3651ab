/**
 * OS10: show running-configuration. Lossless classes, queues and their maps are policies that each port applies; the map of
 * DSCPs is applied to the system where all ports have the same, else at each port.
 * Weights and probabilities are whole percents, thresholds whole kilobytes; the mode of PFC is never "auto", a class without
 * weight has no line of its own ("round-robin").
 * Source: Dell SmartFabric OS10 User Guide, "Quality of service", "Priority flow control" and "RoCE".
 */
import { classesOf } from '../dialects/cli/queues.ts'
import { knownOf, type ClassConfig, type DeviceConfig, type PortSettings } from '../../../core/device-model/index.ts'
import { NO_WORDS } from './cli/cannot-say.ts'
import { cosRules, dscpsByClass } from './cli/class-maps.ts'
import {
  alike,
  type Block,
  block,
  interfaceBlocks,
  isWritten,
  linesOf,
  losslessGroups,
  Names,
  percentOf,
  pfcOf,
  portLines,
  rangesText,
  shutdownLines,
  SOME_DROPS,
} from './cli/config-lines.ts'
import { os10Lldp } from './cli/lldp.ts'
import type { WriteOptions, Writer, WrittenFile } from './writer.ts'

const PORT_WORDS = { sendPause: 'transmit', speed: String }
const NO_WATCHDOG = 'its words are not known'

/** Groups of the classes of a port. */
interface Groups {
  readonly pauses: readonly { readonly group: number; readonly priorities: readonly [number] }[]
  readonly groupOf: (index: number) => number
  /** Class of a packet that nothing classifies. */
  readonly defaultClass: number
}

function groupsOf(settings: PortSettings): Groups {
  const { classes } = settings
  const known = (index: number): number | undefined => knownOf(classes[index]!.group) ?? knownOf(classes[index]!.queue)
  const pauses = losslessGroups(pfcOf(settings).lossless ?? [], known)
  const classOfGroup = classesOf(pauses)
  return { pauses, groupOf: (index) => Math.max(0, classOfGroup.indexOf(index)), defaultClass: classOfGroup[0]! }
}

/** Definitions of a configuration by their kind, in the order in which they stand. */
class Definitions {
  readonly wred: Block[] = []
  readonly classMaps: Block[] = []
  readonly maps: Block[] = []
  readonly policies: Block[] = []
  readonly #names: Names

  constructor(names: Names) {
    this.#names = names
  }

  /** Name of what has the lines. @param command that defines it, before its name */
  of(list: Block[], purpose: string, command: string, inside: readonly Block[]): string {
    return this.#names.of(purpose, inside, (own) => list.push(block(`${command} ${own}`, inside)))
  }
}

function networkLines({ pauses }: Groups, at: Definitions): string[] {
  if (pauses.length === 0) return []
  const inside = pauses.map(({ group, priorities }) => {
    const match = [`match qos-group ${group}`]
    const name = at.of(at.classMaps, `network-class-map ${group}`, 'class-map type network-qos', match)
    return block(`class ${name}`, ['pause', `pfc-cos ${priorities.join()}`])
  })
  const policy = at.of(at.policies, 'network-qos-policy', 'policy-map type network-qos', inside)
  return [`service-policy input type network-qos ${policy}`]
}

function earlyLines({ marks, dropsAtEgress, kminBytes, kmaxBytes, pmaxRatio }: ClassConfig, at: Definitions): string[] {
  const isMarked = knownOf(marks) === true
  if (!isMarked && knownOf(dropsAtEgress) !== true) return []
  const [kmin, kmax, pmax] = isMarked
    ? [knownOf(kminBytes), knownOf(kmaxBytes), knownOf(pmaxRatio)]
    : [SOME_DROPS.kminBytes, SOME_DROPS.kmaxBytes, undefined]
  const kilobytes = (bytes: number): number => Math.round(bytes / 1000)
  const probability = pmax === undefined ? '' : ` drop-probability ${percentOf(pmax)}`
  const inside = [
    ...(kmin === undefined || kmax === undefined
      ? []
      : [
          `random-detect color green minimum-threshold ${kilobytes(kmin)} maximum-threshold ${kilobytes(kmax)}${probability}`,
        ]),
    ...(isMarked ? ['random-detect ecn'] : []),
  ]
  return [`random-detect ${at.of(at.wred, 'wred', 'wred', inside)}`]
}

function queueLines(each: ClassConfig, at: Definitions): string[] {
  const schedule = knownOf(each.schedule)
  return [
    ...(schedule === 'strict' ? ['priority'] : []),
    ...(typeof schedule === 'number' ? [`bandwidth percent ${Math.round(schedule)}`] : []),
    ...earlyLines(each, at),
  ]
}

/** Lines of a port for its queues: their policy, and the map of groups to them. */
function queuingLines({ classes }: PortSettings, { groupOf }: Groups, at: Definitions): string[] {
  const groups = new Map<number, number[]>()
  const lines = new Map<number, string[]>()
  for (const [index, each] of classes.entries()) {
    const own = queueLines(each, at)
    const group = groupOf(index)
    const queue = knownOf(each.queue) ?? (own.length > 0 || knownOf(each.group) !== undefined ? group : undefined)
    if (queue === undefined) continue
    groups.set(
      queue,
      [...(groups.get(queue) ?? []), group].toSorted((a, b) => a - b),
    )
    if (own.length > 0 && !lines.has(queue)) lines.set(queue, own)
  }
  const policy = [...lines].map(([queue, inside]) => {
    const match = [`match queue ${queue}`]
    const name = at.of(at.classMaps, `queuing-class-map ${queue}`, 'class-map type queuing', match)
    return block(`class ${name}`, inside)
  })
  const map = [...groups].map(([queue, own]) => `queue ${queue} qos-group ${rangesText(own)}`)
  const named = (list: Block[], purpose: string, command: string, inside: readonly Block[]): string[] =>
    inside.length === 0 ? [] : [at.of(list, purpose, command, inside)]
  return [
    ...named(at.policies, 'queuing-policy', 'policy-map type queuing', policy).flatMap((name) => [
      `service-policy output type queuing ${name}`,
      'ets mode on',
    ]),
    ...named(at.maps, 'queue-map', 'qos-map traffic-class', map).map((name) => `qos-map traffic-class ${name}`),
  ]
}

/** Entries of the map of DSCPs. Those of the default class are written where somebody has written them. */
function dscpEntries(settings: PortSettings, { groupOf, defaultClass }: Groups): string[] {
  const { trust, dscpToClass } = settings
  const isWanted = (dscp: number, index: number): boolean =>
    index !== defaultClass || knownOf(trust) === 'both' || isWritten(dscpToClass[dscp]!)
  const written = dscpsByClass(settings, isWanted)
  const all = written.size > 0 || knownOf(trust) === undefined ? written : dscpsByClass(settings)
  return [...all].map(([index, dscps]) => `qos-group ${groupOf(index)} dscp ${rangesText(dscps)}`)
}

function trustLines(settings: PortSettings, groups: Groups, at: Definitions): string[] {
  const trust = knownOf(settings.trust)
  if (trust === 'none' || knownOf(settings.classifies) === false) return []
  const lines: string[] = []
  const dscps = trust === 'pcp' ? [] : dscpEntries(settings, groups)
  if (dscps.length > 0) lines.push(`trust-map dscp ${at.of(at.maps, 'dscp-map', 'trust dscp-map', dscps)}`)
  if (trust !== 'pcp' && trust !== 'both') return lines
  const lossless = groups.pauses.flatMap(({ priorities }) => priorities)
  const entries = cosRules(lossless, groups.groupOf).map(({ to, values }) => `qos-group ${to} dot1p ${values.join()}`)
  return [...lines, `trust-map dot1p ${at.of(at.maps, 'dot1p-map', 'trust dot1p-map', entries)}`]
}

function modeLines(settings: PortSettings): string[] {
  const { mode } = pfcOf(settings)
  if (mode === undefined || (mode === 'off' && !isWritten(settings.pfcMode))) return []
  return [`priority-flow-control mode ${mode === 'off' ? 'off' : 'on'}`]
}

function write(config: DeviceConfig, { variant, peers, nameOf }: WriteOptions): WrittenFile[] {
  const { ports } = config
  const at = new Definitions(new Names(nameOf))
  const trusts = ports.map(({ settings }) => trustLines(settings, groupsOf(settings), at))
  const isTrustAlike = alike(trusts, (lines) => lines).length === 1
  const portBlocks = ports.map(({ name, settings }, i) => {
    const groups = groupsOf(settings)
    const lines = [
      ...portLines(settings, PORT_WORDS),
      ...modeLines(settings),
      ...networkLines(groups, at),
      ...queuingLines(settings, groups, at),
      ...(isTrustAlike ? [] : trusts[i]!),
      ...shutdownLines(settings),
    ]
    return { name, lines }
  })
  const system = isTrustAlike ? trusts[0]! : []
  const blocks: readonly Block[] = [
    '! Version 10.5.6.1',
    `hostname ${config.device}`,
    ...at.wred,
    ...at.classMaps,
    ...at.maps,
    ...at.policies,
    ...(system.length > 0 ? [block('system qos', system)] : []),
    ...interfaceBlocks(portBlocks, variant === 'ranges' ? 'range ' : undefined),
  ]
  const text = blocks.map((each) => `${linesOf([each], 1, true).join('\n')}\n!\n`).join('')
  return [{ file: 'running-config.cfg', text }, ...os10Lldp(ports, peers)]
}

export const os10Writer: Writer = {
  language: 'os10',
  variants: ['single', 'ranges'],
  cannotSay: {
    ...NO_WORDS,
    platform: 'the configuration does not name the hardware',
    'classes.isWatched': NO_WATCHDOG,
    'watchdog.kind': NO_WATCHDOG,
    'watchdog.action': NO_WATCHDOG,
    'watchdog.detectionPs': NO_WATCHDOG,
    'watchdog.restorationPs': NO_WATCHDOG,
    'watchdog.pollPs': NO_WATCHDOG,
  },
  write,
}
