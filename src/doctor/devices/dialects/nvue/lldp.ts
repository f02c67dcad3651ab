/**
 * nv show interface lldp: neighbours of all ports.
 * Source: NVIDIA NVUE Command Reference, "LLDP".
 */
import type { Dialect } from '../dialect.ts'
import { tablesOf } from './columns.ts'
import { isPort, speedOf } from './names.ts'

export const nvueLldp: Dialect = {
  name: 'nvue-lldp',
  language: 'nvue',
  title: 'nv show interface lldp',
  command: 'nv show interface lldp',
  leavesOut: ['neighbours of the management port', 'names that are cut short'],
  recognises: ({ text }) => /^Interface +Speed +Type +Remote Host +Remote Port/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'switch'
    const table = tablesOf(lines).find(({ columns }) => columns[3] === 'Remote Host')
    for (const { line, cells } of table?.rows ?? []) {
      const [port = '', speed = '', , peerDevice = '', peerPort = ''] = cells
      if (!isPort(port) || peerDevice === '' || peerDevice.endsWith('…')) continue
      const rate = speedOf(speed)
      if (rate !== undefined) facts.port(port).settings.put('rateBps', rate, line, 'operational')
      facts.neighbour(port, peerDevice, peerPort.endsWith('…') ? '' : peerPort, line)
    }
  },
}
