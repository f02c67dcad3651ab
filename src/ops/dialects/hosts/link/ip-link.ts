/**
 * ip link show, ip -d link show, ip address: MTU and state of network interfaces.
 * Source: iproute2, ip/ipaddress.c.
 */
import type { Dialect } from '../../dialect.ts'

const HEAD = /^\d+: ([^:\s@]+)(@[^:\s]+)?: <([^>]*)> mtu (\d{2,9}) (?:.* )?state (\w+)/

export const ipLink: Dialect = {
  name: 'ip-link',
  title: 'ip link show',
  command: 'ip -d link show',
  leavesOut: ['JSON', 'loopback', 'interfaces upon others (VLANs, containers)'],
  recognises: ({ text }) => /^\d+: [^:\s]+: <[^>\n]*> mtu \d/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    let name = ''
    for (const line of lines) {
      const [, started, upon, flags = '', mtu, state] = HEAD.exec(line.text) ?? []
      if (started !== undefined) {
        name = upon !== undefined || flags.split(',').includes('LOOPBACK') ? '' : started
        if (name === '') continue
        const { settings } = facts.port(name)
        settings.put('mtuBytes', Number(mtu), line, 'operational')
        const isUp = state === 'UNKNOWN' ? flags.split(',').includes('LOWER_UP') : state === 'UP'
        settings.put('isUp', isUp, line, 'operational')
      } else if (/^\d+: /.test(line.text)) name = ''
      const [, own] = /^ +inet6? (\S+)/.exec(line.text) ?? []
      if (name !== '' && own !== undefined) facts.port(name).mark(name, 'address', own, line)
      const [, address] = /\bparentbus pci parentdev (\S+)/.exec(line.text) ?? []
      if (name !== '' && address !== undefined) facts.port(name).nic.put('pciName', address, line, 'operational')
    }
  },
}
