/**
 * nicctl show qos, show dcqcn, show port: settings of AMD Pensando NICs, in blocks of one NIC each.
 * They name NICs by identifier and PCI address, not by network interface: where a host has several, ports are kept as
 * "pci:ADDRESS", which other files join with a name.
 * Source: outputs in the tests of amd/node-scraper.
 */
import type { Dialect } from '../../dialect.ts'
import type { Facts, PortFacts } from '../../facts.ts'
import type { Line } from '../../text.ts'
import { bitsIn, fecIn, numbersIn } from '../../words.ts'
import { DSCP_COUNT, keyAndValue, PRIORITY_COUNT, wholeIn } from '../host-words.ts'

const START = /^\s*NIC\s*:\s*(\S+)(?:\s+\(([\w.:-]+)\))?/
const ALL_CLASSES: readonly number[] = Array.from({ length: PRIORITY_COUNT }, (_, i) => i)

interface Block {
  /** Name of its port. */
  readonly name: string
  readonly lines: readonly Line[]
}

/** Lines of each port. */
function blocksOf(lines: readonly Line[]): Block[] {
  const blocks: { address: string; lines: Line[] }[] = []
  let address = ''
  for (const line of lines) {
    const [, identifier, pci] = START.exec(line.text) ?? []
    if (identifier !== undefined) address = pci ?? identifier
    else if (/^\s*Port\s*:/.test(line.text)) blocks.push({ address, lines: [] })
    else blocks.at(-1)?.lines.push(line)
  }
  const counts = new Map<string, number>()
  return blocks.map((block) => {
    const count = (counts.get(block.address) ?? 0) + 1
    counts.set(block.address, count)
    const name = blocks.length === 1 ? '' : `pci:${block.address}${count === 1 ? '' : `/${count}`}`
    return { name, lines: block.lines }
  })
}

/** Positions of the bits of "0x0000000004000000", at most 64 bits; undefined: no such number. */
function bitmapIn(text: string): number[] | undefined {
  const digits = /^0x([0-9a-f]{1,16})$/i.exec(text)?.[1]?.padStart(16, '0')
  if (digits === undefined) return undefined
  const high = bitsIn(Number.parseInt(digits.slice(0, 8), 16), 32).map((bit) => bit + 32)
  return [...bitsIn(Number.parseInt(digits.slice(8), 16), 32), ...high]
}

/** "0x8 ==> priority : 3" or "24-31 ==> priority : 3": DSCPs of a priority, in either form. */
function dscps(key: string, value: string, port: PortFacts, line: Line): boolean {
  const [list = '', target = ''] = value.split('==>')
  const priority = wholeIn(/^\s*priority\s*:\s*(\d)\s*$/.exec(target)?.[1] ?? '', PRIORITY_COUNT - 1)
  const members = key === 'DSCP' ? numbersIn(list.trim(), DSCP_COUNT - 1) : bitmapIn(list.trim())
  if (priority === undefined || members === undefined) return false
  for (const dscp of members) port.dscp(dscp, priority, line, 'operational')
  return true
}

/** "3  DWRR  99  N/A". */
function schedule(text: string, port: PortFacts, line: Line): boolean {
  const [, priority, kind, weight] = /^\s*([0-7])\s+(DWRR|strict)\s+(\d{1,3}|N\/A)\s/i.exec(`${text} `) ?? []
  if (priority === undefined || kind === undefined) return false
  const settings = port.class(Number(priority))
  if (kind.toLowerCase() === 'strict') settings.put('schedule', 'strict', line, 'operational')
  else if (weight !== 'N/A') settings.put('schedule', Number(weight), line, 'operational')
  return true
}

/** Priorities with PFC, and those that may not be dropped: they have to be the same. */
class Pfc {
  readonly #enabled = new Set<number>()
  #noDrop: string | undefined
  #line: Line | undefined

  add(key: string, value: string, line: Line): boolean {
    if (key === 'PFC no-drop priorities') this.#noDrop = value
    else if (key === 'PFC priority bitmap') {
      const priorities = bitmapIn(value)
      if (priorities === undefined) return false
      for (const priority of priorities) this.#enabled.add(priority)
      this.#line = line
    } else return false
    return true
  }

  /** False: the two contradict each other. */
  put(port: PortFacts, facts: Facts): void {
    if (this.#line === undefined) return
    const enabled = [...this.#enabled].sort((a, b) => a - b)
    const noDrop = this.#noDrop === '' ? [] : numbersIn(this.#noDrop ?? enabled.join(','), PRIORITY_COUNT - 1)
    if (enabled.join(',') === (noDrop ?? []).join(','))
      return port.settings.put('pfcClasses', enabled, this.#line, 'operational')
    port.settings.forget('pfcClasses')
    facts.remainder.push(this.#line)
  }
}

const CLASSIFICATIONS: Readonly<Record<string, string>> = { dscp: 'dscp', pcp: 'pcp', none: 'none' }

function readQos({ name, lines }: Block, facts: Facts): boolean {
  const port = facts.port(name)
  const pfc = new Pfc()
  let hasRow = false
  for (const line of lines) {
    const [key, value] = keyAndValue(line.text) ?? []
    if (schedule(line.text, port, line)) hasRow = true
    else if (key === undefined || value === undefined) continue
    else if (key === 'Classification type') {
      const trust = CLASSIFICATIONS[value.toLowerCase()]
      if (trust === undefined) port.settings.forget('trust')
      else port.settings.put('trust', trust, line, 'operational')
    } else if (/^DSCP(?: bitmap)?$/.test(key)) {
      if (!dscps(key, value, port, line)) facts.remainder.push(line)
    } else if (key.startsWith('PFC') && value !== '' && !pfc.add(key, value, line)) facts.remainder.push(line)
    else if (key === 'PFC no-drop priorities') pfc.add(key, value, line)
  }
  pfc.put(port, facts)
  return hasRow
}

export const nicctlQos: Dialect = {
  name: 'nicctl-qos',
  language: 'nicctl',
  title: 'nicctl show qos',
  command: 'nicctl show qos',
  leavesOut: ['maps of PCP', 'purposes of DSCPs', 'rate limits'],
  recognises: ({ text }) => /^[ \t]*DSCP-to-priority\s*:/m.test(text) || /^[ \t]*Classification type\s*:/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    const blocks = blocksOf(lines)
    const isWhole = blocks.map((block) => readQos(block, facts))
    if (isWhole.at(-1) !== true) facts.truncated = { line: lines.at(-1)!, expected: 'rows of the schedule' }
  },
}

export const nicctlDcqcn: Dialect = {
  name: 'nicctl-dcqcn',
  language: 'nicctl',
  title: 'nicctl show dcqcn',
  command: 'nicctl show dcqcn',
  leavesOut: ['parameters of DCQCN', 'which queue pairs use which profile'],
  recognises: ({ text }) => /^[ \t]*DCQCN profile id\s*:/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    let device = ''
    const states = new Map<string, string>()
    for (const line of lines) {
      const [key, value = ''] = keyAndValue(line.text) ?? []
      if (key === 'ROCE device') device = value
      if (device === '') continue
      const { nic } = facts.rdmaPort(device)
      if (key === 'Status') {
        const classes = value === 'Enabled' ? ALL_CLASSES : []
        const isOne = (states.get(device) ?? value) === value && /^(?:En|Dis)abled$/.test(value)
        states.set(device, isOne ? value : '')
        for (const field of ['npClasses', 'rpClasses'] as const) {
          // Profiles of one device that differ: which one its queue pairs use is not printed.
          if (isOne) nic.put(field, classes, line, 'operational')
          else nic.forget(field)
        }
      } else if (key === 'DSCP value used for CNP') {
        const dscp = wholeIn(value, DSCP_COUNT - 1)
        if (dscp !== undefined) nic.put('cnpDscp', dscp, line, 'operational')
      }
    }
    if (states.size === 0) facts.truncated = { line: lines.at(-1)!, expected: 'the status of DCQCN' }
  },
}

/** "400G" or "100000" (Mb/s). */
function rateIn(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})(G|M|)$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * (unit === 'G' ? 1e9 : 1e6)
}

const PAUSE_KEYS = { 'RX pause': 'takesGlobalPause', 'TX pause': 'sendsGlobalPause' } as const
const isPauseKey = (key: string): key is keyof typeof PAUSE_KEYS => Object.hasOwn(PAUSE_KEYS, key)

export const nicctlPort: Dialect = {
  name: 'nicctl-port',
  language: 'nicctl',
  title: 'nicctl show port',
  command: 'nicctl show port',
  leavesOut: ['MTU, which is that of the hardware', 'transceivers'],
  recognises: ({ text }) => /^[ \t]*Pause type\s*:/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    for (const block of blocksOf(lines)) {
      const { settings } = facts.port(block.name)
      let isSpec = true
      let pause = ''
      for (const line of block.lines) {
        const [key = '', value = ''] = keyAndValue(line.text) ?? []
        const known = isSpec ? 'set' : 'operational'
        if (key === 'Spec' || key === 'Status') isSpec = key === 'Spec'
        else if (key === 'speed') {
          const rate = rateIn(value)
          if (rate !== undefined) settings.put('rateBps', rate, line, known)
        } else if (key === 'FEC type') settings.put('fec', fecIn(value), line, known)
        else if (key === 'Auto negotiation') settings.put('autoNegotiates', value === 'enabled', line, known)
        else if (key === 'Operational status') settings.put('isUp', value === 'UP', line, known)
        else if (key === 'Pause type') {
          pause = value.toLowerCase()
          settings.put('pfcMode', pause === 'pfc' ? 'on' : 'off', line, known)
        } else if (isPauseKey(key)) {
          // PFC alone gives no priority PFC, and takes the place of pauses of the whole link.
          const isOn = value === 'enabled' && pause !== 'pfc' && pause !== 'none'
          settings.put(PAUSE_KEYS[key], isOn, line, known)
        }
      }
    }
    if (!/^\s*-{10,}\s*$/.test(lines.filter((line) => line.text.trim() !== '').at(-1)?.text ?? ''))
      facts.truncated = { line: lines.at(-1)!, expected: 'a rule below the last port' }
  },
}
