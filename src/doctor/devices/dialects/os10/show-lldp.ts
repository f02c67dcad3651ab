/**
 * OS10 show lldp neighbors. Names that are cut short ("leaf-in-hall...") and those that are not sent are no names.
 * Source: Dell SmartFabric OS10 User Guide, "Link Layer Discovery Protocol".
 */
import { portRowsOf } from '../cli/rows.ts'
import type { Dialect } from '../dialect.ts'
import { ETHERNET } from './running-config.ts'

export const os10Lldp: Dialect = {
  name: 'os10-lldp',
  language: 'os10',
  title: 'OS10 show lldp neighbors',
  command: 'show lldp neighbors',
  leavesOut: ['names that are cut short', 'addresses of chassis', 'neighbours of management ports'],
  recognises: ({ text }) => /^[ \t]*Loc PortID[ \t]+Rem Host Name[ \t]+Rem Port Id/m.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    for (const { line, port } of portRowsOf(part, facts, ETHERNET)) {
      const [, peerDevice, peerPort] = line.text.trim().split(/\s{2,}/)
      if (peerDevice === undefined || peerPort === undefined || /\.\.\.|^Not Advertised$/.test(peerDevice))
        facts.remainder.push(line)
      else facts.neighbour(port, peerDevice, peerPort, line)
    }
  },
}
