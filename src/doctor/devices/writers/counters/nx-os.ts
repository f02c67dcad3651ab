/**
 * Counters of NX-OS: show queuing interface (by qos-group, and PFC frames of lossless classes), show interface
 * priority-flow-control (PFC frames of all priorities), show interface (the port as a whole). It has no times of pauses and
 * no watermarks; what is received is not counted by class. Qos-groups have the numbers of their classes.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide.
 */
import { type CounterWriter, digits, type PortCounts, portsOf, saying } from './writer.ts'

const RULE = '='.repeat(60)
const OF_GROUPS = [
  ['Tx Pkts', 'txPackets'],
  ['Tx Byts', 'txBytes'],
  ['WRED/AFD & Tail Drop Pkts', 'dropOut'],
] as const

const number = (value: number | undefined): string => digits(value ?? 0)

function queuingText(port: PortCounts, lossless: readonly number[]): string {
  const rule = `+${'-'.repeat(67)}+\n`
  const groups = port.priorities(OF_GROUPS.map(([, name]) => name)).map((priority) => {
    const rows = OF_GROUPS.flatMap(([label, name]) => {
      const value = port.value(name, priority)
      return value === undefined
        ? []
        : [`|${label.padStart(26)} |${digits(value).padStart(20)} |${'0'.padStart(17)} |\n`]
    })
    return `${rule}|${' '.repeat(30)}QOS GROUP ${priority}${' '.repeat(26)}|\n${rule}${rows.join('')}`
  })
  const classes = lossless.map((priority) => {
    const [sent, taken] = ['pfcTxFrames', 'pfcRxFrames'].map((name) => number(port.value(name, priority)))
    return `      ${priority}         ${priority}  Inactive ${sent!.padStart(21)}    Inactive ${taken!.padStart(21)}\n`
  })
  return [
    `Egress Queuing for ${port.port} [System]\n`,
    ...groups,
    `${rule}\nIngress Queuing for ${port.port}\n`,
    `Ingress MMU Drop Pkts ${number(port.value('dropInPort')).padStart(29)}\n`,
    `PFC Statistics\n`,
    `TxPPP: ${number(port.total('pfcTxFrames')).padStart(20)},   RxPPP: ${number(port.total('pfcRxFrames')).padStart(20)}\n`,
    'PFC_COS QOS_Group   TxPause   TxCount     RxPause   RxCount\n',
    ...classes,
  ].join('')
}

/** Counters of a port as a whole. */
function interfaceText(port: PortCounts): string {
  return [
    `${port.port} is up`,
    `admin state is up, Dedicated Interface`,
    `  MTU 9216 bytes, BW ${Math.round((port.value('rateBps') ?? 0) / 1000)} Kbit , DLY 10 usec`,
    '  RX',
    `    ${number(port.total('rxPackets'))} input packets  ${number(port.total('rxBytes'))} bytes`,
    `    0 runts  0 giants  ${number(port.value('crcErrors'))} CRC  0 no buffer`,
    `    0 input with dribble  ${number(port.value('dropInPort'))} input discard`,
    '  TX',
    `    ${number(port.total('txPackets'))} output packets  ${number(port.total('txBytes'))} bytes`,
    `    0 lost carrier  0 no carrier  0 babble  ${number(port.total('dropOut'))} output discard\n\n`,
  ].join('\n')
}

export const nxosCounterWriter: CounterWriter = {
  vendor: 'nx-os',
  devices: 'switches',
  portName: (index) => `Ethernet1/${index}`,
  says: saying(
    ['rateBps', 'txPackets', 'txBytes', 'dropOut', 'dropInPort', 'crcErrors'],
    ['rxPackets', 'rxBytes', 'pfcRxFrames', 'pfcTxFrames'],
  ),
  write(counts, lossless) {
    const ports = portsOf(counts)
    const mask = lossless.reduce((sum, priority) => sum + 2 ** priority, 0).toString(16)
    const rows = ports.map((port) => {
      const [taken, sent] = ['pfcRxFrames', 'pfcTxFrames'].map((name) => number(port.total(name)))
      return `${port.port.padEnd(18)} On   On  (${mask})       ${taken!.padEnd(20)} ${sent}\n`
    })
    const heads = 'Port               Mode Oper(VL bmap)  RxPPP                TxPPP\n'
    const pfc = `${RULE}\n${heads}${RULE}\n\n${rows.join('')}`
    const queuing = ports.map((port) => queuingText(port, lossless)).join('\n')
    return [
      { file: 'show-queuing.txt', text: queuing, command: 'show queuing interface', of: 'counters' },
      { file: 'show-pfc.txt', text: pfc, command: 'show interface priority-flow-control', of: 'counters' },
      {
        file: 'show-interface.txt',
        text: ports.map(interfaceText).join(''),
        command: 'show interface',
        of: 'counters',
      },
    ]
  },
}
