/**
 * NX-OS show interface priority-flow-control: what PFC does at each port, and its frames of all priorities.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide; the bitmap is hexadecimal: 8 is priority 3.
 */
import { ALL_PRIORITIES, CLASS_COUNT } from '../../../../core/device-model/index.ts'
import { isPort, longName } from '../cli/interfaces.ts'
import { portRowsOf, rowsOf } from '../cli/rows.ts'
import type { Dialect } from '../dialect.ts'
import { bitsIn, countIn } from '../words.ts'
import { ETHERNET } from './running-config.ts'

export const nxosPfc: Dialect = {
  name: 'nx-os-pfc',
  language: 'nx-os',
  title: 'NX-OS show interface priority-flow-control',
  command: 'show interface priority-flow-control',
  leavesOut: ['virtual ports and ports of fabric extenders'],
  recognises: ({ text }) => /^[ \t]*Port[ \t]+Mode[ \t]+Oper[ \t]*\(VL bmap\)/m.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    for (const { line, words, port } of portRowsOf(part, facts, ETHERNET)) {
      const [mode = '', oper = ''] = words.slice(1)
      const [, state, attached] = /^(on|off)(?:\((\w+)\))?$/i.exec(oper) ?? []
      const bitmap = attached ?? /^\(([\da-f]{1,8})\)$/i.exec(words[3] ?? '')?.[1]
      const [taken, sent] = words.slice(-2).map((word) => countIn(word))
      if (!/^(?:auto|on|off)$/i.test(mode) || state === undefined || taken === undefined || sent === undefined) {
        facts.remainder.push(line)
        continue
      }
      const { settings } = facts.port(port)
      settings.put('pfcMode', mode.toLowerCase(), line, 'operational')
      const isOn = state.toLowerCase() === 'on'
      const classes = bitmap === undefined ? undefined : bitsIn(Number.parseInt(bitmap, 16), CLASS_COUNT)
      settings.note('pfcClasses', isOn ? classes : [], line, 'operational')
      facts.count(port, ALL_PRIORITIES, 'pfcRxFrames', taken, line)
      facts.count(port, ALL_PRIORITIES, 'pfcTxFrames', sent, line)
    }
  },
}

/** A row of a port, and the counters and settings that it gives: first of frames taken, then of those sent. */
const DETAIL =
  /^(?:(Admin|Oper) Mode: (auto|on|off)\b|VL bitmap: \(([\da-f]{1,8})\)|Total (Rx|Tx) PFC Frames: ([\d,]+)|([RT]x) ?\|(.+))/i

export const nxosPfcDetail: Dialect = {
  name: 'nx-os-pfc-detail',
  language: 'nx-os',
  title: 'NX-OS show interface priority-flow-control detail',
  command: 'show interface priority-flow-control detail',
  leavesOut: ['virtual ports and ports of fabric extenders'],
  recognises: ({ text }) => /^[ \t]*Oper Mode: (?:On|Off)\b/im.test(text) && /^[ \t]*VL bitmap: \(/m.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    let port = ''
    let [isOn, isWhole] = [false, true]
    for (const { line, words } of rowsOf(part, facts)) {
      const text = words.join(' ')
      const name = words.length === 1 || words[1] === ':' ? longName(words[0]!.replace(/:$/, ''), ETHERNET) : ''
      if (/^[A-Z][A-Za-z-]*\d/.test(name)) {
        port = isPort(name, ETHERNET) ? name : ''
        isWhole &&= port === ''
        isOn = false
        continue
      }
      const [, which, mode, mask, total, frames, side, cells] = DETAIL.exec(text) ?? []
      if (port === '') continue
      const { settings } = facts.port(port)
      const count = (direction: string, priority: number, digits: string): void => {
        const counter = /^rx$/i.test(direction) ? 'pfcRxFrames' : 'pfcTxFrames'
        facts.count(port, priority, counter, countIn(digits.trim()), line)
      }
      if (which === 'Admin') settings.put('pfcMode', mode!.toLowerCase(), line, 'operational')
      else if (mode !== undefined) {
        isOn = /^on$/i.test(mode)
        if (!isOn) settings.put('pfcClasses', [], line, 'operational')
      } else if (mask !== undefined && isOn)
        settings.put('pfcClasses', bitsIn(Number.parseInt(mask, 16), CLASS_COUNT), line, 'operational')
      else if (total !== undefined) count(total, ALL_PRIORITIES, frames!)
      else if (side !== undefined) {
        const columns = cells!.split('|').slice(0, CLASS_COUNT)
        for (const [priority, cell] of columns.entries()) count(side, priority, cell)
        isWhole ||= /^tx$/i.test(side) && columns.length === CLASS_COUNT
      }
    }
    if (!isWhole) facts.cut(part.lines.at(-1)!, 'the row of frames that were sent')
  },
}
