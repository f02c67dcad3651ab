/**
 * TLVs of DCBX as niccli ... qos and lldptool -t print them. lldptool prints one for each command, and with -n that of the peer.
 * Sources: as the reader (dialects/hosts/qos/dcbx-tlvs.ts).
 */
import { knownOf } from '../../../../core/device-model/index.ts'
import { type Form, type HostPort, perPort } from './host-port.ts'
import { trafficClassesOf } from './traffic-classes.ts'

const prioritiesText = (priorities: readonly number[]): string =>
  priorities.length === 0 ? 'none' : `${priorities.join(' ')} `

const pairs = (values: readonly (number | string)[]): string => values.map((value, i) => `${i}:${value}`).join(' ')

function etsLines({ settings }: HostPort): string[] {
  const classes = trafficClassesOf(settings)
  if (classes === undefined) return []
  const count = classes.isUsed.lastIndexOf(true) + 1
  return [
    `PRIO_MAP: ${pairs(classes.ofPriority)}`,
    `TC Bandwidth: ${classes.weights
      .slice(0, count)
      .map((weight) => `${weight}%`)
      .join(' ')}`,
    `TSA_MAP: ${pairs(classes.kinds.slice(0, count))}`,
  ]
}

/** Entries from the highest DSCP on. They mean that DSCPs are trusted: where they are not, sysfs has the map. */
function appLines(port: HostPort): string[] {
  const { trust } = port.settings
  const entries = port.dscps().toReversed()
  if (entries.length === 0 || (knownOf(trust) ?? 'dscp') !== 'dscp') return []
  port.say('trust', 'dscpToClass')
  return entries.flatMap(({ dscp, priority }, i) => [
    `APP#${i}:`,
    ` Priority: ${priority}`,
    ' Sel: 5',
    ` DSCP: ${dscp}`,
    '',
  ])
}

function pfcLines(port: HostPort, middle: readonly string[]): string[] {
  const willing = knownOf(port.nic.isWilling)
  const enabled = knownOf(port.settings.pfcClasses)
  port.say('pfcClasses')
  if (willing === undefined && enabled === undefined) return []
  return [
    ...(willing === undefined ? [] : [`Willing: ${willing ? 'yes' : 'no'}`]),
    ...middle,
    ...(enabled === undefined ? [] : [`PFC enabled: ${prioritiesText(enabled)}`]),
  ]
}

const tlv = (name: string, sign: string, lines: readonly string[]): string =>
  [`IEEE 8021QAZ ${name} TLV${sign}`, ...lines.map((line) => `\t ${line}`.trimEnd()), ''].join('\n')

export const niccli: Form = perPort('niccli-qos.txt', 'niccli -dev PCI qos --ets --show', (port) => {
  const tlvs = (
    [
      ['ETS Configuration', etsLines(port)],
      ['PFC', pfcLines(port, [])],
      ['APP', appLines(port)],
    ] as const
  ).filter(([, lines]) => lines.length > 0)
  if (tlvs.length === 0) return ''
  port.used.add('pciName')
  return `${tlvs.map(([name, lines]) => tlv(name, ':', lines)).join('')}TC Rate Limit: 100% 100% 100% 100% 100% 100% 100% 100%\n`
})

const OWN_PFC = ['MACsec Bypass Capable: no', 'PFC capable traffic classes: 8']

/** @param name of the TLV. @param word that asks for it */
const lldptoolForm = (word: string, name: string, lines: (port: HostPort) => readonly string[], options = '-t'): Form =>
  perPort(
    `lldptool-${word.toLowerCase()}${options === '-t' ? '' : '-peer'}.txt`,
    `lldptool ${options} -i IF -V ${word}`,
    (port) => {
      const own = lines(port)
      return own.length === 0 ? '' : tlv(name, '', own)
    },
    { needsCommand: true },
  )

export const LLDPTOOL: readonly Form[] = [
  lldptoolForm('PFC', 'PFC', (port) => pfcLines(port, OWN_PFC)),
  lldptoolForm('ETS-CFG', 'ETS Configuration', etsLines),
  lldptoolForm('APP', 'APP', appLines),
  lldptoolForm(
    'PFC',
    'PFC',
    ({ settings }) => {
      const enabled = knownOf(settings.peerPfcClasses)
      return enabled === undefined ? [] : [...OWN_PFC, `PFC enabled: ${prioritiesText(enabled)}`]
    },
    '-t -n',
  ),
]
