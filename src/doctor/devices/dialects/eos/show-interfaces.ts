/**
 * EOS show interfaces: state and counters of ports.
 * Source: Arista EOS User Manual, "Ethernet Ports".
 */
import { readInterfaces } from '../cli/show-interface.ts'
import type { Dialect } from '../dialect.ts'
import { ETHERNET } from './running-config.ts'

export const eosInterfaces: Dialect = {
  name: 'eos-interfaces',
  language: 'eos',
  title: 'EOS show interfaces',
  command: 'show interfaces',
  leavesOut: ['frames of 802.3x', 'auto-negotiation', 'rates of the last minutes'],
  recognises: ({ text }) => /^[ \t]*Ethernet[\d/]+ is [\w ]+, line protocol is /m.test(text),
  read: (part, facts) => readInterfaces(part, ETHERNET, facts),
}
