/**
 * Counters of EOS: show priority-flow-control counters (PFC frames of all priorities), show interfaces (the port as a whole),
 * and show priority-flow-control for the lossless classes. It has no times of pauses, no watermarks, and nothing by priority.
 * Source: Arista EOS User Manual, "DCBX and Flow Control", "Ethernet Ports".
 */
import { type CounterWriter, digits, type PortCounts, portsOf, saying } from './writer.ts'

const number = (value: number | undefined): string => digits(value ?? 0)
const short = (port: string): string => port.replace('Ethernet', 'Et')

function interfaceText(port: PortCounts): string {
  return [
    `${port.port} is up, line protocol is up (connected)`,
    `  Ethernet MTU 9214 bytes , BW ${Math.round((port.value('rateBps') ?? 0) / 1000)} kbit`,
    `     ${number(port.total('rxPackets'))} packets input, ${number(port.total('rxBytes'))} bytes`,
    `     0 input errors, ${number(port.value('crcErrors'))} CRC, 0 alignment, 0 symbol, ${number(port.value('dropInPort'))} input discards`,
    `     ${number(port.total('txPackets'))} packets output, ${number(port.total('txBytes'))} bytes`,
    `     0 late collision, 0 deferred, ${number(port.total('dropOut'))} output discards\n`,
  ].join('\n')
}

export const eosCounterWriter: CounterWriter = {
  vendor: 'eos',
  devices: 'switches',
  portName: (index) => `Ethernet${index}/1`,
  says: saying(
    ['rateBps', 'dropInPort', 'crcErrors'],
    ['rxPackets', 'rxBytes', 'txPackets', 'txBytes', 'dropOut', 'pfcRxFrames', 'pfcTxFrames'],
  ),
  write(counts, lossless) {
    const ports = portsOf(counts)
    const states = ports.map(
      ({ port }) => `${short(port).padEnd(10)} Yes      ${lossless.join(' ').padEnd(11)} Yes     \n`,
    )
    const rows = ports.map((port) => {
      const [taken, sent] = ['pfcRxFrames', 'pfcTxFrames'].map((name) => number(port.total(name)))
      return `${short(port.port).padEnd(10)} ${taken!.padStart(20)} ${sent!.padStart(20)}\n`
    })
    const pfc = 'show priority-flow-control'
    return [
      {
        file: 'show-pfc-counters.txt',
        text: `Port       ${'RxPfc'.padStart(20)} ${'TxPfc'.padStart(20)}\n${rows.join('')}`,
        command: `${pfc} counters`,
        of: 'counters',
      },
      {
        file: 'show-interfaces.txt',
        text: ports.map(interfaceText).join(''),
        command: 'show interfaces',
        of: 'counters',
      },
      {
        file: 'show-pfc.txt',
        text: `Port       Enabled  Priorities  Active  Note\n---------  -------  ----------  ------  ----\n${states.join('')}`,
        command: pfc,
        of: 'settings',
      },
    ]
  },
}
