/**
 * Outputs of nicctl show qos, show dcqcn and show port: all NICs in one file each, by their PCI addresses.
 * Source: as the reader (dialects/hosts/qos/nicctl.ts).
 */
import { knownOf, CLASS_COUNT } from '../../../../core/device-model/index.ts'
import { isAnyKnown } from '../values.ts'
import type { Draft, Form, Host, HostPort } from './host-port.ts'

const RULE = `${'-'.repeat(80)}\n`
const KEY_LENGTH = 26

/** Sixteen digits, or as few as there are. */
function bitmapText(positions: readonly number[], digits: number): string {
  const mask = positions.reduce((sum, position) => sum | (1n << BigInt(position)), 0n)
  return `0x${mask.toString(16).padStart(digits, '0')}`
}

/** "0-25, 27": numbers ascending. */
function rangesText(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const one of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === one - 1) last[1] = one
    else ranges.push([one, one])
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(', ')
}

const field = (indent: number, key: string, value: string): string =>
  `${' '.repeat(indent)}${key.padEnd(KEY_LENGTH + 4 - indent)}: ${value}`

function mapLines(port: HostPort): string[] {
  const dscps = port.dscps()
  if (dscps.length === 0) return []
  const rows = Array.from({ length: CLASS_COUNT }, (_, priority) => ({
    priority,
    own: dscps.filter((one) => one.priority === priority).map(({ dscp }) => dscp),
  })).filter(({ own }) => own.length > 0)
  return [
    '  DSCP-to-priority :',
    ...rows.map(({ priority, own }) => field(4, 'DSCP bitmap', `${bitmapText(own, 16)} ==> priority : ${priority}`)),
    ...rows.map(({ priority, own }) => field(4, 'DSCP', `${rangesText(own)} ==> priority : ${priority}`)),
    '',
    '',
  ]
}

function pfcLines({ settings }: HostPort): string[] {
  const priorities = knownOf(settings.pfcClasses)
  if (priorities === undefined) return []
  return [
    '  PFC :',
    field(4, 'PFC priority bitmap', bitmapText(priorities, 1)),
    field(4, 'PFC no-drop priorities', priorities.join(',')),
    '',
  ]
}

function scheduleLines({ settings }: HostPort): string[] {
  const rows = settings.classes.flatMap(({ schedule }, priority) => {
    const value = knownOf(schedule)
    if (value === undefined) return []
    const cells = value === 'strict' ? ['strict', 'N/A'] : ['DWRR', String(value)]
    return [`    ${String(priority).padEnd(10)}${cells[0]!.padEnd(12)}${cells[1]!.padEnd(10)}N/A`]
  })
  if (rows.length === 0) return []
  const rule = `    ${'-'.repeat(44)}`
  return [
    '  Scheduling :',
    rule,
    '    Priority  Scheduling  Bandwidth Rate-limit',
    '              Type        (in %age) (in Gbps)',
    rule,
    ...rows,
    '',
  ]
}

/** Fields in which a port trusts that the tool has words for. */
const CLASSIFICATIONS: Readonly<Record<string, string>> = { dscp: 'DSCP', pcp: 'PCP', none: 'None' }

function qosText(port: HostPort): string {
  const { trust, pfcClasses, classes } = port.settings
  const dscps = mapLines(port)
  if (dscps.length === 0 && !isAnyKnown(trust, pfcClasses, ...classes.map(({ schedule }) => schedule))) return ''
  const classification = CLASSIFICATIONS[knownOf(trust) ?? '']
  port.say('dscpToClass', 'pfcClasses')
  if (classification !== undefined) port.say('trust')
  return [
    field(2, 'Classification type', classification ?? 'Unknown'),
    '',
    ...dscps,
    ...pfcLines(port),
    ...scheduleLines(port),
  ].join('\n')
}

function portText({ settings }: HostPort): string {
  const mode = knownOf(settings.pfcMode)
  if (mode === undefined) return ''
  return `  Spec:\n${field(4, 'Pause type', mode === 'on' ? 'PFC' : 'NONE')}\n`
}

/** All NICs, each with one port: one alone would stand for the only one that there is. @param tail of the file */
function nics(file: string, text: (port: HostPort) => string, tail = ''): Form {
  return (host: Host): Draft[] => {
    const own = host.ports.map((port, i) => ({ port, i, text: text(port) }))
    if (own.every((one) => one.text === '')) return []
    const blocks = own.map(({ port, i, text: lines }) => {
      const number = i.toString(16).padStart(12, '0')
      const nic = `00000000-0000-0000-0000-${number}  (${port.pciName})`
      return `\nNIC  : ${nic}\n\nPort : 00000000-0000-0000-0001-${number}\n\n${lines}`
    })
    for (const { port } of own) port.used.add('pciName')
    return [{ file, text: `${blocks.join('')}${tail}`, command: '' }]
  }
}

const isAll = (classes: readonly number[]): boolean => classes.length === CLASS_COUNT

/** DCQCN is on or off as a whole. */
function dcqcnText(port: HostPort): string {
  const [np, rp] = [knownOf(port.nic.npClasses), knownOf(port.nic.rpClasses)]
  const dscp = knownOf(port.nic.cnpDscp)
  if (np === undefined || rp === undefined || port.name === '') return ''
  const isOn = isAll(np) && isAll(rp)
  if (!isOn && np.length + rp.length > 0) return ''
  port.say('nic.npClasses', 'nic.rpClasses')
  port.used.add('rdmaDevice')
  if (dscp !== undefined) port.say('nic.cnpDscp')
  const line = (key: string, value: string): string => `${key.padEnd(43)}: ${value}\n`
  return (
    line('ROCE device', port.rdmaDevice) +
    line('  DCQCN profile id', '1') +
    line('  Status', isOn ? 'Enabled' : 'Disabled') +
    (dscp === undefined ? '' : line('  DSCP value used for CNP', String(dscp)))
  )
}

export const NICCTL: readonly Form[] = [
  nics('nicctl-qos.txt', qosText),
  nics('nicctl-dcqcn.txt', dcqcnText),
  nics('nicctl-port.txt', portText, RULE),
]
