/**
 * lldpcli show neighbors, lldpctl: devices and ports at the other ends of links.
 * Source: lldpd, src/client/display.c.
 */
import { hostOutput, KEY_AND_VALUE } from '../../output.ts'

export const lldpNeighbors = hostOutput({
  name: 'lldpcli',
  title: 'lldpcli show neighbors',
  command: 'lldpcli show neighbors',
  leavesOut: ['JSON, XML and key-value output', 'neighbours without a name', 'what they say of VLANs and power'],
  recognises: ({ text }) => /^LLDP neighbors:/m.test(text),
  rows(at) {
    let head = at.line
    const fields = new Map<string, string>()
    const flush = (): void => {
      const peerDevice = fields.get('SysName') ?? ''
      // Identifiers of ports that are names.
      const [, named] = /^(?:ifname|local)\s+(\S.*)$/.exec(fields.get('PortID') ?? '') ?? []
      if (at.name !== undefined && peerDevice !== '')
        at.facts.neighbour(at.name, peerDevice, named ?? fields.get('PortDescr') ?? '', head)
      at.name = undefined
      fields.clear()
    }
    at.end = () => {
      if (at.name !== undefined) at.cut('a rule below the last neighbour')
      flush()
    }
    at.head(/^-{10,}$/, flush)
    at.head(/^Interface:\s+([^\s,]+)/, (name) => {
      flush()
      at.begin(name)
      head = at.line
    })
    at.on(KEY_AND_VALUE, (key, value) => {
      if (!fields.has(key.trim())) fields.set(key.trim(), value.trim())
    })
  },
})
