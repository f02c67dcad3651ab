/**
 * EOS show lldp neighbors.
 * Source: Arista EOS User Manual, "Data Transfer", LLDP.
 */
import { portRowsOf } from '../cli/rows.ts'
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
    for (const { line, words, port } of portRowsOf(part, facts, ETHERNET)) {
      const [peerDevice, ...rest] = words.slice(1)
      const lifetime = rest.pop()
      if (peerDevice === undefined || lifetime === undefined || !/^\d+$/.test(lifetime)) facts.remainder.push(line)
      else facts.neighbour(port, peerDevice, rest.join(' '), line)
    }
  },
}
