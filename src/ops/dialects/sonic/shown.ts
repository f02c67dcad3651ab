/**
 * Tables of SONiC's commands. One text may hold several; a reader of any of them reads them all.
 * Source: sonic-utilities (pfcstat, watermarkstat, pg-drop, queuestat, wredstat, portstat, pfc, pfcwd, lldpshow).
 */
import { ALL_PRIORITIES, CLASS_COUNT } from '../../model/index.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { countIn, numbersIn } from '../words.ts'
import { type ShownTable, tablesIn } from './columns.ts'
import { COUNTER_BITS, COUNTER_COLUMNS, PRIORITY_COLUMNS } from './counter-names.ts'
import { isWatchdogLine, readWatchdogSettings, readWatchdogTable } from './shown-watchdog.ts'

/** Commands, and the line of names by which their output is known. */
const COMMANDS: readonly (readonly [name: string, command: string, names: RegExp, leavesOut: readonly string[]])[] = [
  [
    'sonic-pfc-history',
    'show pfc counters --history',
    /^[ \t]*Port[ \t]+Priority[ \t]+RX Pause Transitions/m,
    ['latest pauses'],
  ],
  ['sonic-pfc-counters', 'show pfc counters', /^[ \t]*Port [RT]x[ \t]+PFC0\b/m, []],
  [
    'sonic-pg-watermark',
    'show priority-group watermark headroom',
    /^Ingress (?:headroom|shared pool occupancy) per PG/m,
    ['groups above 7'],
  ],
  ['sonic-pg-drops', 'show priority-group drop counters', /^Ingress PG dropped packets/m, ['groups above 7']],
  [
    'sonic-queue-watermark',
    'show queue watermark unicast',
    /^Egress shared pool occupancy per (?:unicast|multicast|all) queue/m,
    ['multicast queues'],
  ],
  ['sonic-queue-wred', 'show queue wredcounters', /^[ \t]*Port[ \t]+TxQ[ \t]+WredDrp\/pkts/m, ['multicast queues']],
  [
    'sonic-queue-counters',
    'show queue counters',
    /^[ \t]*Port[ \t]+TxQ[ \t]+\w+\/pkts/m,
    ['multicast queues', 'trimmed packets'],
  ],
  ['sonic-interfaces-counters', 'show interfaces counters', /^[ \t]*IFACE[ \t]+STATE[ \t]+RX_OK/m, ['rates']],
  ['sonic-pfc-priority', 'show pfc priority', /^[ \t]*Interface[ \t]+Lossless priorities/m, []],
  ['sonic-pfc-asymmetric', 'show pfc asymmetric', /^[ \t]*Interface[ \t]+Asymmetric[ \t]*$/m, []],
  ['sonic-pfcwd-stats', 'pfcwd show stats', /^[ \t]*QUEUE[ \t]+STATUS[ \t]+STORM DETECTED/m, ['packets during storms']],
  ['sonic-pfcwd-config', 'pfcwd show config', /^[ \t]*PORT[ \t]+ACTION[ \t]+DETECTION TIME/m, ['history of pauses']],
  ['sonic-lldp', 'show lldp table', /^[ \t]*LocalPort[ \t]+RemoteDevice[ \t]+RemotePortID/m, ['capabilities']],
]

export const sonicShown: readonly Dialect[] = COMMANDS.map(([name, command, names, leavesOut]) => ({
  name,
  language: 'sonic',
  title: `SONiC ${command}`,
  command,
  leavesOut,
  recognises: ({ text }) => names.test(text),
  read,
}))

/** Lines around tables that say nothing. */
const AROUND =
  /^(?:For namespace|Last cached time|Namespace|Capability codes|Total entries|-+$|Ingress |Egress |Reminder|Changed polling)/

/** A table that says something else than counts. */
type Reader = (facts: Facts, table: ShownTable) => void

/** By the first two names. */
const READERS: Readonly<Record<string, Reader>> = {
  'Interface|Lossless priorities': readLossless,
  'Interface|Asymmetric': readAsymmetric,
  'QUEUE|STATUS': readWatchdogTable,
  'PORT|ACTION': readWatchdogSettings,
  'LocalPort|RemoteDevice': readNeighbours,
}

function read({ lines }: Part, facts: Facts): void {
  facts.kind = 'switch'
  const { tables, others } = tablesIn(lines)
  for (const table of tables) {
    const reader = READERS[table.headers.slice(0, 2).join('|')]
    if (reader !== undefined) reader(facts, table)
    else if (!countPriorities(facts, table) && !countColumns(facts, table)) facts.remainder.push(...linesOf(table))
    if (table.cut !== null) facts.truncated = { line: table.cut, expected: `${table.headers.length} columns` }
  }
  for (const line of others)
    if (!isWatchdogLine(facts, line) && !AROUND.test(line.text.trim())) facts.remainder.push(line)
  const has = (first: string): boolean => tables.some(({ headers }) => headers[0] === first)
  if (has('Port Rx') && !has('Port Tx')) facts.truncated ??= { line: lines.at(-1)!, expected: 'the table of Port Tx' }
  if (tables.length === 0) facts.truncated ??= { line: lines.at(-1)!, expected: 'a table' }
}

/** Tables that are known and not read have no remainder. */
function linesOf({ headers, rows, title }: ShownTable): Line[] {
  return title.startsWith('Egress shared pool') || headers[1] === 'TxQ' ? [] : rows.map(({ line }) => line)
}

/** @returns whether it is such a table */
function countPriorities(facts: Facts, { title, headers, rows }: ShownTable): boolean {
  const form = PRIORITY_COLUMNS.find((each) => each.first === headers[0] && title.startsWith(each.title))
  if (form === undefined) return false
  for (const { line, cells } of rows)
    for (const [i, header] of headers.entries()) {
      const priority = header.startsWith(form.column) ? countIn(header.slice(form.column.length)) : undefined
      if (priority !== undefined && priority < CLASS_COUNT)
        addCount(facts, cells[0]!, priority, form.name, cells[i]!, line)
    }
  return true
}

/** @returns whether it is such a table */
function countColumns(facts: Facts, { headers, rows }: ShownTable): boolean {
  const form = COUNTER_COLUMNS.find(
    ({ port, priority }) => headers[0] === port && (priority === '' || headers[1] === priority),
  )
  if (form === undefined) return false
  for (const { line, cells } of rows) {
    const [port = '', second = ''] = cells
    const number = second.startsWith(form.prefix) ? countIn(second.slice(form.prefix.length)) : undefined
    const priority = form.priority === '' ? ALL_PRIORITIES : number
    if (priority === undefined || priority >= CLASS_COUNT) continue
    for (const [i, header] of headers.entries()) {
      if (Object.hasOwn(form.columns, header)) addCount(facts, port, priority, form.columns[header]!, cells[i]!, line)
      else if (header === 'STATE' && /^[UDX]$/.test(cells[i]!))
        facts.port(port).settings.put('isUp', cells[i] === 'U', line, 'operational')
    }
  }
  return true
}

/** N/A is unknown. */
function addCount(facts: Facts, port: string, priority: number, name: string, text: string, line: Line): void {
  const value = countIn(text)
  if (value !== undefined) facts.counts.push({ port, priority, name, value, bits: COUNTER_BITS, line })
  else if (text !== 'N/A') facts.remainder.push(line)
}

function readLossless(facts: Facts, { rows }: ShownTable): void {
  for (const { line, cells } of rows) {
    const [port = '', list = ''] = cells
    const classes = list === '' ? [] : numbersIn(list, CLASS_COUNT - 1)
    if (port === 'global' || list === 'N/A') continue
    const { settings } = facts.port(port)
    if (classes === undefined) {
      settings.forget('pfcClasses')
      facts.remainder.push(line)
    } else {
      settings.put('pfcClasses', classes, line, 'operational')
      settings.put('pfcWritten', classes, line)
    }
  }
}

function readAsymmetric(facts: Facts, { rows }: ShownTable): void {
  for (const { line, cells } of rows)
    if (cells[1] === 'on' || cells[1] === 'off')
      facts.port(cells[0]!).settings.put('isPfcAsymmetric', cells[1] === 'on', line, 'operational')
}

/** Hosts announce a MAC address as their port, and its name in the description. */
function readNeighbours(facts: Facts, { headers, rows }: ShownTable): void {
  const described = headers.indexOf('RemotePortDescr')
  for (const { line, cells } of rows) {
    const [port = '', peerDevice = '', id = ''] = cells
    const isAddress = /^[\da-f]{2}(?:[:-][\da-f]{2}){5}$/i.test(id)
    const peerPort = isAddress ? ((cells[described] ?? '').split(' ').at(-1) ?? '') : id
    if (port.startsWith('Ethernet') && peerDevice !== '')
      facts.neighbours.push({ port, peerDevice, peerPort, source: 'lldp', line })
  }
}
