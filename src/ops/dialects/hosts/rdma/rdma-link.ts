/**
 * rdma link: RDMA devices with the network interfaces that they belong to, as text or with -j as JSON.
 * Source: iproute2, rdma/link.c.
 */
import { readYaml } from '../../../../notation/index.ts'
import type { Dialect } from '../../dialect.ts'
import type { Facts } from '../../facts.ts'
import type { Line } from '../../text.ts'
import { rdmaName } from './rdma-names.ts'

function put(device: string, port: string, state: string, netdev: string, line: Line, facts: Facts): void {
  const name = rdmaName(device, port)
  const { nic } = netdev === '' ? facts.rdmaPort(name) : facts.port(netdev)
  if (netdev !== '') nic.put('rdmaDevice', name, line, 'operational')
  nic.put('isActive', state === 'ACTIVE', line, 'operational')
}

export const rdmaLink: Dialect = {
  name: 'rdma-link',
  title: 'rdma link',
  command: 'rdma link',
  leavesOut: ['capabilities', 'addresses of InfiniBand'],
  recognises: ({ text }) =>
    /^(?:link |\d+\/\d+: )\S+\/\d+:? .*\bstate /m.test(text) ||
    (/^\s*\[/.test(text) && text.includes('"physical_state"') && text.includes('"ifname"')),
  read({ text, lines }, facts) {
    facts.kind = 'host'
    if (/^\s*\[/.test(text)) {
      const { value, readable, locate } = readYaml(text)
      if (!readable) facts.truncated = { line: lines.at(-1)!, expected: 'the end of the JSON text' }
      for (const [i, link] of (Array.isArray(value) ? value : []).entries()) {
        const { ifname, port, state, netdev = '' }: Record<string, unknown> = { ...(link as object | null) }
        const line = lines[(locate([i], 'value')?.line ?? 1) - 1] ?? lines[0]!
        if (typeof ifname === 'string' && typeof netdev === 'string')
          put(ifname, String(port), String(state), netdev, line, facts)
      }
      return
    }
    for (const line of lines) {
      const [, device, port, rest] = /^(?:link |\d+\/\d+: )([^\s/]+)\/(\d+):?( .*)$/.exec(line.text) ?? []
      if (device === undefined || port === undefined || rest === undefined) continue
      const state = / state (\S+)/.exec(rest)?.[1]
      if (state === undefined) facts.truncated = { line, expected: 'the state of the link' }
      else put(device, port, state, / netdev (\S+)/.exec(rest)?.[1] ?? '', line, facts)
    }
  },
}
