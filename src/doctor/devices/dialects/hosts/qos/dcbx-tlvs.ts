/**
 * lldptool -t [-n] -i IF [-V TLV], and niccli ... qos: TLVs of DCBX (IEEE 802.1Qaz). The same lines mean the port itself or,
 * with -n, its neighbour: without the command nobody can know which, unless niccli printed them.
 * "PFC enabled: 0" means that priority 0 has PFC; no priority is "none".
 * Sources: open-lldp, lldp_8021qaz_clif.c; outputs of niccli in the tests of amd/node-scraper.
 */
import { CLASS_COUNT, DSCP_COUNT } from '../../../../../core/device-model/index.ts'
import type { Dialect } from '../../dialect.ts'
import type { Facts, PortFacts } from '../../facts.ts'
import type { Line, Part } from '../../text.ts'
import { numbersIn } from '../../words.ts'
import { keyAndValue, optionOf, putSchedules, wholeIn } from '../host-words.ts'

/** By the standard, the number is a DSCP. */
const DSCP_SELECTOR = '5'

type Side = 'own' | 'peer' | 'unknown'

const hasNiccliEnd = (text: string): boolean => /^[ \t]*TC Rate Limit\s*:/m.test(text)

/** niccli prints colons behind the names of TLVs. */
const isNiccli = ({ command, text }: Part): boolean =>
  !/\blldptool\b/.test(command) &&
  (/\bniccli\b/.test(command) || hasNiccliEnd(text) || /^[ \t]*IEEE 8021QAZ \w+(?: \w+)? TLV:/m.test(text))

function sideOf(part: Part): Side {
  if (isNiccli(part)) return 'own'
  if (!/\blldptool\b/.test(part.command)) return 'unknown'
  return part.command.split(/\s+/).some((one) => /^-[A-Za-z]*n[A-Za-z]*$|^--neighbor$/.test(one)) ? 'peer' : 'own'
}

/** "0:ets 1:strict", by the number; what is not of this form is left out. */
function pairsIn(text: string): string[] {
  const values: string[] = []
  for (const [, index, value] of text.matchAll(/(?:^|\s)([0-7]):(\S+)/g)) values[Number(index)] = value!
  return values
}

/** "3 4" or "none"; undefined: neither. */
const prioritiesIn = (text: string): number[] | undefined =>
  text === 'none' ? [] : numbersIn(text.split(/[\s,]+/).join(','), CLASS_COUNT - 1)

/** A TLV's own lines. */
interface Tlv {
  readonly name: string
  readonly head: Line
  readonly lines: Line[]
}

/** Lines of a key and a value, the last of each key. */
function fieldsOf({ lines }: Tlv): Map<string, { value: string; line: Line }> {
  const fields = new Map<string, { value: string; line: Line }>()
  for (const line of lines) {
    const [key, value] = keyAndValue(line.text) ?? []
    if (key !== undefined && value !== undefined) fields.set(key, { value, line })
  }
  return fields
}

function readEts(tlv: Tlv, port: PortFacts): void {
  const fields = fieldsOf(tlv)
  const map = fields.get('PRIO_MAP')
  if (map === undefined) return
  const ofPriority = Array.from(pairsIn(map.value), (one) => wholeIn(one ?? '', CLASS_COUNT - 1))
  const weight = (fields.get('TC Bandwidth')?.value ?? '').split(/\s+/).map((one) => wholeIn(one.replace('%', ''), 100))
  putSchedules(port, { ofPriority, kind: pairsIn(fields.get('TSA_MAP')?.value ?? ''), weight }, map.line, 'operational')
}

/** False: the TLV ends before its line of priorities. */
function readPfc(tlv: Tlv, port: PortFacts, side: Side, facts: Facts): boolean {
  const fields = fieldsOf(tlv)
  const willing = fields.get('Willing')
  const enabled = fields.get('PFC enabled')
  if (side === 'own') port.nic.take('isWilling', willing, ({ value }) => value === 'yes', 'operational')
  if (enabled === undefined) return false
  const priorities = prioritiesIn(enabled.value)
  if (priorities === undefined || side === 'unknown') facts.remainder.push(enabled.line)
  if (side === 'unknown') return true
  port.settings.note(side === 'own' ? 'pfcClasses' : 'peerPfcClasses', priorities, enabled.line, 'operational')
  return true
}

/** Entries of "Priority: 3", "Sel: 5", "DSCP: 26", in this order. */
function readApp({ lines }: Tlv, port: PortFacts, facts: Facts): void {
  let priority: number | undefined
  let selector = ''
  for (const line of lines) {
    const [key = '', value = ''] = keyAndValue(line.text) ?? []
    if (key === 'Priority') priority = wholeIn(value, CLASS_COUNT - 1)
    else if (key === 'Sel') selector = value
    else if (selector === DSCP_SELECTOR && !/^app#/i.test(key) && value !== '') {
      const dscp = wholeIn(value, DSCP_COUNT - 1)
      if (dscp === undefined || priority === undefined) facts.remainder.push(line)
      else {
        port.dscp(dscp, priority, line, 'operational')
        port.settings.put('trust', 'dscp', line, 'operational')
      }
      selector = ''
    }
  }
}

function tlvsOf(lines: readonly Line[]): Tlv[] {
  const tlvs: Tlv[] = []
  for (const line of lines) {
    const [, name] = /^\s*(\S[\w .#/-]{0,80}?) (?:TLV|LTV):?\s*$/.exec(line.text) ?? []
    if (name !== undefined) tlvs.push({ name, head: line, lines: [] })
    else tlvs.at(-1)?.lines.push(line)
  }
  return tlvs
}

/** Neighbour that sent the TLVs. */
function readNeighbour(tlvs: readonly Tlv[], port: string, facts: Facts): void {
  const textOf = (name: string): string => tlvs.find((tlv) => tlv.name === name)?.lines[0]?.text.trim() ?? ''
  const system = tlvs.find((tlv) => tlv.name === 'System Name')
  if (system === undefined || textOf('System Name') === '') return
  const [kind, identifier] = keyAndValue(textOf('Port ID')) ?? ['', textOf('Port ID')]
  const peerPort = /^(?:Ifname|Local|Interface)/i.test(kind) ? identifier : textOf('Port Description')
  facts.neighbour(port, textOf('System Name'), peerPort, system.head)
}

const isDcbx = ({ text }: Part): boolean => /^[ \t]*IEEE 8021QAZ \w+(?: \w+)? TLV/m.test(text)
const LEAVES_OUT = [
  'DCBX before IEEE (CEE)',
  'recommended ETS',
  'priorities of ports and Ethertypes',
  'rate limits',
  'numbers of NICs in commands',
]

/** The NIC of niccli -dev ADDRESS; its number says nothing. */
function addressIn(command: string): string {
  const address = optionOf(command, 'dev', 'dev')
  return /^[\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.\d$/i.test(address) ? `pci:${address}` : ''
}

function read(part: Part, facts: Facts): void {
  facts.kind = 'host'
  const side = sideOf(part)
  const name = /\blldptool\b/.test(part.command) ? optionOf(part.command, 'i', 'ifname') : addressIn(part.command)
  const port = facts.port(name)
  const tlvs = tlvsOf(part.lines)
  let isWhole = true
  for (const tlv of tlvs) {
    if (tlv.name === 'IEEE 8021QAZ PFC') isWhole = readPfc(tlv, port, side, facts)
    else if (side !== 'own') continue
    else if (tlv.name === 'IEEE 8021QAZ ETS Configuration') readEts(tlv, port)
    else if (tlv.name === 'IEEE 8021QAZ APP') readApp(tlv, port, facts)
  }
  if (side === 'peer') readNeighbour(tlvs, name, facts)
  const needsEnd = isNiccli(part) || tlvs.some((tlv) => tlv.name === 'Chassis ID')
  const hasEnd = tlvs.some((tlv) => tlv.name === 'End of LLDPDU') || hasNiccliEnd(part.text)
  if (!isWhole) facts.cut(part.lines.at(-1)!, 'PFC enabled')
  else if (needsEnd && !hasEnd) facts.cut(part.lines.at(-1)!, 'TC Rate Limit or End of LLDPDU')
}

export const niccli: Dialect = {
  name: 'niccli',
  language: 'niccli',
  title: 'niccli ... qos',
  command: 'niccli --dev N qos --ets --show',
  leavesOut: LEAVES_OUT,
  recognises: (part) => isDcbx(part) && isNiccli(part),
  read,
}

export const lldptool: Dialect = {
  name: 'lldptool',
  language: 'lldptool',
  title: 'lldptool -t [-n] -i IF -V PFC',
  command: 'lldptool -t -i IF -V PFC',
  leavesOut: LEAVES_OUT,
  recognises: isDcbx,
  read,
}
