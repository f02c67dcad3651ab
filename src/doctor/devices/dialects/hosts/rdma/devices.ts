/**
 * RDMA devices: ibdev2netdev, the network interfaces that they belong to: "mlx5_2 port 1 ==> ens6 (Up)"; rdma link, the same
 * as text or with -j as JSON; ibv_devinfo, state and MTU of their ports.
 * Sources: MLNX_OFED, ibdev2netdev; iproute2, rdma/link.c; rdma-core, libibverbs/examples/devinfo.c.
 */
import type { Dialect } from '../../dialect.ts'
import { type Facts, rdmaName } from '../../facts.ts'
import { hostOutput, KEY_AND_VALUE } from '../../output.ts'
import { jsonEntries, type Line } from '../../text.ts'

export const ibdev2netdev = hostOutput({
  name: 'ibdev2netdev',
  title: 'ibdev2netdev',
  command: 'ibdev2netdev',
  leavesOut: ['firmware and model of the device (-v)'],
  recognises: ({ text }) => /^(?:\S+ )?\w+ port \d+ ==> \S+ \((?:Up|Down)\)/m.test(text),
  rows(at) {
    at.head(/^\s*(?:\S+ )?(\w+) port (\d+) ==> (\S+) \((Up|Down)\)/, (device, port, netdev, state) => {
      at.begin(netdev)
      at.put('nic.rdmaDevice', rdmaName(device, port))
      at.put('isUp', state === 'Up')
    })
  },
})

function putLink(device: string, port: string, state: string, netdev: string, line: Line, facts: Facts): void {
  const { nic } = netdev === '' ? facts.rdmaPort(device, port) : facts.port(netdev)
  if (netdev !== '') nic.put('rdmaDevice', rdmaName(device, port), line, 'operational')
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
  read(part, facts) {
    facts.kind = 'host'
    if (/^\s*\[/.test(part.text)) {
      const { entries, isWhole } = jsonEntries(part)
      if (!isWhole) facts.cut(part.lines.at(-1)!, 'the end of the JSON text')
      for (const { fields, line } of entries) {
        const { ifname, port, state, netdev = '' } = fields
        if (typeof ifname === 'string' && typeof netdev === 'string')
          putLink(ifname, String(port), String(state), netdev, line, facts)
      }
      return
    }
    for (const line of part.lines) {
      const [, device, port, rest] = /^(?:link |\d+\/\d+: )([^\s/]+)\/(\d+):?( .*)$/.exec(line.text) ?? []
      if (device === undefined || port === undefined || rest === undefined) continue
      const state = / state (\S+)/.exec(rest)?.[1]
      if (state === undefined) facts.truncated = { line, expected: 'the state of the link' }
      else putLink(device, port, state, / netdev (\S+)/.exec(rest)?.[1] ?? '', line, facts)
    }
  },
}

export const ibvDevinfo = hostOutput({
  name: 'ibv_devinfo',
  title: 'ibv_devinfo',
  command: 'ibv_devinfo',
  leavesOut: ['firmware', 'limits of devices', 'GIDs', 'ports of InfiniBand'],
  recognises: ({ text }) => /^hca_id:\s/m.test(text),
  rows(at) {
    let device = ''
    const entries = new Map<string, { readonly value: string; readonly line: Line }>()
    const flush = (): void => {
      const [state, mtu] = [entries.get('state'), entries.get('active_mtu')]
      if (at.name !== undefined && state !== undefined && entries.get('link_layer')?.value !== 'InfiniBand') {
        const isActive = state.value.startsWith('PORT_ACTIVE')
        at.port.nic.put('isActive', isActive, state.line, 'operational')
        // The MTU of a port that is down is none that packets have.
        const [, bytes] = /^(\d{3,4}) \(/.exec(mtu?.value ?? '') ?? []
        if (isActive && bytes !== undefined) at.port.nic.put('activeMtuBytes', Number(bytes), mtu!.line, 'operational')
      }
      entries.clear()
      at.name = undefined
    }
    at.end = () => {
      if (!entries.has('link_layer')) at.cut('link_layer of each port')
      flush()
    }
    at.head(/^\s*(hca_id|port)\s*:\s*(.*)$/, (key, value) => {
      flush()
      if (key === 'hca_id') device = value
      else if (value !== '') at.begin(`rdma:${rdmaName(device, value)}`)
    })
    at.on(KEY_AND_VALUE, (key, value) => void entries.set(key.trim(), { value: value.trim(), line: at.line }))
  },
})
