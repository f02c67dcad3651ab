/**
 * mlxconfig -d DEV query, and mstconfig: settings of the firmware of an NVIDIA NIC. A query shows them as they are at the
 * next boot, one with -e as they are now, too.
 * Sources: NVIDIA Firmware Tools, user manual; outputs of ConnectX-6 Dx and ConnectX-7 that people have published.
 */
import type { Dialect } from '../../dialect.ts'
import type { Facts } from '../../facts.ts'
import type { Line } from '../../text.ts'
import { optionOf } from '../host-words.ts'
import { portNamed } from './pci-names.ts'

const FIELD = /^[\s*]*(?:RO\s+)?([A-Z][A-Z0-9_]{2,60})\s+(\S.*)$/
const COLUMNS = /^\s*Configurations:\s+(\S.*)$/
/** An algorithm of the user's own takes the place of DCQCN. */
const PROGRAMMABLE = 'USER_PROGRAMMABLE_CC'
/** DCQCN and nothing else. */
const LEGACY = 'ROCE_CC_LEGACY_DCQCN'

interface Block {
  device: string
  /** Column of the values that are in force; otherwise the last one, which is of the next boot. */
  current: number
  readonly fields: Map<string, { readonly isOn: boolean; readonly line: Line }>
}

const newBlock = (device: string): Block => ({ device, current: -1, fields: new Map() })

function blocksOf(lines: readonly Line[], device: string): Block[] {
  const blocks: Block[] = [newBlock(device)]
  for (const line of lines) {
    const own = blocks.at(-1)!
    const [, named] = /^(?:PCI )?[Dd]evice:\s+(\S+)\s*$/.exec(line.text) ?? []
    const [, columns] = COLUMNS.exec(line.text) ?? []
    const [, name = '', values = ''] = FIELD.exec(line.text) ?? []
    if (/^Device #\d+:/.test(line.text)) blocks.push(newBlock(''))
    else if (named !== undefined) own.device = named
    else if (columns !== undefined) own.current = columns.split(/\s{2,}/).findIndex((one) => one.trim() === 'Current')
    else if (name === PROGRAMMABLE || name === LEGACY) {
      const words = values.trim().split(/\s+/)
      const [, bit] = /\(([01])\)$/.exec(words.at(own.current) ?? '') ?? []
      if (bit !== undefined) own.fields.set(name, { isOn: bit === '1', line })
    }
  }
  return blocks.filter(({ fields }) => fields.size > 0)
}

function put({ current, fields }: Block, name: string, facts: Facts): void {
  const [own, legacy] = [fields.get(PROGRAMMABLE), fields.get(LEGACY)]
  const known = current < 0 ? 'set' : 'operational'
  const { nic } = facts.port(name)
  if (own?.isOn === true) nic.put('hasOtherControl', true, own.line, known)
  else if (legacy?.isOn === true) nic.put('hasOtherControl', false, legacy.line, known)
}

export const mlxconfig: Dialect = {
  name: 'mlxconfig',
  title: 'mlxconfig -d DEV query',
  command: 'mlxconfig -d DEV query',
  leavesOut: [
    'the algorithm of the firmware itself where neither the user nor DCQCN has it',
    'ROCE_ADAPTIVE_ROUTING_EN and RDMA_SELECTIVE_REPEAT_EN, which allow a thing and do not tell whether it is done',
    'parameters of DCQCN',
  ],
  recognises: ({ text }) =>
    /^(?:Device #\d+:|Device type:)/m.test(text)
      ? /^[ \t]*Configurations:/m.test(text)
      : new RegExp(`^[ \\t*]*(?:${PROGRAMMABLE}|${LEGACY})[ \\t]+\\w+\\([01]\\)`, 'm').test(text),
  read({ lines, command }, facts) {
    facts.kind = 'host'
    const blocks = blocksOf(lines, optionOf(command, 'd', 'dev'))
    for (const block of blocks) {
      const name = portNamed(block.device)
      // Devices of the MST driver have numbers of their own: of several nobody knows which is which.
      if (name !== '' || blocks.length === 1) put(block, name, facts)
      else facts.remainder.push([...block.fields.values()][0]!.line)
    }
  },
}
