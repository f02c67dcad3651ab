/**
 * ip link show, ip -d link show, ip address: MTU and state of network interfaces.
 * Source: iproute2, ip/ipaddress.c.
 */
import { hostOutput } from '../../output.ts'

const HEAD =
  /^\d+: ([^:\s@]+)(@[^:\s]+)?: <([^>]*)> mtu (\d{2,9}) (?:.* )?state (\w+)(?:.*\bparentbus pci parentdev (\S+))?/

export const ipLink = hostOutput({
  name: 'ip-link',
  title: 'ip link show',
  command: 'ip -d link show',
  leavesOut: ['JSON', 'loopback', 'interfaces upon others (VLANs, containers)'],
  recognises: ({ text }) => /^\d+: [^:\s]+: <[^>\n]*> mtu \d/m.test(text),
  rows(at) {
    at.head(HEAD, (name, upon, flags, mtu, state, address) => {
      const isFlagged = (flag: string): boolean => flags.split(',').includes(flag)
      at.name = upon !== '' || isFlagged('LOOPBACK') ? undefined : name
      if (at.name === undefined) return
      at.put('mtuBytes', Number(mtu))
      at.put('isUp', state === 'UNKNOWN' ? isFlagged('LOWER_UP') : state === 'UP')
      if (address !== '') at.put('nic.pciName', address)
    })
    at.head(/^\d+: /, () => (at.name = undefined))
    at.on(/\bparentbus pci parentdev (\S+)/, { 'nic.pciName': String })
    at.on(/^ +inet6? (\S+)/, (address) => at.port.mark(at.name!, 'address', address, at.line))
  },
})
