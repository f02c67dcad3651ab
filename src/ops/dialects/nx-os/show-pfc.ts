/**
 * NX-OS show interface priority-flow-control: what PFC does at each port, and its frames of all priorities.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide; the bitmap is hexadecimal: 8 is priority 3.
 */
import { ALL_PRIORITIES, CLASS_COUNT } from '../../model/index.ts'
import { isPort, longName } from '../cli/interfaces.ts'
import { rowsOf } from '../cli/rows.ts'
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
    for (const { line, words } of rowsOf(part, facts)) {
      const name = longName(words[0]!, ETHERNET)
      if (!isPort(name, ETHERNET)) continue
      const [mode = '', oper = ''] = words.slice(1)
      const [, state, attached] = /^(on|off)(?:\((\w+)\))?$/i.exec(oper) ?? []
      const bitmap = attached ?? /^\(([\da-f]{1,8})\)$/i.exec(words[3] ?? '')?.[1]
      const [taken, sent] = words.slice(-2).map((word) => countIn(word))
      if (!/^(?:auto|on|off)$/i.test(mode) || state === undefined || taken === undefined || sent === undefined) {
        facts.remainder.push(line)
        continue
      }
      const { settings } = facts.port(name)
      settings.put('pfcMode', mode.toLowerCase(), line, 'operational')
      const isOn = state.toLowerCase() === 'on'
      const mask = Number.parseInt(bitmap ?? '', 16)
      if (!isOn) settings.put('pfcClasses', [], line, 'operational')
      else if (Number.isNaN(mask)) settings.forget('pfcClasses')
      else settings.put('pfcClasses', bitsIn(mask, CLASS_COUNT), line, 'operational')
      for (const [counter, value] of [
        ['pfcRxFrames', taken],
        ['pfcTxFrames', sent],
      ] as const)
        facts.counts.push({ port: name, priority: ALL_PRIORITIES, name: counter, value, bits: 64, line })
    }
  },
}
