/**
 * Tables of SONiC's commands. One text may hold several; a reader of any of them reads them all.
 * Source: sonic-utilities (pfcstat, watermarkstat, pg-drop, queuestat, wredstat, portstat, pfc, pfcwd, lldpshow).
 */
import { ALL_PRIORITIES, CLASS_COUNT, type ClassConfig, PS_PER_MS } from '../../../../core/device-model/index.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts, Recorder } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { countIn, numbersIn } from '../words.ts'
import { type ShownTable, tablesIn } from './columns.ts'
import { COUNTER_COLUMNS, PRIORITY_COLUMNS } from './counter-names.ts'
import { SOME_RULE } from './device.ts'

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
    if (table.cut !== null) facts.cut(table.cut, `${table.headers.length} columns`)
  }
  for (const line of others)
    if (!isWatchdogLine(facts, line) && !AROUND.test(line.text.trim())) facts.remainder.push(line)
  const has = (first: string): boolean => tables.some(({ headers }) => headers[0] === first)
  if (has('Port Rx') && !has('Port Tx')) facts.cut(lines.at(-1)!, 'the table of Port Tx')
  if (tables.length === 0) facts.cut(lines.at(-1)!, 'a table')
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
  if (text !== 'N/A') facts.count(port, priority, name, countIn(text), line)
}

function readLossless(facts: Facts, { rows }: ShownTable): void {
  for (const { line, cells } of rows) {
    const [port = '', list = ''] = cells
    const classes = list === '' ? [] : numbersIn(list, CLASS_COUNT - 1)
    if (port === 'global' || list === 'N/A') continue
    const { settings } = facts.port(port)
    settings.note('pfcClasses', classes, line, 'operational')
    if (classes === undefined) facts.remainder.push(line)
    else settings.put('pfcWritten', classes, line)
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
    if (port.startsWith('Ethernet') && peerDevice !== '') facts.neighbour(port, peerDevice, peerPort, line)
  }
}

/** State of the watchdog at a queue; only queues that are watched have one. */
export function putWatched(into: Recorder<ClassConfig>, state: string, line: Line): void {
  if (!/^(?:operational|stormed)$/.test(state)) return
  into.put('isWatched', true, line, 'operational')
  into.put('isStormed', state === 'stormed', line, 'operational')
}

/** Rows of queues that are "Ethernet4:3"; their column of storms is "DETECTED/RESTORED". */
function readWatchdogTable(facts: Facts, { headers, rows }: ShownTable): void {
  const storms = headers.findIndex((header) => header.startsWith('STORM DETECTED'))
  for (const { line, cells } of rows) {
    const [, port, queue] = /^([^:]+):(\d+)$/.exec(cells[0]!) ?? []
    const [detected = '', restored = ''] = (cells[storms] ?? '').split('/')
    const priority = Number(queue)
    if (port === undefined || !(priority < CLASS_COUNT)) continue
    putWatched(facts.port(port).class(priority), cells[1]!, line)
    for (const [name, text] of [
      ['wdStorms', detected],
      ['wdRestores', restored],
    ] as const) {
      const value = countIn(text)
      if (value !== undefined) facts.count(port, priority, name, value, line)
    }
  }
}

/** Settings that all ports have are the switch's; others belong to each port. */
function readWatchdogSettings(facts: Facts, { headers, rows }: ShownTable): void {
  const [first] = rows
  if (first === undefined) return
  facts.watchdog.put('kind', SOME_RULE, first.line, 'operational')
  for (const [header, field] of [
    ['ACTION', 'action'],
    ['DETECTION TIME', 'detectionPs'],
    ['RESTORATION TIME', 'restorationPs'],
  ] as const) {
    const column = headers.indexOf(header)
    const texts = rows.map(({ cells }) => cells[column] ?? '')
    if (texts.some((text) => text !== texts[0])) {
      facts.watchdog.forget(field)
      const name = `PFC_WD.${header.toLowerCase().replace(' ', '_')}`
      for (const { line, cells } of rows) facts.port(cells[0]!).other(name, cells[column] ?? '', line)
      continue
    }
    const ms = countIn(texts[0]!)
    if (field === 'action') facts.watchdog.put(field, texts[0]!, first.line, 'operational')
    else if (ms !== undefined) facts.watchdog.put(field, ms * PS_PER_MS, first.line, 'operational')
    else if (field === 'restorationPs' && texts[0] === 'infinite')
      facts.watchdog.put(field, 'never', first.line, 'operational')
  }
}

/** Lines above the tables. @returns whether the line is one of them */
function isWatchdogLine(facts: Facts, line: Line): boolean {
  const [, poll] = /^Changed polling interval to (\d+)ms/.exec(line.text) ?? []
  const [, state] = /^BIG_RED_SWITCH status is (\w+)/.exec(line.text) ?? []
  if (poll !== undefined) facts.watchdog.put('pollPs', Number(poll) * PS_PER_MS, line, 'operational')
  if (state === 'enable') facts.watchdog.put('kind', 'off', line, 'operational')
  return poll !== undefined || state !== undefined
}
