/**
 * Settings: commands that set something at a port of a host, by their name.
 * Sources: mlnx-tools, python/mlnx_qos and sbin/cma_roce_tos; dcb(8) and its pages; ethtool(8); ip-link(8).
 */
import { type Facts, type PortFacts } from '../../facts.ts'
import type { Line } from '../../text.ts'
import { CLASS_COUNT, CLASSES, DSCP_COUNT, DSCPS, UNKNOWN } from '../../../../../core/device-model/index.ts'
import { dscpIn, eightIn, optionOf, pauseWatchdogPs, putSchedules, TRUSTS, wholeIn } from '../host-words.ts'
import { fecIn, positionsOf } from '../../words.ts'

/** Fields of the port that each list of eight decides, and whether its values are flags. */
const FIELDS = {
  pfc: { fields: ['pfcClasses', 'pfcWritten'], areFlags: true },
  np: { fields: ['nic.npClasses'], areFlags: true },
  rp: { fields: ['nic.rpClasses'], areFlags: true },
  buffer: { fields: ['nic.bufferOfClass'], areFlags: false },
  size: { fields: ['nic.bufferBytes'], areFlags: false },
  trafficClass: undefined,
  weight: undefined,
} as const
type EightField = keyof typeof FIELDS

/**
 * Settings of a port up to a line of a script. A command that sets one of eight values leaves the others, so that the list is
 * known once all eight have been set.
 */
export class PortMemory {
  readonly #eights = new Map<EightField, (number | undefined)[]>()
  readonly kinds: (string | undefined)[] = []
  /** Whether PFC has been set, and the line that has set the cable since. */
  hasPfc = false
  lengthLine: Line | undefined

  of(field: EightField): (number | undefined)[] {
    let values = this.#eights.get(field)
    if (values === undefined) this.#eights.set(field, (values = CLASSES.map(() => undefined)))
    return values
  }

  /** Notes all eight values of a field at the port. @param values undefined: they cannot be read */
  putAll(field: EightField, values: readonly number[] | undefined, port: PortFacts, line: Line): void {
    this.#eights.set(field, values === undefined ? CLASSES.map(() => undefined) : [...values])
    this.put(field, port, line)
  }

  /** Notes at the port what is known of a field, now that a line has changed it. */
  put(field: EightField, port: PortFacts, line: Line): void {
    const kind = FIELDS[field]
    if (kind === undefined) return this.putSchedules(port, line)
    const values = this.of(field)
    const all = values.every((one) => one !== undefined) ? values : undefined
    const value = all && kind.areFlags ? positionsOf(all.map((one) => one === 1)) : all
    for (const each of kind.fields) port.noteAny(each, value, line, 'set')
    if (field !== 'pfc') return
    this.hasPfc = true
    this.lengthLine = undefined
  }

  putSchedules(port: PortFacts, line: Line): void {
    const [ofPriority, weight] = [this.of('trafficClass'), this.of('weight')]
    putSchedules(port, { ofPriority, kind: this.kinds, weight }, line, 'set')
  }
}

/** One command in its script. */
export interface Context {
  readonly facts: Facts
  readonly memories: Map<string, PortMemory>
  readonly line: Line
}

export function memoryOf({ memories }: Context, port: string): PortMemory {
  let memory = memories.get(port)
  if (memory === undefined) memories.set(port, (memory = new PortMemory()))
  return memory
}

/** Notes what a command sets. False: it sets something else. @param words from its name on */
type Setter = (words: readonly string[], context: Context) => boolean

/** Options of mlnx_qos with a value, by all their names. */
const MLNX_OPTIONS: Readonly<Record<string, string>> = {
  '-i': 'interface',
  '-f': 'pfc',
  '-p': 'prio_tc',
  '-s': 'tsa',
  '-t': 'tcbw',
  '-d': 'dcbx',
  '-r': 'ratelimit',
}
const MLNX_EIGHTS: Readonly<Record<string, EightField>> = {
  pfc: 'pfc',
  prio_tc: 'trafficClass',
  tcbw: 'weight',
  prio2buffer: 'buffer',
  buffer_size: 'size',
}
/** Largest of the eight values of an option. */
const MOST: Readonly<Record<EightField, number>> = {
  pfc: 1,
  np: 1,
  rp: 1,
  trafficClass: 7,
  weight: 100,
  buffer: 7,
  size: Number.MAX_SAFE_INTEGER,
}

/** Options with their values, in their order. */
function mlnxOptions(words: readonly string[]): (readonly [name: string, value: string])[] {
  const options: (readonly [string, string])[] = []
  for (let i = 1; i < words.length; i++) {
    const [, long, value] = /^--(\w+)(?:=(.*))?$/.exec(words[i]!) ?? []
    const name = long ?? MLNX_OPTIONS[words[i]!]
    if (name !== undefined) options.push([name, value ?? words[++i] ?? ''])
  }
  return options
}

/** "set,26,3" and its like. Without an entry a DSCP has a priority that depends on the release. */
function mlnxDscp(value: string, port: PortFacts, line: Line): boolean {
  const [action, ...numbers] = value.split(',')
  const [dscp, priority] = [wholeIn(numbers[0] ?? '', DSCP_COUNT - 1), wholeIn(numbers[1] ?? '', CLASS_COUNT - 1)]
  const isFlush = action === 'flush'
  if (!isFlush && (dscp === undefined || priority === undefined)) return false
  if (action === 'set') port.dscp(dscp!, priority!, line)
  else if (isFlush || action === 'del')
    for (const one of isFlush ? DSCPS : [dscp]) port.values.set(`dscpToClass.${one}`, UNKNOWN)
  return isFlush || action === 'set' || action === 'del'
}

const mlnxQos: Setter = (words, context) => {
  const { facts, line } = context
  const options = mlnxOptions(words)
  const name = options.find(([option]) => option === 'interface')?.[1]
  if (name === undefined) return false
  const port = facts.port(name)
  const memory = memoryOf(context, name)
  let isRead = true
  for (const [option, value] of options) {
    const field = MLNX_EIGHTS[option]
    const eight = field && eightIn(value, MOST[field])
    if (field !== undefined) {
      memory.putAll(field, eight, port, line)
      isRead &&= eight !== undefined
    } else if (option === 'tsa') {
      for (const [i, kind] of value.split(',').entries()) if (i < CLASS_COUNT) memory.kinds[i] = kind
      memory.putSchedules(port, line)
    } else if (option === 'trust' && TRUSTS.includes(value)) port.settings.put('trust', value, line)
    else if (option === 'dscp2prio') isRead = mlnxDscp(value, port, line) && isRead
    else if (option === 'dcbx') port.nic.put('dcbx', value === 'os' ? 'os' : 'firmware', line)
    else if (option === 'cable_len' && wholeIn(value, 1e6) !== undefined) {
      port.settings.put('cableM', Number(value), line)
      if (memory.hasPfc && !options.some(([each]) => each === 'pfc')) memory.lengthLine = line
    } else if (option !== 'interface' && option !== 'ratelimit') isRead = false
  }
  return isRead
}

/** Keys of dcb whose values come as "INDEX:VALUE" or "all:VALUE". */
const DCB_EIGHTS: Readonly<Record<string, EightField>> = {
  'prio-pfc': 'pfc',
  'prio-tc': 'trafficClass',
  'tc-bw': 'weight',
  'prio-buffer': 'buffer',
  'buffer-size': 'size',
}

/** False: not of the form. */
function dcbEntry(key: string, entry: string, memory: PortMemory): boolean {
  const [, index, value] = /^(all|[0-7]):(\w+)$/.exec(entry) ?? []
  const field = DCB_EIGHTS[key]
  if (index === undefined || value === undefined) return false
  const slots = index === 'all' ? CLASSES : [Number(index)]
  const number = value === 'on' ? 1 : value === 'off' ? 0 : wholeIn(value, field === undefined ? 0 : MOST[field])
  for (const slot of slots)
    if (field === undefined) memory.kinds[slot] = value
    else memory.of(field)[slot] = number
  return field === undefined || number !== undefined
}

/** "dscp-prio 26:3 CS6:6". A table with an entry for a DSCP means trust in DSCPs. */
function dcbApp(action: string, entries: readonly string[], port: PortFacts, line: Line): boolean {
  let isRead = true
  for (const entry of entries) {
    const [name = '', priorityText = ''] = entry.split(':')
    const [dscp, priority] = [dscpIn(name), wholeIn(priorityText, CLASS_COUNT - 1)]
    if (dscp === undefined || priority === undefined) isRead = false
    else if (action === 'del') port.values.set(`dscpToClass.${dscp}`, UNKNOWN)
    else {
      port.dscp(dscp, priority, line)
      port.settings.put('trust', 'dscp', line)
    }
  }
  return isRead
}

const dcb: Setter = (allWords, context) => {
  const words = allWords.filter((word) => !word.startsWith('-'))
  const [, object = '', action = '', dev, name, ...rest] = words
  if (action === 'show' || dev !== 'dev' || name === undefined) return action === 'show'
  const port = context.facts.port(name)
  const memory = memoryOf(context, name)
  const { line } = context
  if (object === 'dcbx') {
    if (rest.includes('host') || rest.includes('lld-managed'))
      port.nic.put('dcbx', rest.includes('host') ? 'os' : 'firmware', line)
    return true
  }
  if (object === 'app' && action === 'flush') return mlnxDscp('flush', port, line)
  let key = ''
  let isRead = true
  const changed = new Set<EightField>()
  for (const word of rest) {
    const field = DCB_EIGHTS[key]
    if (/^[a-z]+-[a-z-]+$/.test(word)) key = word
    else if (key === 'dscp-prio' && object === 'app') isRead = dcbApp(action, [word], port, line) && isRead
    else if (field !== undefined || key === 'tc-tsa') {
      isRead = dcbEntry(key, word, memory) && isRead
      changed.add(field ?? 'trafficClass')
    }
  }
  for (const field of changed) memory.put(field, port, line)
  return isRead
}

const cmaRoceTos: Setter = (words, { facts, line }) => {
  const command = words.join(' ')
  const [device, tos] = [optionOf(command, 'd', 'device'), wholeIn(optionOf(command, 't', 'tos'), 255)]
  if (device === '' || tos === undefined) return !words.includes('-t')
  facts.rdmaPort(device).nic.put('cmaTclass', tos, line)
  return true
}

/** Keys of ethtool with their values, behind the name of the interface. */
function ethtoolPairs(pairs: readonly string[], option: string, port: PortFacts, line: Line): void {
  const values = new Map(pairs.flatMap((key, i) => (i % 2 === 0 ? [[key, pairs[i + 1] ?? '']] : [])))
  const isPause = option === '-A' || option === '--pause'
  for (const [key, value] of values) {
    if (isPause && key === 'rx') port.settings.put('takesGlobalPause', value === 'on', line)
    else if (isPause && key === 'tx') port.settings.put('sendsGlobalPause', value === 'on', line)
    else if (isPause) continue
    else if (key === 'speed' && wholeIn(value, 1e7) !== undefined)
      port.settings.put('rateBps', Number(value) * 1e6, line)
    else if (key === 'autoneg') port.settings.put('autoNegotiates', value === 'on', line)
    else if (key === 'encoding' && pairs.length === 2 && value !== 'auto') port.settings.put('fec', fecIn(value), line)
    else if (key === 'pfc-prevention-tout') port.nic.note('pauseWatchdogPs', pauseWatchdogPs(value), line)
  }
}

const SETS_OF_ETHTOOL: readonly string[] = ['-A', '--pause', '-s', '--change', '--set-tunable', '--set-fec']

const ethtool: Setter = ([, option = '', name, ...pairs], { facts, line }) => {
  if (SETS_OF_ETHTOOL.includes(option) && name !== undefined) ethtoolPairs(pairs, option, facts.port(name), line)
  return true
}

const ip: Setter = (words, { facts, line }) => {
  const [object = '', action, ...rest] = words.slice(1).filter((word) => !word.startsWith('-') && word !== 'dev')
  if (!'link'.startsWith(object) || action !== 'set') return true
  const [name = '', ...pairs] = rest
  const at = pairs.indexOf('mtu')
  const mtu = at < 0 ? undefined : wholeIn(pairs[at + 1] ?? '', 1e6)
  if (mtu !== undefined) facts.port(name).settings.put('mtuBytes', mtu, line)
  if (pairs.includes('down')) facts.port(name).settings.put('isUp', false, line)
  return at < 0 || mtu !== undefined
}

const ifconfig: Setter = ([, name, ...rest], context) => ip(['ip', 'link', 'set', name ?? '', ...rest], context)

/** Commands that set things which this reader does not know. */
const unknown: Setter = (words) => !words.some((word) => /^(?:set|update|-T|willing|enabled)\b/.test(word))

export const SETTERS: ReadonlyMap<string, Setter> = new Map([
  ['mlnx_qos', mlnxQos],
  ['dcb', dcb],
  ['cma_roce_tos', cmaRoceTos],
  ['ethtool', ethtool],
  ['ip', ip],
  ['ifconfig', ifconfig],
  ['lldptool', unknown],
  ['nicctl', unknown],
  ['niccli', unknown],
  ['mlxconfig', unknown],
])
