/**
 * EOS show priority-flow-control, and its counters. Older releases have "Enabled" and "Active" columns, newer ones letters
 * under "Status". Widths of columns differ.
 * Source: Arista EOS User Manual, "DCBX and Flow Control".
 */
import { ALL_PRIORITIES, CLASS_COUNT } from '../../../../core/device-model/index.ts'
import { isPort, longName } from '../cli/interfaces.ts'
import { rowsOf } from '../cli/rows.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { countIn, numbersIn } from '../words.ts'
import { ETHERNET } from './running-config.ts'

const HAS_STATES = /^[ \t]*Port[ \t]+(?:Enabled|Status)[ \t]+Priorities\b/m
const HAS_COUNTERS = /^[ \t]*Port[ \t]+RxPfc[ \t]+TxPfc\b/m

/** PFC at a port. */
interface State {
  readonly isOn: boolean
  readonly isActive: boolean
  readonly written: readonly number[]
}

/** State in "Yes 3 Yes DCBX disabled" or "E A W 3 drop"; undefined: neither. */
function stateOf(words: readonly string[]): State | undefined {
  const listEnd = (from: number): number => {
    let end = from
    while (/^[\d,-]+$/.test(words[end] ?? '')) end++
    return end
  }
  const listOf = (from: number, to: number): number[] | undefined =>
    from === to ? [] : numbersIn(words.slice(from, to).join(',').replaceAll(/,+/g, ','), CLASS_COUNT - 1)
  const isYes = (word: string | undefined): boolean => word === 'Yes'
  if (/^(?:Yes|No)$/.test(words[0] ?? '')) {
    const end = listEnd(1)
    const written = listOf(1, end)
    if (written === undefined || !/^(?:Yes|No)$/.test(words[end] ?? '')) return undefined
    return { isOn: isYes(words[0]), isActive: isYes(words[end]), written }
  }
  const letters = words.findIndex((word) => !/^[EDAW]$/.test(word))
  const status = words.slice(0, Math.max(letters, 0))
  const written = listOf(status.length, listEnd(status.length))
  if (status.length === 0 || written === undefined) return undefined
  return { isOn: status.includes('E'), isActive: status.includes('A'), written }
}

function putState(port: string, { isOn, isActive, written }: State, line: Line, facts: Facts): void {
  const { settings } = facts.port(port)
  settings.put('pfcMode', isOn ? 'on' : 'off', line, 'operational')
  settings.put('pfcWritten', written, line, 'operational')
  settings.put('pfcClasses', isActive ? written : [], line, 'operational')
}

/** Both tables, as one text may have both. */
function read(part: Part, facts: Facts): void {
  facts.kind = 'switch'
  let table: 'states' | 'counters' | undefined
  for (const { line, words } of rowsOf(part, facts)) {
    if (words[0] === 'Port') {
      table = HAS_STATES.test(line.text) ? 'states' : HAS_COUNTERS.test(line.text) ? 'counters' : undefined
      continue
    }
    const port = longName(words[0]!, ETHERNET)
    if (table === undefined || !isPort(port, ETHERNET)) continue
    if (table === 'states') {
      const state = stateOf(words.slice(1))
      if (state === undefined) facts.remainder.push(line)
      else putState(port, state, line, facts)
      continue
    }
    const [taken, sent] = words.slice(1).map((word) => countIn(word))
    if (taken === undefined || sent === undefined) facts.remainder.push(line)
    else {
      facts.count(port, ALL_PRIORITIES, 'pfcRxFrames', taken, line)
      facts.count(port, ALL_PRIORITIES, 'pfcTxFrames', sent, line)
    }
  }
}

export const eosPfc: Dialect = {
  name: 'eos-pfc',
  language: 'eos',
  title: 'EOS show priority-flow-control',
  command: 'show priority-flow-control',
  leavesOut: ['notes', 'times of the watchdog'],
  recognises: ({ text }) => HAS_STATES.test(text),
  read,
}

export const eosPfcCounters: Dialect = {
  name: 'eos-pfc-counters',
  language: 'eos',
  title: 'EOS show priority-flow-control counters',
  command: 'show priority-flow-control counters',
  leavesOut: ['counters of single priorities ("counters detail")'],
  recognises: ({ text }) => HAS_COUNTERS.test(text),
  read,
}
