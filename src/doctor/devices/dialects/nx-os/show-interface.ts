/**
 * NX-OS show interface: state and counters of ports.
 * Source: Cisco Nexus 9000 NX-OS Interfaces Configuration Guide.
 */
import { readInterfaces } from '../cli/show-interface.ts'
import type { Dialect } from '../dialect.ts'
import { ETHERNET } from './running-config.ts'

export const nxosInterface: Dialect = {
  name: 'nx-os-interface',
  language: 'nx-os',
  title: 'NX-OS show interface',
  command: 'show interface',
  leavesOut: ['frames of 802.3x', 'FEC, auto-negotiation', 'rates of the last minutes'],
  recognises: ({ text }) => /^[ \t]*Ethernet[\d/]+ is (?:up|down)\b(?!.*line protocol)/m.test(text),
  read: (part, facts) => readInterfaces(part, ETHERNET, facts),
}
