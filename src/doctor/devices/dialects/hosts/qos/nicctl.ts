/**
 * nicctl show qos, show dcqcn, show port: settings of AMD Pensando NICs, in blocks of one NIC each.
 * They name NICs by identifier and PCI address, not by network interface: where a host has several, ports are kept as
 * "pci:ADDRESS", which other files join with a name.
 * Source: outputs in the tests of amd/node-scraper.
 */
import { CLASS_COUNT, CLASSES, DSCP_COUNT } from '../../../../../core/device-model/index.ts'
import { hostOutput, is, type Output } from '../../output.ts'
import type { Line } from '../../text.ts'
import { bitsIn, fecIn, numbersIn } from '../../words.ts'
import { wholeIn } from '../host-words.ts'

const PORT = /^\s*Port\s*:/

/** Heads of NICs and their ports. @param before done where a port begins */
function onPorts(at: Output, before: () => void): void {
  const isOne = at.part.lines.filter(({ text }) => PORT.test(text)).length === 1
  const counts = new Map<string, number>()
  let nic = ''
  at.head(/^\s*NIC\s*:\s*(\S+)(?:\s+\(([\w.:-]+)\))?/, (identifier, address) => (nic = address || identifier))
  at.head(PORT, () => {
    const count = (counts.get(nic) ?? 0) + 1
    counts.set(nic, count)
    before()
    const name = count === 1 ? nic : `${nic}/${count}`
    at.name = isOne ? '' : `pci:${name}`
    at.facts.port(at.name)
  })
}

/** Positions of the bits of "0x0000000004000000", at most 64 bits; undefined: no such number. */
function bitmapIn(text: string): number[] | undefined {
  const digits = /^0x([0-9a-f]{1,16})$/i.exec(text)?.[1]?.padStart(16, '0')
  if (digits === undefined) return undefined
  const high = bitsIn(Number.parseInt(digits.slice(0, 8), 16), 32).map((bit) => bit + 32)
  return [...bitsIn(Number.parseInt(digits.slice(8), 16), 32), ...high]
}

export const nicctlQos = hostOutput({
  name: 'nicctl-qos',
  language: 'nicctl',
  title: 'nicctl show qos',
  command: 'nicctl show qos',
  leavesOut: ['maps of PCP', 'purposes of DSCPs', 'rate limits'],
  recognises: ({ text }) => /^[ \t]*DSCP-to-priority\s*:/m.test(text) || /^[ \t]*Classification type\s*:/m.test(text),
  rows(at) {
    let isWhole = false
    /** Priorities with PFC, and those that may not be dropped: they have to be the same. */
    const enabled = new Set<number>()
    let noDrop: string | undefined
    let pfcLine: Line | undefined
    const flush = (): void => {
      const classes = [...enabled].sort((a, b) => a - b)
      const noDropClasses = noDrop === '' ? [] : numbersIn(noDrop ?? classes.join(','), CLASS_COUNT - 1)
      const isOne = classes.join(',') === (noDropClasses ?? []).join(',')
      if (pfcLine !== undefined)
        at.port.settings.note('pfcClasses', isOne ? classes : undefined, pfcLine, 'operational')
      if (pfcLine !== undefined && !isOne) at.facts.remainder.push(pfcLine)
      enabled.clear()
      noDrop = pfcLine = undefined
      isWhole = false
    }
    at.end = () => {
      if (!isWhole) at.cut('rows of the schedule')
      flush()
    }
    onPorts(at, flush)
    // "3  DWRR  99  N/A".
    at.on(/^\s*([0-7])\s+(DWRR|strict)\s+(\d{1,3}|N\/A)(?:\s|$)/i, (priority, kind, weight) => {
      isWhole = true
      const settings = at.port.class(Number(priority))
      if (kind.toLowerCase() === 'strict') settings.put('schedule', 'strict', at.line, 'operational')
      else if (weight !== 'N/A') settings.put('schedule', Number(weight), at.line, 'operational')
    })
    at.on(/^\s*Classification type\s*:\s*(.*)$/, {
      trust: (text) => /^(?:dscp|pcp|none)$/.exec(text.toLowerCase())?.[0],
    })
    // "0x8 ==> priority : 3" or "24-31 ==> priority : 3": DSCPs of a priority, in either form.
    at.on(/^\s*DSCP( bitmap)?\s*:([^=]*)==>\s*priority\s*:\s*([0-7])$/, (isBitmap, list, priority) => {
      const dscps = isBitmap === '' ? numbersIn(list.trim(), DSCP_COUNT - 1) : bitmapIn(list.trim())
      if (dscps === undefined) at.leave()
      for (const dscp of dscps ?? []) at.port.dscp(dscp, Number(priority), at.line, 'operational')
    })
    at.on(/^\s*DSCP(?: bitmap)?\s*:/, () => at.leave())
    at.on(/^\s*PFC no-drop priorities\s*:\s*(.*)$/, (list) => (noDrop = list))
    at.on(/^\s*PFC priority bitmap\s*:\s*(.+)$/, (text) => {
      const priorities = bitmapIn(text)
      if (priorities === undefined) return at.leave()
      for (const priority of priorities) enabled.add(priority)
      pfcLine = at.line
    })
    at.on(/^\s*PFC[^:]*:\s*\S/, () => at.leave())
  },
})

export const nicctlDcqcn = hostOutput({
  name: 'nicctl-dcqcn',
  language: 'nicctl',
  title: 'nicctl show dcqcn',
  command: 'nicctl show dcqcn',
  leavesOut: ['parameters of DCQCN', 'which queue pairs use which profile'],
  recognises: ({ text }) => /^[ \t]*DCQCN profile id\s*:/m.test(text),
  rows(at) {
    const states = new Map<string, string>()
    at.end = () => {
      if (states.size === 0) at.cut('the status of DCQCN')
    }
    at.head(/^\s*ROCE device\s*:\s*(.*)$/, (device) => {
      at.name = device === '' ? undefined : `rdma:${device}`
      if (device !== '') at.facts.port(at.name!)
    })
    at.on(/^\s*Status\s*:\s*(.*)$/, (state) => {
      // Profiles of one device that differ: which one its queue pairs use is not printed.
      const isOne = (states.get(at.name!) ?? state) === state && /^(?:En|Dis)abled$/.test(state)
      states.set(at.name!, isOne ? state : '')
      const classes = state === 'Enabled' ? CLASSES : []
      for (const field of ['nic.npClasses', 'nic.rpClasses'] as const) at.put(field, isOne ? classes : undefined)
    })
    at.on(/^\s*DSCP value used for CNP\s*:\s*(.*)$/, (text) => {
      const dscp = wholeIn(text, DSCP_COUNT - 1)
      if (dscp !== undefined) at.put('nic.cnpDscp', dscp)
    })
  },
})

/** Bits per second of "400G", or of "100000" Mb/s. */
const rateIn = (text: string): number => Number.parseInt(text, 10) * (text.endsWith('G') ? 1e9 : 1e6)

export const nicctlPort = hostOutput({
  name: 'nicctl-port',
  language: 'nicctl',
  title: 'nicctl show port',
  command: 'nicctl show port',
  leavesOut: ['MTU, which is that of the hardware', 'transceivers'],
  recognises: ({ text }) => /^[ \t]*Pause type\s*:/m.test(text),
  rows(at) {
    let pause = ''
    onPorts(at, () => {
      at.known = 'set'
      pause = ''
    })
    at.end = () => {
      const last = at.part.lines.findLast(({ text }) => text.trim() !== '')
      if (!/^\s*-{10,}\s*$/.test(last?.text ?? '')) at.cut('a rule below the last port')
    }
    /** PFC alone gives no priority PFC, and takes the place of pauses of the whole link. */
    const isOn = (text: string): boolean => text === 'enabled' && pause !== 'pfc' && pause !== 'none'
    at.on(/^\s*(Spec|Status)\s*:/, (title) => (at.known = title === 'Spec' ? 'set' : 'operational'))
    at.on(/^\s*speed\s*:\s*(\d{1,6}[GM]?)$/, { rateBps: rateIn })
    at.on(/^\s*FEC type\s*:\s*(.*)$/, { fec: fecIn })
    at.on(/^\s*Auto negotiation\s*:\s*(.*)$/, { autoNegotiates: is('enabled') })
    at.on(/^\s*Operational status\s*:\s*(.*)$/, { isUp: is('UP') })
    at.on(/^\s*Pause type\s*:\s*(.*)$/, (type) => {
      pause = type.toLowerCase()
      at.put('pfcMode', pause === 'pfc' ? 'on' : 'off')
    })
    at.on(/^\s*RX pause\s*:\s*(.*)$/, { takesGlobalPause: isOn })
    at.on(/^\s*TX pause\s*:\s*(.*)$/, { sendsGlobalPause: isOn })
  },
})
