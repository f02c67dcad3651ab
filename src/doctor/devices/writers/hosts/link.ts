/**
 * Outputs on the links of a host: ethtool IF, -a, --show-fec and --get-tunable, ip -d link show, lldpcli show neighbors.
 * Sources: as the readers (dialects/hosts/link).
 */
import { knownOf, PS_PER_MS } from '../../../../core/device-model/index.ts'
import { isAnyKnown } from '../values.ts'
import { type Form, type HostPort, perPort, together } from './host-port.ts'

const RULE = `${'-'.repeat(79)}\n`

const onOff = (isOn: boolean): string => (isOn ? 'on' : 'off')

function pauseText({ name, settings }: HostPort): string {
  const [takes, sends] = [knownOf(settings.takesGlobalPause), knownOf(settings.sendsGlobalPause)]
  if (takes === undefined && sends === undefined) return ''
  return [
    `Pause parameters for ${name}:`,
    'Autonegotiate:\toff',
    ...(takes === undefined ? [] : [`RX:\t\t${onOff(takes)}`]),
    ...(sends === undefined ? [] : [`TX:\t\t${onOff(sends)}`]),
    '',
  ].join('\n')
}

function linkText(port: HostPort): string {
  const { autoNegotiates, isUp, rateBps } = port.settings
  const [negotiates, up, rate] = [knownOf(autoNegotiates), knownOf(isUp), knownOf(rateBps)]
  if (negotiates === undefined && up === undefined) return ''
  port.say('rateBps', 'isUp')
  return [
    `Settings for ${port.name}:`,
    ...(rate === undefined ? [] : [`\tSpeed: ${rate / 1e6}Mb/s`]),
    '\tDuplex: Full',
    ...(negotiates === undefined ? [] : [`\tAuto-negotiation: ${onOff(negotiates)}`]),
    ...(up === undefined ? [] : [`\tLink detected: ${up ? 'yes' : 'no'}`]),
    '',
  ].join('\n')
}

const FEC_NAMES: Readonly<Record<string, string>> = { rs: 'RS', fc: 'BaseR', none: 'Off', auto: 'Auto' }

function fecText({ name, settings }: HostPort): string {
  const fec = knownOf(settings.fec)
  if (fec === undefined) return ''
  const active = FEC_NAMES[fec] ?? fec.toUpperCase()
  return `FEC parameters for ${name}:\nSupported/Configured FEC encodings: Auto Off RS BaseR\nActive FEC encoding: ${active}\n`
}

function tunableText({ nic }: HostPort): string {
  const time = knownOf(nic.pauseWatchdogPs)
  if (time === undefined) return ''
  return `pfc-prevention-tout: ${typeof time === 'number' ? time / PS_PER_MS : 0}\n`
}

const MAC = '02:00:5e:00:53'

function ipText(port: HostPort, index: number): string {
  const { isUp, mtuBytes } = port.settings
  const [up, mtu] = [knownOf(isUp), knownOf(mtuBytes)]
  if (up === undefined || typeof mtu !== 'number') return ''
  port.say('isUp', 'mtuBytes', 'nic.pciName')
  const isOnPci = isAnyKnown(port.nic.pciName) || port.used.has('pciName')
  const flags = up ? 'BROADCAST,MULTICAST,UP,LOWER_UP' : 'NO-CARRIER,BROADCAST,MULTICAST,UP'
  const address = `${MAC}:${(index + 1).toString(16).padStart(2, '0')}`
  return [
    `${index + 3}: ${port.name}: <${flags}> mtu ${mtu} qdisc mq state ${up ? 'UP' : 'DOWN'} mode DEFAULT group default qlen 1000`,
    `    link/ether ${address} brd ff:ff:ff:ff:ff:ff promiscuity 0${isOnPci ? ` parentbus pci parentdev ${port.pciName}` : ''} `,
    '',
  ].join('\n')
}

export const LINK: readonly Form[] = [
  together('ethtool-a.txt', pauseText),
  together('ethtool.txt', linkText),
  together('ethtool-fec.txt', fecText),
  perPort('ethtool-tunable.txt', 'ethtool --get-tunable IF pfc-prevention-tout', tunableText),
  together('ip-link.txt', (port, { ports }) => ipText(port, ports.indexOf(port))),
  together(
    'lldpcli.txt',
    ({ name }, { options }) => {
      const peer = options.peers.get(name)
      if (peer === undefined) return ''
      return `Interface:    ${name}, via: LLDP, RID: 1, Time: 12 days, 03:14:15\n  Chassis:     \n    SysName:      ${peer.device}\n  Port:        \n    PortID:       local ${peer.port}\n    TTL:          120\n${RULE}`
    },
    { head: `${RULE}LLDP neighbors:\n${RULE}` },
  ),
]
