/**
 * Firmware of NVIDIA NICs. mlxconfig -d DEV query, and mstconfig: its settings, as they are at the next boot, with -e as they
 * are now, too. mlxreg -d DEV --reg_name ROCE_ACCL --get, and mstreg: what it does for RoCE at the moment; with adaptive
 * routing or selective repeat a NIC takes in packets that come out of order.
 * Sources: NVIDIA Firmware Tools, user manual (mst, mlxconfig, mlxreg); NVIDIA, Adaptive Retransmission: Parameters Control
 * (sample usage); outputs of ConnectX-6 Dx and ConnectX-7 that people have published.
 */
import type { Dialect } from '../../dialect.ts'
import type { Facts } from '../../facts.ts'
import type { Line } from '../../text.ts'
import { optionOf } from '../host-words.ts'

/**
 * Name under which facts keep a port, "pci:0000:3d:00.1" or "rdma:mlx5_0", by what tools of firmware call a NIC: a PCI address
 * with or without its domain, or an RDMA device. '': a device of the MST driver, which does not tell.
 */
function portNamed(device: string): string {
  const [, domain = '0000:', address] = /^([0-9a-f]{4}:)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/i.exec(device) ?? []
  if (address !== undefined) return `pci:${domain}${address}`.toLowerCase()
  return /^mlx\d+_\d+$/.test(device) ? `rdma:${device}` : ''
}

/** Whether something is on, and the line that says so. */
interface Flag {
  readonly isOn: boolean
  readonly line: Line
}

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
  readonly fields: Map<string, Flag>
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

/** Either of them makes a NIC take packets out of order. */
const TOLERANT: readonly string[] = ['adaptive_routing_forced_en', 'selective_repeat_forced_en']

const REGISTER_FIELD = /^\s*([a-z]\w{0,60})\s*\|\s*0x([0-9a-f]{1,8})\b/i

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
    if ((isTable && !isWhole) || endsInLine === true) facts.cut(lines.at(-1)!, 'a rule below the last field')
    const found = new Map<string, Flag>()
    for (const line of lines) {
      const [, name = '', digits = ''] = REGISTER_FIELD.exec(line.text) ?? []
      if (TOLERANT.includes(name)) found.set(name, { isOn: Number.parseInt(digits, 16) !== 0, line })
    }
    const on = [...found.values()].find(({ isOn }) => isOn)
    // A whole register without a field is one of a NIC that cannot do it.
    const off = isWhole || found.size === TOLERANT.length ? ([...found.values()][0]?.line ?? lines[0]) : undefined
    if (on !== undefined) nic.put('toleratesReordering', true, on.line, 'operational')
    else if (off !== undefined) nic.put('toleratesReordering', false, off, 'operational')
  },
}
