/**
 * lldpcli show neighbors, lldpctl: devices and ports at the other ends of links.
 * Source: lldpd, src/client/display.c.
 */
import type { Dialect } from '../../dialect.ts'
import type { Line } from '../../text.ts'
import { keyAndValue } from '../host-words.ts'

/** Identifiers of ports that are names. */
const NAME = /^(?:ifname|local)\s+(\S.*)$/

export const lldpNeighbors: Dialect = {
  name: 'lldpcli',
  title: 'lldpcli show neighbors',
  command: 'lldpcli show neighbors',
  leavesOut: ['JSON, XML and key-value output', 'neighbours without a name', 'what they say of VLANs and power'],
  recognises: ({ text }) => /^LLDP neighbors:/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    let port = ''
    let head: Line | undefined
    let fields = new Map<string, string>()
    const flush = (): void => {
      const peerDevice = fields.get('SysName') ?? ''
      const named = NAME.exec(fields.get('PortID') ?? '')?.[1]
      if (head !== undefined && peerDevice !== '')
        facts.neighbours.push({
          port,
          peerDevice,
          peerPort: named ?? fields.get('PortDescr') ?? '',
          source: 'lldp',
          line: head,
        })
      head = undefined
      fields = new Map()
    }
    for (const line of lines) {
      const [, name] = /^Interface:\s+([^\s,]+)/.exec(line.text) ?? []
      const [key, value] = keyAndValue(line.text) ?? []
      if (/^-{10,}\s*$/.test(line.text)) flush()
      else if (name !== undefined) {
        flush()
        port = name
        head = line
      } else if (head !== undefined && key !== undefined && value !== undefined && !fields.has(key))
        fields.set(key, value)
    }
    if (head !== undefined) facts.truncated = { line: lines.at(-1)!, expected: 'a rule below the last neighbour' }
    flush()
  },
}
