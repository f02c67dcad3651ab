/**
 * nv show interface IF qos roce status: PFC, ECN, classes and pools of RoCE as they are in force at a port.
 * Source: NVIDIA Cumulus Linux User Guide, "RDMA over Converged Ethernet"; its sizes are in units of 1024.
 */
import { CLASS_COUNT } from '../../../../core/device-model/index.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts, PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { numbersIn } from '../words.ts'
import { type Row, stateOf, type Table, tablesOf, valuesOf } from './columns.ts'
import { isOn, sizeOf } from './names.ts'
import { THRESHOLDS } from './preset.ts'

const TRUSTS: Readonly<Record<string, string>> = {
  'pcp,dscp': 'both',
  both: 'both',
  dscp: 'dscp',
  l3: 'dscp',
  pcp: 'pcp',
  l2: 'pcp',
  port: 'none',
}

type Values = ReturnType<typeof valuesOf>

export const nvueRoceStatus: Dialect = {
  name: 'nvue-roce-status',
  language: 'nvue',
  title: 'nv show interface IF qos roce status',
  command: 'nv show interface IF qos roce status',
  leavesOut: ['DCBX application of RoCE', 'use of the pools', 'mode of the pools'],
  recognises: ({ text }) =>
    /^RoCE Pool Status|^ {2}pfc-priority .*switch-prio|^ {2}congestion-mode .*Congestion config/m.test(text),
  read({ lines, command }, facts) {
    facts.kind = 'switch'
    const port = facts.port(/interface\s+(\S+)/.exec(command)?.[1] ?? '')
    const tables = tablesOf(lines)
    const state = stateOf(tables)
    const values: Values = state === undefined ? new Map() : valuesOf(state)
    const named = (title: string): Table | undefined => tables.find((table) => table.title.startsWith(title))
    notePfc(port, values)
    noteMap(port, named('RoCE PCP/DSCP->SP'))
    noteClasses(port, named('RoCE SP->TC'), values)
    const pools = named('RoCE Pool Status')
    notePools(facts, pools)
    if (pools === undefined || pools.rows.length < 2) facts.cut(lines.at(-1)!, 'RoCE Pool Status')
  },
}

function notePfc({ settings }: PortFacts, values: Values): void {
  const trust = values.get('trust/trust-mode')
  if (trust !== undefined && Object.hasOwn(TRUSTS, trust.value))
    settings.put('trust', TRUSTS[trust.value]!, trust.row.line, 'operational')
  const priorities = values.get('pfc/pfc-priority')
  const [takes, sends] = ['rx', 'tx'].map((word) => isOn(values.get(`pfc/${word}-enabled`)?.value ?? ''))
  if (takes === undefined || sends === undefined) return
  const { line } = (priorities ?? values.get('pfc/rx-enabled')!).row
  const lossless = /^\d/.test(priorities?.value ?? '') ? numbersIn(priorities!.value, CLASS_COUNT - 1) : []
  if (lossless === undefined || (takes !== sends && lossless.length > 0)) settings.forget('pfcClasses')
  else settings.put('pfcClasses', takes && sends ? lossless : [], line, 'operational')
  settings.put('isPfcAsymmetric', takes !== sends, line, 'operational')
  settings.put('pfcMode', takes || sends ? 'on' : 'off', line, 'operational')
}

const cell = (table: Table, row: Row, title: string): string => row.cells[table.columns.indexOf(title)] ?? ''

function noteMap(port: PortFacts, table: Table | undefined): void {
  for (const row of table?.rows ?? []) {
    const [priority] = numbersIn(cell(table!, row, 'switch-prio'), CLASS_COUNT - 1) ?? []
    for (const dscp of numbersIn(cell(table!, row, 'dscp'), 63) ?? [])
      if (priority !== undefined) port.dscp(dscp, priority, row.line, 'operational')
  }
}

function noteClasses(port: PortFacts, table: Table | undefined, values: Values): void {
  const enabled = values.get('congestion-control/enabled-tc')
  const mode = values.get('congestion-control/congestion-mode')?.value ?? ''
  const marked = enabled === undefined || !/ecn/i.test(mode) ? undefined : numbersIn(enabled.value, CLASS_COUNT - 1)
  for (const row of table?.rows ?? []) {
    const queue = numbersIn(cell(table!, row, 'traffic-class'), CLASS_COUNT - 1)?.[0]
    const weight = cell(table!, row, 'scheduler-weight')
    for (const priority of numbersIn(cell(table!, row, 'switch-prio'), CLASS_COUNT - 1) ?? []) {
      const own = port.class(priority)
      if (/^strict/i.test(weight)) own.put('schedule', 'strict', row.line, 'operational')
      const share = /^dwrr-(\d{1,3})%$/i.exec(weight)?.[1]
      if (share !== undefined) own.put('schedule', Number(share), row.line, 'operational')
      if (queue === undefined) continue
      own.put('queue', queue, row.line, 'operational')
      if (marked !== undefined) noteMarks(port, priority, marked.includes(queue), enabled!.row.line, values)
    }
  }
}

function noteMarks(port: PortFacts, priority: number, isMarked: boolean, line: Line, values: Values): void {
  const own = port.class(priority)
  own.put('marks', isMarked, line, 'operational')
  if (!isMarked) return
  for (const [word, field] of [
    ['min-threshold', 'kminBytes'],
    ['max-threshold', 'kmaxBytes'],
  ] as const) {
    const value = values.get(`congestion-control/${word}`)
    if (value !== undefined) own.note(field, sizeOf(value.value, THRESHOLDS), value.row.line, 'operational')
  }
  const probability = values.get('congestion-control/probability')
  if (probability !== undefined && /^\d{1,3}$/.test(probability.value))
    own.put('pmaxRatio', Number(probability.value) / 100, probability.row.line, 'operational')
}

/** A pool without traffic classes is one of ingress. */
function notePools(facts: Facts, table: Table | undefined): void {
  for (const [index, row] of (table?.rows ?? []).entries()) {
    const pool = facts.pool(index)
    const name = cell(table!, row, 'name')
    if (name !== '') pool.put('poolName', name, row.line, 'operational')
    const classes = cell(table!, row, 'traffic-class')
    if (classes !== '') pool.put('side', classes === '-' ? 'ingress' : 'egress', row.line, 'operational')
    const size = sizeOf(cell(table!, row, 'size'))
    if (size !== undefined) pool.put('sizeBytes', size, row.line, 'operational')
  }
}
