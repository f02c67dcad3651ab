/**
 * Settings of a port in sysfs: DCQCN by priority (ecn), QoS (qos), and what every port has.
 */
import { CLASS_COUNT, CLASSES, DSCP_COUNT, type Plain, type Value } from '../../../../core/device-model/index.ts'
import type { Facts, PortFacts } from '../facts.ts'
import { megabits, type PortField } from '../output.ts'
import type { Line } from '../text.ts'
import { positionsOf } from '../words.ts'
import { TRUSTS } from './host-words.ts'

/** Files of the halves of DCQCN: the set of classes on which each acts. */
const HALVES = { roce_np: 'nic.npClasses', roce_rp: 'nic.rpClasses' } as const

/** Files of one value, below the folder of the port. A value of another form says nothing. */
const VALUES: Readonly<Record<string, readonly [field: PortField, read: (text: string) => Plain | undefined]>> = {
  mtu: ['mtuBytes', (text) => (/^\d{2,5}$/.test(text) ? Number(text) : undefined)],
  speed: ['rateBps', (text) => (/^[1-9]\d{0,7}$/.test(text) ? megabits(text) : undefined)],
  operstate: ['isUp', (text) => (/^(?:up|down)$/.test(text) ? text === 'up' : undefined)],
  'device/uevent': ['nic.pciName', (text) => /^PCI_SLOT_NAME=(\S+)$/.exec(text)?.[1]],
  'qos/trust': ['trust', (text) => TRUSTS.find((one) => one === text.toLowerCase())],
}

/** Buffers of one port, a row per line, until all are there. */
interface BufferTable {
  readonly port: PortFacts
  readonly field: 'bufferOfClass' | 'bufferBytes'
  readonly rows: number[]
  readonly line: Line
}

/** Settings of ports while their files are read. */
export class PortFiles {
  readonly #facts: Facts
  readonly #tables = new Map<string, BufferTable>()

  constructor(facts: Facts) {
    this.#facts = facts
  }

  /** Notes one line of a file of a port. */
  note(name: string, path: readonly string[], text: string, line: Line): void {
    const [folder = '', file = '', ...rest] = path
    if (name === 'lo') return
    const [field, read] = VALUES[path.join('/')] ?? []
    const value = read?.(text)
    if (field !== undefined && value !== undefined) this.#facts.port(name).noteAny(field, value, line, 'operational')
    if (folder !== 'ecn' && folder !== 'qos') return
    const port = this.#facts.port(name)
    const isRead =
      folder === 'ecn' ? noteEcn(port, file, rest, text, line) : this.#noteQos(port, name, file, text, line)
    if (!isRead && value === undefined) this.#facts.remainder.push(line)
  }

  /** Notes a line of a file under qos; false: it is not understood. */
  #noteQos(port: PortFacts, name: string, file: string, text: string, line: Line): boolean {
    const words = text.split(/[\s,]+/).filter((one) => one !== '')
    const numbers = words.filter((one) => /^\d{1,9}$/.test(one)).map(Number)
    const row = numbers.length === words.length ? numbers : []
    if (file === 'pfc') {
      const flags = /^enabled\s/.test(text) ? words.slice(1).map(Number) : row
      const isHead = /^priority\s/.test(text)
      const isWhole = flags.length === CLASS_COUNT && flags.every((flag) => flag === 0 || flag === 1)
      const classes = isWhole ? positionsOf(flags.map((flag) => flag === 1)) : undefined
      if (isWhole || !isHead) port.settings.note('pfcClasses', classes, line, 'operational')
      return flags.length === CLASS_COUNT || isHead
    }
    if (file === 'dscp2prio') return noteMap(port, text, row, line)
    if (file === 'prio2buffer' || file === 'buffer_size') {
      const field = file === 'prio2buffer' ? 'bufferOfClass' : 'bufferBytes'
      const [index = CLASS_COUNT, value] = row
      if (text.includes(',') && numbers.length >= CLASS_COUNT)
        port.nic.put(field, numbers.slice(0, CLASS_COUNT), line, 'operational')
      else if (value !== undefined && index < CLASS_COUNT) {
        const key = `${field} ${name}`
        const table = this.#tables.get(key) ?? { port, field, rows: [], line }
        this.#tables.set(key, table)
        table.rows[index] = value
      } else return /^(?:Priority|Buffer)\s|^(?:Port|Spare) buffer size/.test(text)
      return true
    }
    // Others, such as maxrate and tc_num, decide nothing here.
    return file !== 'trust'
  }

  /** Notes the tables that are whole. */
  finish(): void {
    for (const { port, field, rows, line } of this.#tables.values()) {
      const isWhole = CLASSES.every((index) => rows[index] !== undefined)
      port.nic.note(field, isWhole ? rows : undefined, line, 'operational')
    }
    for (const port of this.#facts.ports.values()) completeClasses(port.values)
  }
}

/** Notes a line of a file under ecn; false: it is not understood. */
function noteEcn(port: PortFacts, half: string, path: readonly string[], text: string, line: Line): boolean {
  const [setting = '', priority = ''] = path
  if (!Object.hasOwn(HALVES, half) || !/^\d{1,12}$/.test(text)) return false
  const number = Number(text)
  if (setting === 'enable' && /^[0-7]$/.test(priority))
    port.other(enableKey(half, Number(priority)), text !== '0', line)
  else if (setting === 'cnp_dscp' && number < DSCP_COUNT) port.nic.put('cnpDscp', number, line, 'operational')
  else if (setting === 'cnp_802p_prio' && number < CLASS_COUNT) port.nic.put('cnpClass', number, line, 'operational')
  else if (path.length === 1) port.other(setting, number, line)
  return true
}

/** Name of a setting for one priority until those of all eight are known. */
export const enableKey = (half: string, priority: number): string => `${half} enable ${priority}`

/**
 * Puts sets of classes in the place of their eight values, if all are there: `values` may come from one file, or be joined
 * from eight.
 */
export function completeClasses(values: Map<string, Value>): void {
  for (const [half, field] of Object.entries(HALVES)) {
    const keys = CLASSES.map((priority) => `other.${enableKey(half, priority)}`)
    const each = keys.map((key) => values.get(key))
    const known = each.filter((one) => one !== undefined && one.state !== 'unknown')
    if (known.length < CLASS_COUNT) continue
    const enabled = positionsOf(known.map(({ value }) => value === true))
    // A place where the set differs from what is usual: the first that is off.
    const { origin } = known.find(({ value }) => value !== true) ?? known[0]!
    values.set(field, { state: 'operational', value: enabled, ...(origin === undefined ? {} : { origin }) })
    for (const key of keys) values.delete(key)
  }
}

/** "prio:3 dscp:26,24", "26 3", or 64 priorities; false: none of them. */
function noteMap(port: PortFacts, text: string, row: readonly number[], line: Line): boolean {
  const [, priority, list] = /^prio:([0-7])\s+dscp:([\d,\s]*)$/.exec(text) ?? []
  const put = (dscp: number, prio: number): void => {
    if (dscp < DSCP_COUNT && prio < CLASS_COUNT) port.dscp(dscp, prio, line, 'operational')
  }
  if (priority !== undefined)
    for (const dscp of list!.split(',').filter((one) => one.trim() !== '')) put(Number(dscp), Number(priority))
  else if (row.length === 2) put(row[0]!, row[1]!)
  else if (row.length === DSCP_COUNT) for (const [dscp, prio] of row.entries()) put(dscp, prio)
  else return text.startsWith('dscp2prio')
  return true
}
