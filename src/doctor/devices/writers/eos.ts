/**
 * EOS: show running-config. Maps of DSCPs and of queues are those of the whole switch, written from the first port that has
 * a value for them; a port whose DSCPs are others has an input policy for these. Variant "profiles": ports with the same
 * settings share a profile, one that no other port is like has its settings itself, unless it is the first; "interfaces": all
 * settings are at the ports.
 * Weights and probabilities are whole percents, the mode of PFC is never "auto". The watchdog watches what has bandwidth
 * guaranteed, how much is a number of ours.
 * Source: Arista EOS User Manual, "Quality of Service" and "DCBX and Flow Control".
 */
import {
  knownOf,
  type ClassConfig,
  type DeviceConfig,
  type PortConfig,
  type PortSettings,
  type SwitchSettings,
  UNKNOWN,
} from '../../../core/device-model/index.ts'
import { DEFAULT_CLASSES } from '../dialects/eos/running-config.ts'
import { NO_WORDS } from './cli/cannot-say.ts'
import { cosRules, dscpsByClass, type InputRule, inputPolicy } from './cli/class-maps.ts'
import {
  alike,
  type Block,
  block,
  bytesText,
  firstKnown,
  interfaceBlocks,
  isWritten,
  linesOf,
  Names,
  percentOf,
  pfcOf,
  portLines,
  rangesText,
  shutdownLines,
  SOME_DROPS,
} from './cli/config-lines.ts'
import { eosLldp } from './cli/lldp.ts'
import type { WriteOptions, Writer, WrittenFile } from './writer.ts'

const CLASS_WORDS = {
  classMap: 'class-map type qos match-any',
  policyMap: 'policy-map type quality-of-service',
  set: 'set traffic-class',
}
const MEGABITS_PER_GIGABIT = 1000
const PORT_WORDS = {
  sendPause: 'send',
  speed: (megabits: number): string =>
    megabits % MEGABITS_PER_GIGABIT === 0 ? `${megabits / MEGABITS_PER_GIGABIT}g` : String(megabits),
}
const PS_PER_SECOND = 1e12
/** Share of a queue that the watchdog watches. */
const GUARANTEED_PERCENT = 10
const RELEASE = 'EOS-4.33.1F'

const defaultClass = (dscp: number): number => DEFAULT_CLASSES[dscp >> 3]!

/** Whether the map of DSCPs is in force at the port. */
const trustsDscp = ({ trust }: PortSettings): boolean => ['dscp', 'both', undefined].includes(knownOf(trust))

/** Traffic class of each DSCP by the map of the switch, and the lines of the map. */
function dscpMapOf(ports: readonly PortConfig[]): { readonly classes: readonly number[]; readonly lines: string[] } {
  const maps = ports.filter(({ settings }) => trustsDscp(settings)).map(({ settings }) => settings.dscpToClass)
  const values = Array.from({ length: 64 }, (_, dscp) =>
    maps.map((map) => map[dscp]!).find((v) => v.state !== 'unknown'),
  )
  const classes = values.map((value, dscp) => (value && knownOf(value)) ?? defaultClass(dscp))
  const written = new Map<number, number[]>()
  for (const [dscp, index] of classes.entries())
    if (index !== defaultClass(dscp) || (values[dscp] !== undefined && isWritten(values[dscp])))
      written.set(index, [...(written.get(index) ?? []), dscp])
  return {
    classes,
    lines: [...written].map(([index, dscps]) => `qos map dscp ${rangesText(dscps)} to traffic-class ${index}`),
  }
}

/** Queue of each traffic class, and the lines of those that are written. */
function queueMapOf(ports: readonly PortConfig[]): { readonly queues: readonly number[]; readonly lines: string[] } {
  const known = Array.from({ length: 8 }, (_, index) => {
    const classes = ports.map(({ settings }) => settings.classes[index]!)
    const hasGroup = firstKnown(classes.map(({ group }) => group)) !== undefined
    return firstKnown(classes.map(({ queue }) => queue)) ?? (hasGroup ? index : undefined)
  })
  return {
    queues: known.map((queue, index) => queue ?? index),
    lines: known.flatMap((queue, index) =>
      queue === undefined ? [] : [`qos map traffic-class ${index} to tx-queue ${queue}`],
    ),
  }
}

function secondsText(timePs: number): string {
  const seconds = timePs / PS_PER_SECOND
  return Math.round(seconds * 100) / 100 === seconds ? seconds.toFixed(2) : seconds.toFixed(12).replace(/0+$/, '')
}

function watchdogLines({ watchdog }: SwitchSettings): string[] {
  const isOff = knownOf(watchdog.kind) === 'off'
  const command = 'priority-flow-control pause watchdog'
  const action = knownOf(watchdog.action)
  const times = [
    // A timeout switches it on.
    ['timeout', isOff ? UNKNOWN : watchdog.detectionPs],
    ['recovery-time', watchdog.restorationPs],
    ['polling-interval', watchdog.pollPs],
  ] as const
  return [
    ...times.flatMap(([word, value]) => {
      const time = knownOf<number | string>(value)
      return typeof time === 'number' ? [`${command} default ${word} ${secondsText(time)}`] : []
    }),
    ...(action === undefined ? [] : [`${command} action ${action === 'alert' ? 'notify-only' : action}`]),
  ]
}

function earlyLines({ marks, dropsAtEgress, kminBytes, kmaxBytes, pmaxRatio }: ClassConfig): string[] {
  const bounds = (from: number, to: number): string =>
    `minimum-threshold ${bytesText(from)} maximum-threshold ${bytesText(to)}`
  const isMarked = knownOf(marks)
  if (isMarked !== true) {
    if (knownOf(dropsAtEgress) === true)
      return [`random-detect drop ${bounds(SOME_DROPS.kminBytes, SOME_DROPS.kmaxBytes)} drop-probability 100`]
    return isMarked === false && isWritten(marks) ? ['no random-detect ecn'] : []
  }
  const [kmin, kmax, pmax] = [knownOf(kminBytes), knownOf(kmaxBytes), knownOf(pmaxRatio)]
  const thresholds = kmin === undefined || kmax === undefined ? [] : [bounds(kmin, kmax)]
  const probability = pmax === undefined ? [] : [`max-mark-probability ${percentOf(pmax)}`]
  return [['random-detect ecn', ...thresholds, ...probability, 'weight 0'].join(' ')]
}

function scheduleLines({ schedule }: ClassConfig): string[] {
  const value = knownOf(schedule)
  if (value === undefined) return []
  if (value === 'strict') return ['priority strict']
  return ['no priority', ...(typeof value === 'number' ? [`bandwidth percent ${Math.round(value)}`] : [])]
}

function queueBlocks({ classes }: PortSettings, queues: readonly number[], isWatching: boolean): Block[] {
  return [...new Set(queues)].flatMap((queue) => {
    const own = classes.filter((_, index) => queues[index] === queue)
    const firstOf = (lines: (each: ClassConfig) => string[]): string[] =>
      own.map(lines).find((each) => each.length > 0) ?? []
    const isWatched = isWatching && own.some((each) => knownOf(each.isWatched) === true)
    const inside = [
      ...firstOf(scheduleLines),
      ...(isWatched ? [`bandwidth guaranteed percent ${GUARANTEED_PERCENT}`] : []),
      ...firstOf(earlyLines),
    ]
    return inside.length === 0 ? [] : [block(`uc-tx-queue ${queue}`, inside)]
  })
}

/** Settings that a profile may have: PFC and queues. */
function qosLines(settings: PortSettings, queues: readonly number[]): Block[] {
  const { lossless = [], mode } = pfcOf(settings)
  const watched = lossless.map((index) => settings.classes[index]!.isWatched)
  const isWatching = watched.some((value) => knownOf(value) === true)
  const isUnwatched = !isWatching && watched.some((value) => isWritten(value))
  return [
    ...(mode === 'on' || mode === 'auto' ? ['priority-flow-control on'] : []),
    ...(mode === 'off' && isWritten(settings.pfcMode) ? ['no priority-flow-control'] : []),
    ...lossless.map((index) => `priority-flow-control priority ${index} no-drop`),
    ...(isWatching ? ['priority-flow-control pause watchdog'] : []),
    ...(isUnwatched ? ['no priority-flow-control pause watchdog'] : []),
    ...queueBlocks(settings, queues, isWatching),
  ]
}

/** The line that decides which field is trusted, unless it is what the port does without one. */
function trustLines({ trust, vlanMode, classifies, dscpToClass }: PortSettings): string[] {
  const hasMap = dscpToClass.some(({ state }) => state !== 'unknown')
  const value = knownOf(trust) ?? (knownOf(classifies) === false ? 'none' : hasMap ? 'dscp' : undefined)
  const usual = knownOf(vlanMode) === 'untagged' ? 'dscp' : 'pcp'
  if (value === undefined || (value === usual && !isWritten(trust))) return []
  if (value === 'none') return ['no qos trust']
  return [`qos trust ${value === 'pcp' ? 'cos' : 'dscp'}`]
}

/** Rules for what the map of the switch does not say. */
function inputRules(settings: PortSettings, map: readonly number[]): InputRule[] {
  const trust = knownOf(settings.trust)
  if (!trustsDscp(settings)) return []
  const dscps = dscpsByClass(settings, (dscp, index) => trust === 'both' || map[dscp] !== index)
  const rules = [...dscps].map(([index, values]): InputRule => ({ kind: 'dscp', class: index, values, to: index }))
  if (trust !== 'both') return rules
  return [...rules, ...cosRules(pfcOf(settings).lossless ?? [], (index) => index)]
}

function write(config: DeviceConfig, { variant, peers, nameOf }: WriteOptions): WrittenFile[] {
  const { ports } = config
  const names = new Names(nameOf)
  const dscpMap = dscpMapOf(ports)
  const queueMap = queueMapOf(ports)
  const qosOf = ({ settings }: PortConfig): Block[] => qosLines(settings, queueMap.queues)
  const shared = new Set(
    alike(ports, qosOf)
      .filter((group) => variant === 'profiles' && (group.length > 1 || group[0] === ports[0]))
      .flat(),
  )
  const definitions: Block[] = []
  const portBlocks = ports.map((port) => {
    const { name, settings } = port
    const [rules, qos] = [inputRules(settings, dscpMap.classes), qosOf(port)]
    const profile = (): string => names.of('profile', qos, (own) => definitions.push(block(`qos profile ${own}`, qos)))
    const input = (): string => inputPolicy(rules, undefined, CLASS_WORDS, names, definitions)
    const lines = [
      ...portLines(settings, PORT_WORDS),
      ...trustLines(settings),
      ...(shared.has(port) && qos.length > 0 ? [`service-profile ${profile()}`] : qos),
      ...(rules.length > 0 ? [`service-policy type qos input ${input()}`] : []),
      ...shutdownLines(settings),
    ]
    return { name, lines }
  })
  const { settings } = config
  const platform = 'watchdog' in settings ? knownOf(settings.platform) : undefined
  const sections: readonly (readonly Block[])[] = [
    [
      '! Command: show running-config',
      `! device: ${config.device} (${platform === undefined ? '' : `${platform}, `}${RELEASE})`,
    ],
    [`hostname ${config.device}`],
    [...dscpMap.lines, ...queueMap.lines],
    'watchdog' in settings ? watchdogLines(settings) : [],
    ...[...definitions, ...interfaceBlocks(portBlocks, undefined)].map((each) => [each]),
  ]
  const text = sections.filter((section) => section.length > 0).map((section) => linesOf(section, 3, true).join('\n'))
  return [{ file: 'running-config.cfg', text: `${[...text, 'end'].join('\n!\n')}\n` }, ...eosLldp(ports, peers)]
}

export const eosWriter: Writer = {
  language: 'eos',
  variants: ['profiles', 'interfaces'],
  cannotSay: NO_WORDS,
  write,
}
