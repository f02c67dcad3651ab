/**
 * mlxreg -d DEV --reg_name ROCE_ACCL --get, and mstreg: what the firmware of an NVIDIA NIC does for RoCE at the moment. With
 * adaptive routing or selective repeat a NIC takes in packets that come out of order.
 * Sources: NVIDIA, Adaptive Retransmission: Parameters Control (sample usage); outputs of ConnectX-7 that people have
 * published.
 */
import type { Dialect } from '../../dialect.ts'
import type { Line } from '../../text.ts'
import { optionOf } from '../host-words.ts'
import { portNamed } from './pci-names.ts'

/** Either of them makes a NIC take packets out of order. */
const TOLERANT: readonly string[] = ['adaptive_routing_forced_en', 'selective_repeat_forced_en']

const FIELD = /^\s*([a-z]\w{0,60})\s*\|\s*0x([0-9a-f]{1,8})\b/i

export const mlxreg: Dialect = {
  name: 'mlxreg',
  title: 'mlxreg -d DEV --reg_name ROCE_ACCL --get',
  command: 'mlxreg -d DEV --reg_name ROCE_ACCL --get',
  leavesOut: [
    'retransmission, window and slow restart',
    'queue pairs that take packets out of order because their application asks for it',
    'other registers',
  ],
  recognises: ({ text }) => /^[ \t]*(?:roce_adp_retrans_en|adaptive_routing_forced_en)[ \t]*\|/m.test(text),
  read({ lines, command, endsInLine }, facts) {
    facts.kind = 'host'
    const { nic } = facts.port(portNamed(optionOf(command, 'd', 'device')))
    const isTable = lines.some(({ text }) => /^\s*Field Name\s*\|/.test(text))
    const rules = lines.filter(({ text }) => /^\s*={10,}\s*$/.test(text)).length
    const isWhole = isTable && rules >= 2
    if ((isTable && !isWhole) || endsInLine === true)
      facts.truncated = { line: lines.at(-1)!, expected: 'a rule below the last field' }
    const found = new Map<string, { readonly isOn: boolean; readonly line: Line }>()
    for (const line of lines) {
      const [, name = '', digits = ''] = FIELD.exec(line.text) ?? []
      if (TOLERANT.includes(name)) found.set(name, { isOn: Number.parseInt(digits, 16) !== 0, line })
    }
    const on = [...found.values()].find(({ isOn }) => isOn)
    // A whole register without a field is one of a NIC that cannot do it.
    const off = isWhole || found.size === TOLERANT.length ? ([...found.values()][0]?.line ?? lines[0]) : undefined
    if (on !== undefined) nic.put('toleratesReordering', true, on.line, 'operational')
    else if (off !== undefined) nic.put('toleratesReordering', false, off, 'operational')
  },
}
