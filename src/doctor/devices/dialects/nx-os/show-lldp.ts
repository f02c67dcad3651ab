/**
 * NX-OS show lldp neighbors. A long name has a line of its own, before the rest of its row.
 * Source: Cisco Nexus 9000 NX-OS System Management Configuration Guide, "Configuring LLDP".
 */
import { isPort, longName } from '../cli/interfaces.ts'
import { rowsOf } from '../cli/rows.ts'
import type { Dialect } from '../dialect.ts'
import { ETHERNET } from './running-config.ts'

const CAPABILITIES = /^[RBTCWPSO]{1,8}$/

export const nxosLldp: Dialect = {
  name: 'nx-os-lldp',
  language: 'nx-os',
  title: 'NX-OS show lldp neighbors',
  command: 'show lldp neighbors',
  leavesOut: ['capabilities', 'neighbours of management ports'],
  recognises: ({ text }) => /^[ \t]*Device ID[ \t]+Local Intf[ \t]+Hold-time/m.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    let isTable = false
    let isWhole = false
    let wrapped = ''
    for (const { line, words } of rowsOf(part, facts)) {
      if (words.join(' ').startsWith('Device ID Local Intf')) isTable = true
      else if (words.join(' ').startsWith('Total entries displayed')) isWhole = true
      else if (isTable && !isWhole) {
        const hold = words.findIndex(
          (word, i) => i > 0 && /^\d+$/.test(word) && /^(?:e|mgmt)\S*\d$/i.test(words[i - 1]!),
        )
        if (hold < 0) wrapped = words.join(' ')
        else {
          const port = longName(words[hold - 1]!, ETHERNET)
          const peerDevice = words.slice(0, hold - 1).join(' ') || wrapped
          const rest = words.slice(hold + 1)
          if (CAPABILITIES.test(rest[0] ?? '')) rest.shift()
          if (isPort(port, ETHERNET) && peerDevice !== '') facts.neighbour(port, peerDevice, rest.join(' '), line)
          wrapped = ''
        }
      }
    }
    if (!isWhole && !/ interface /.test(part.command)) facts.cut(part.lines.at(-1)!, 'Total entries displayed')
  },
}
