/**
 * Settings of a port in sysfs: DCQCN by priority (ecn), QoS (qos), and what every port has.
 */
import type { Value } from '../../model/index.ts'
import { CLASS_COUNT, DSCP_COUNT } from '../../model/index.ts'
import type { Facts } from '../facts.ts'
import type { Line } from '../text.ts'
import { positionsOf } from '../words.ts'

/** Files of the halves of DCQCN: the set of classes on which each acts. */
const HALVES = { roce_np: 'nic.npClasses', roce_rp: 'nic.rpClasses' } as const

const LOOPBACK = 'lo'

/** Tables of a row per line, until they are whole. */
interface Tables {
  add(port: string, field: 'bufferOfClass' | 'bufferBytes', index: number, value: number, line: Line): void
  finish(): void
}

export function tablesOf(facts: Facts): Tables {
  const tables = new Map<string, { port: string; field: 'bufferOfClass' | 'bufferBytes'; rows: number[]; line: Line }>()
  return {
    add(port, field, index, value, line) {
      const key = `${field} ${port}`
      let table = tables.get(key)
      if (table === undefined) tables.set(key, (table = { port, field, rows: [], line }))
      table.rows[index] = value
    },
    finish() {
      for (const { port, field, rows, line } of tables.values())
        if (isWhole(rows)) facts.port(port).nic.put(field, rows, line, 'operational')
        else facts.port(port).nic.forget(field)
    },
  }
}

const isWhole = (rows: readonly number[]): boolean =>
  rows.length === CLASS_COUNT &&
  Array.from({ length: CLASS_COUNT }, (_, i) => rows[i]).every((row) => row !== undefined)

/** Notes one line of a file of a port. */
export function noteSetting(
  facts: Facts,
  tables: Tables,
  name: string,
  path: readonly string[],
  value: string,
  line: Line,
): void {
  const [folder = '', file = '', ...rest] = path
  if (name === LOOPBACK) return
  if (folder === 'ecn') noteEcn(facts, name, file, rest, value, line)
  else if (folder === 'qos' && !noteQos(facts, tables, name, file, value, line)) facts.remainder.push(line)
  const [, address] = folder === 'device' && file === 'uevent' ? (/^PCI_SLOT_NAME=(\S+)$/.exec(value) ?? []) : []
  if (address !== undefined) facts.port(name).nic.put('pciName', address, line, 'operational')
  if (path.length > 1) return
  if (folder === 'mtu' && /^\d{2,5}$/.test(value))
    facts.port(name).settings.put('mtuBytes', Number(value), line, 'operational')
  else if (folder === 'speed' && /^[1-9]\d{0,7}$/.test(value))
    facts.port(name).settings.put('rateBps', Number(value) * 1e6, line, 'operational')
  else if (folder === 'operstate' && /^(?:up|down)$/.test(value))
    facts.port(name).settings.put('isUp', value === 'up', line, 'operational')
}

function noteEcn(facts: Facts, name: string, half: string, path: readonly string[], value: string, line: Line): void {
  const port = facts.port(name)
  const [setting = '', priority = ''] = path
  const isNumber = /^\d{1,12}$/.test(value)
  if (!Object.hasOwn(HALVES, half) || !isNumber) facts.remainder.push(line)
  else if (setting === 'enable' && /^[0-7]$/.test(priority))
    port.other(enableKey(half, Number(priority)), value !== '0', line)
  else if (setting === 'cnp_dscp' && Number(value) < DSCP_COUNT)
    port.nic.put('cnpDscp', Number(value), line, 'operational')
  else if (setting === 'cnp_802p_prio' && Number(value) < CLASS_COUNT)
    port.nic.put('cnpClass', Number(value), line, 'operational')
  else if (path.length === 1) port.other(setting, Number(value), line)
}

/** Name of a setting for one priority until those of all eight are known. */
export const enableKey = (half: string, priority: number): string => `${half} enable ${priority}`

/**
 * Puts sets of classes in the place of their eight values, if all are there: `values` may come from one file, or be joined
 * from eight.
 */
export function completeClasses(values: Map<string, Value>): void {
  for (const [half, field] of Object.entries(HALVES)) {
    const keys = Array.from({ length: CLASS_COUNT }, (_, priority) => `other.${enableKey(half, priority)}`)
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

/** Notes a line of a file under qos; false: it is not understood. */
function noteQos(facts: Facts, tables: Tables, name: string, file: string, value: string, line: Line): boolean {
  const port = facts.port(name)
  const numbers = value.split(/[\s,]+/).filter((one) => one !== '')
  const isOfNumbers = numbers.every((one) => /^\d{1,9}$/.test(one))
  const row = isOfNumbers ? numbers.map(Number) : []
  if (file === 'trust') {
    const trust = /^(?:dscp|pcp|both|none)$/i.exec(value)?.[0]
    if (trust !== undefined) port.settings.put('trust', trust.toLowerCase(), line, 'operational')
    return trust !== undefined
  }
  if (file === 'pfc') {
    const flags = /^enabled\s/.test(value) ? numbers.slice(1).map(Number) : row
    if (flags.length === CLASS_COUNT && flags.every((flag) => flag === 0 || flag === 1))
      port.settings.put('pfcClasses', positionsOf(flags.map((flag) => flag === 1)), line, 'operational')
    else if (!/^priority\s/.test(value)) port.settings.forget('pfcClasses')
    return flags.length === CLASS_COUNT || /^priority\s/.test(value)
  }
  if (file === 'dscp2prio') return noteMap(facts, name, value, row, line)
  if (file === 'prio2buffer' || file === 'buffer_size') {
    const field = file === 'prio2buffer' ? 'bufferOfClass' : 'bufferBytes'
    const sizes = row.length > 0 ? row : numbers.filter((one) => /^\d{1,9}$/.test(one)).map(Number)
    if (value.includes(',') && sizes.length >= CLASS_COUNT)
      port.nic.put(field, sizes.slice(0, CLASS_COUNT), line, 'operational')
    else if (row.length >= 2 && row[0]! < CLASS_COUNT) tables.add(name, field, row[0]!, row[1]!, line)
    else return /^(?:Priority|Buffer)\s|^(?:Port|Spare) buffer size/.test(value)
    return true
  }
  // Others, such as maxrate and tc_num, decide nothing here.
  return true
}

/** "prio:3 dscp:26,24", "26 3", or 64 priorities. */
function noteMap(facts: Facts, name: string, value: string, row: readonly number[], line: Line): boolean {
  const port = facts.port(name)
  const [, priority, list] = /^prio:([0-7])\s+dscp:([\d,\s]*)$/.exec(value) ?? []
  const put = (dscp: number, prio: number): void => {
    if (dscp < DSCP_COUNT && prio < CLASS_COUNT) port.dscp(dscp, prio, line, 'operational')
  }
  if (priority !== undefined)
    for (const dscp of list!.split(',').filter((one) => one.trim() !== '')) put(Number(dscp), Number(priority))
  else if (row.length === 2) put(row[0]!, row[1]!)
  else if (row.length === DSCP_COUNT) for (const [dscp, prio] of row.entries()) put(dscp, prio)
  else return value.startsWith('dscp2prio')
  return true
}
