/**
 * EOS show lldp neighbors.
 * Source: Arista EOS User Manual, "Data Transfer", LLDP.
 */
import { isPort, longName } from '../cli/interfaces.ts'
import { rowsOf } from '../cli/rows.ts'
import type { Dialect } from '../dialect.ts'
import { ETHERNET } from './running-config.ts'

export const eosLldp: Dialect = {
  name: 'eos-lldp',
  language: 'eos',
  title: 'EOS show lldp neighbors',
  command: 'show lldp neighbors',
  leavesOut: ['neighbours of management ports'],
  recognises: ({ text }) => /^[ \t]*Port[ \t]+Neighbor Device ID[ \t]+Neighbor Port ID/m.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    for (const { line, words } of rowsOf(part, facts)) {
      const port = longName(words[0]!, ETHERNET)
      if (!isPort(port, ETHERNET)) continue
      const [peerDevice, ...rest] = words.slice(1)
      const lifetime = rest.pop()
      if (peerDevice === undefined || lifetime === undefined || !/^\d+$/.test(lifetime)) facts.remainder.push(line)
      else facts.neighbours.push({ port, peerDevice, peerPort: rest.join(' '), source: 'lldp', line })
    }
  },
}
