/**
 * NX-OS: show running-config. Policies of type network-qos are those of the whole switch: lossless classes and their groups
 * are written from the first port that has them. Queues are written for the system where all ports have the same, else at
 * each port. All times of the watchdog are multiples of one interval in milliseconds.
 * Weights and probabilities are whole percents; a class without weight has no line of its own ("round-robin"). Lossless
 * classes in force follow from those that are written where the mode is on or off; at "auto" the peer decides. Whether PFC is
 * watched is said of a port and not of its classes.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide.
 */
import { classesOf } from '../dialects/cli/queues.ts'
import {
  knownOf,
  type ClassConfig,
  type DeviceConfig,
  type PortConfig,
  type PortSettings,
  type SwitchSettings,
} from '../../../core/device-model/index.ts'
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
  losslessGroups,
  Names,
  percentOf,
  type Pfc,
  pfcOf,
  portLines,
  shutdownLines,
  SOME_DROPS,
} from './cli/config-lines.ts'
import { NO_WORDS } from './cli/cannot-say.ts'
import { nxosLldp } from './cli/lldp.ts'
import type { WriteOptions, Writer, WrittenFile } from './writer.ts'

const CLASS_WORDS = {
  classMap: 'class-map type qos match-all',
  policyMap: 'policy-map type qos',
  set: 'set qos-group',
}
const PORT_WORDS = { sendPause: 'send', speed: String }
const PS_PER_MS = 1e9
/** Interval that the switch has where nobody sets it. */
const USUAL_INTERVAL_MS = 100

/** Lossless classes of the switch. */
interface Network {
  readonly pauses: readonly { readonly group: number; readonly priorities: readonly [number] }[]
  /** Groups that the policy names. */
  readonly groups: readonly number[]
  readonly groupOf: (index: number) => number
  /** Class of a packet that nothing classifies. */
  readonly defaultClass: number
}

const groupName = (group: number): string => (group === 0 ? '-default' : String(group))

function networkOf(ports: readonly PortConfig[]): Network {
  const lossless = ports.map(({ settings }) => pfcOf(settings).lossless).find((classes) => classes !== undefined) ?? []
  const known = (index: number, field: 'group' | 'queue'): number | undefined =>
    firstKnown(ports.map(({ settings }) => settings.classes[index]![field]))
  const pauses = losslessGroups(lossless, (index) => known(index, 'group') ?? known(index, 'queue'))
  const classes = classesOf(pauses)
  const groupOf = (index: number): number => Math.max(0, classes.indexOf(index))
  const named = classes.filter((index) => known(index, 'group') !== undefined).map(groupOf)
  const groups = [...new Set([...pauses.map(({ group }) => group), ...named])]
  return { pauses, groups, groupOf, defaultClass: classes[0]! }
}

function networkPolicy({ pauses, groups }: Network, ports: readonly PortConfig[]): Block[] {
  const mtus = ports.map(({ settings }) => knownOf(settings.mtuBytes)).filter((mtu) => typeof mtu === 'number')
  return groups.map((group) => {
    const pause = pauses.find((each) => each.group === group)
    const own = (pause?.priorities ?? []).flatMap((c) =>
      ports.flatMap(({ settings }) => knownOf(settings.classes[c]!.classMtuBytes) ?? []),
    )
    const mtu = own.length > 0 ? Math.min(...own) : Math.max(0, ...mtus)
    return block(`class type network-qos c-8q-nq${groupName(group)}`, [
      ...(mtu === 0 ? [] : [`mtu ${mtu}`]),
      ...(pause === undefined ? [] : [`pause pfc-cos ${pause.priorities.join()}`]),
    ])
  })
}

function earlyLines({ marks, dropsAtEgress, kminBytes, kmaxBytes, pmaxRatio }: ClassConfig): string[] {
  const isMarked = knownOf(marks) === true
  if (!isMarked && knownOf(dropsAtEgress) !== true) return []
  const [kmin, kmax, pmax] = [knownOf(kminBytes), knownOf(kmaxBytes), knownOf(pmaxRatio)]
  const bounds = isMarked ? { kminBytes: kmin, kmaxBytes: kmax } : SOME_DROPS
  const words = [
    ...(bounds.kminBytes === undefined ? [] : [`minimum-threshold ${bytesText(bounds.kminBytes)}`]),
    ...(bounds.kmaxBytes === undefined ? [] : [`maximum-threshold ${bytesText(bounds.kmaxBytes)}`]),
    ...(pmax === undefined ? [] : [`drop-probability ${percentOf(pmax)}`]),
    'weight 0',
    ...(isMarked ? ['ecn'] : []),
  ]
  return [`random-detect ${words.join(' ')}`]
}

function queues({ classes }: PortSettings, { groupOf }: Network): Block[] {
  return classes.flatMap((each, index) => {
    const schedule = knownOf(each.schedule)
    const lines = [
      ...(schedule === 'strict' ? ['priority level 1'] : []),
      ...(typeof schedule === 'number' ? [`bandwidth remaining percent ${Math.round(schedule)}`] : []),
      ...earlyLines(each),
    ]
    if (lines.length === 0 && knownOf(each.queue) === undefined) return []
    return [block(`class type queuing c-out-8q-q${groupName(groupOf(index))}`, lines)]
  })
}

/** Rules of the input policy of a port, and the group of all other packets; undefined: it has no policy. */
function inputOf(
  settings: PortSettings,
  { pauses, groupOf, defaultClass }: Network,
): { readonly rules: readonly InputRule[]; readonly rest: number | undefined } | undefined {
  const trust = knownOf(settings.trust)
  if (trust === 'none' || knownOf(settings.classifies) === false) return undefined
  const dscps = trust === 'pcp' ? new Map<number, number[]>() : dscpsByClass(settings)
  const [most] = [...dscps].toSorted(([, a], [, b]) => b.length - a.length)
  const rest = trust !== 'both' && dscps.size > 1 && most![1].length > settings.dscpToClass.length / 2 ? most![0] : -1
  const rules = [...dscps]
    .filter(([index]) => index !== rest)
    .map(([index, values]): InputRule => ({ kind: 'dscp', class: index, values, to: groupOf(index) }))
  if (trust === 'pcp' || trust === 'both') {
    const lossless = pauses.flatMap(({ priorities }) => priorities)
    rules.push(...cosRules(lossless, groupOf))
  }
  if (rules.length === 0) return undefined
  const isSaid = rest >= 0 && (rest !== defaultClass || most![1].some((dscp) => isWritten(settings.dscpToClass[dscp]!)))
  return { rules, rest: isSaid ? groupOf(rest) : undefined }
}

/** Whether PFC of the port is watched, by the first class that has it; undefined: not known. */
const watchedAt = ({ classes }: PortSettings, { lossless = [] }: Pfc): ClassConfig['isWatched'] | undefined =>
  lossless.map((index) => classes[index]!.isWatched).find(({ state }) => state !== 'unknown')

function modeLines({ mode }: Pfc, { pfcMode }: PortSettings): string[] {
  return mode === undefined || (mode === 'auto' && !isWritten(pfcMode)) ? [] : [`priority-flow-control mode ${mode}`]
}

/** Lines of the switch: whether there is a watchdog, and its times as multiples of an interval. */
function watchdogLines({ watchdog }: SwitchSettings, isOnAtPort: boolean): string[] {
  const times = [knownOf(watchdog.detectionPs), knownOf(watchdog.restorationPs)].map((time) =>
    typeof time === 'number' ? Math.round(time / PS_PER_MS) : 0,
  )
  const [detection = 0, restoration = 0] = times
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))
  const common = times.reduce(divisor)
  const interval = common % USUAL_INTERVAL_MS === 0 ? USUAL_INTERVAL_MS : common
  const kind = knownOf(watchdog.kind)
  const isOn = kind === undefined ? isOnAtPort : kind !== 'off'
  return [
    ...(isOn ? ['priority-flow-control watch-dog-interval on'] : []),
    ...(kind === 'off' && isWritten(watchdog.kind) ? ['no priority-flow-control watch-dog-interval on'] : []),
    ...(common > 0 ? [`priority-flow-control watch-dog interval ${interval}`] : []),
    ...(detection > 0 ? [`priority-flow-control watch-dog shutdown-multiplier ${detection / interval}`] : []),
    ...(restoration > 0 ? [`priority-flow-control auto-restore multiplier ${restoration / interval}`] : []),
  ]
}

function write(config: DeviceConfig, { variant, peers, nameOf }: WriteOptions): WrittenFile[] {
  const { ports } = config
  const names = new Names(nameOf)
  const network = networkOf(ports)
  const policies: Block[] = []
  const system: string[] = []
  if (network.groups.length > 0) {
    const name = names.of('network-qos-policy', '', () => undefined)
    policies.push(block(`policy-map type network-qos ${name}`, networkPolicy(network, ports)))
    system.push(`service-policy type network-qos ${name}`)
  }
  const queuingPolicy = (settings: PortSettings): string[] => {
    const inside = queues(settings, network)
    if (inside.length === 0) return []
    const define = (own: string): unknown => policies.push(block(`policy-map type queuing ${own}`, inside))
    return [`service-policy type queuing output ${names.of('queuing-policy', inside, define)}`]
  }
  const areQueuesAlike = alike(ports, ({ settings }) => queues(settings, network)).length === 1
  if (areQueuesAlike) system.push(...queuingPolicy(ports[0]!.settings))
  const watched = ports.map(({ settings }) => watchedAt(settings, pfcOf(settings)))
  const watchdog =
    'watchdog' in config.settings
      ? watchdogLines(
          config.settings,
          watched.some((one) => one !== undefined && knownOf(one) === true),
        )
      : []
  const inputs: Block[] = []
  const portBlocks = ports.map(({ name, settings }, i) => {
    const pfc = pfcOf(settings)
    const input = inputOf(settings, network)
    const isWatched = watched[i]
    const isOn = isWatched && knownOf(isWatched)
    const isSaid = isOn !== undefined && (isOn || isWritten(isWatched!) || watchdog.length > 0)
    const lines = [
      ...portLines(settings, PORT_WORDS),
      ...modeLines(pfc, settings),
      ...(isSaid ? [`priority-flow-control watch-dog-interval ${isOn ? 'on' : 'off'}`] : []),
      ...(input
        ? [`service-policy type qos input ${inputPolicy(input.rules, input.rest, CLASS_WORDS, names, inputs)}`]
        : []),
      ...(areQueuesAlike ? [] : queuingPolicy(settings)),
      ...shutdownLines(settings),
    ]
    return { name, lines }
  })
  const blocks: Block[] = [
    '!Command: show running-config',
    'version 10.3(4a) Bios:version',
    `hostname ${config.device}`,
    ...(peers.size > 0 ? ['feature lldp'] : []),
    ...inputs,
    ...policies,
    ...(system.length > 0 ? [block('system qos', system)] : []),
    ...watchdog,
    ...interfaceBlocks(portBlocks, variant === 'ranges' ? '' : undefined),
    'line vty',
  ]
  const text = `${linesOf(blocks, 2, false).join('\n')}\n`
  return [{ file: 'running-config.cfg', text }, ...nxosLldp(ports, peers)]
}

export const nxosWriter: Writer = {
  language: 'nx-os',
  variants: ['single', 'ranges'],
  cannotSay: {
    ...NO_WORDS,
    platform: 'the configuration does not name the hardware',
    'watchdog.action': 'what the watchdog does with a queue is not set',
    'watchdog.pollPs': 'the interval counts by its multiples alone',
  },
  write,
}
