/**
 * ibv_devinfo: RDMA devices, state and MTU of their ports.
 * Source: rdma-core, libibverbs/examples/devinfo.c.
 */
import type { Dialect } from '../../dialect.ts'
import type { Facts } from '../../facts.ts'
import type { Line } from '../../text.ts'
import { keyAndValue } from '../host-words.ts'
import { rdmaName } from './rdma-names.ts'

type Entry = readonly [value: string, line: Line]

/** The MTU of a port that is down is none that packets have. */
function put(name: string, entries: ReadonlyMap<string, Entry>, facts: Facts): void {
  const [state, stateLine] = entries.get('state') ?? []
  if (stateLine === undefined || state === undefined || entries.get('link_layer')?.[0] === 'InfiniBand') return
  const { nic } = facts.rdmaPort(name)
  const isActive = state.startsWith('PORT_ACTIVE')
  nic.put('isActive', isActive, stateLine, 'operational')
  const [mtu = '', mtuLine] = entries.get('active_mtu') ?? []
  const bytes = /^(\d{3,4}) \(/.exec(mtu)?.[1]
  if (isActive && bytes !== undefined && mtuLine !== undefined)
    nic.put('activeMtuBytes', Number(bytes), mtuLine, 'operational')
}

export const ibvDevinfo: Dialect = {
  name: 'ibv_devinfo',
  title: 'ibv_devinfo',
  command: 'ibv_devinfo',
  leavesOut: ['firmware', 'limits of devices', 'GIDs', 'ports of InfiniBand'],
  recognises: ({ text }) => /^hca_id:\s/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    let device = ''
    let port = ''
    let entries = new Map<string, Entry>()
    const flush = (): void => {
      if (port !== '') put(rdmaName(device, port), entries, facts)
      entries = new Map()
      port = ''
    }
    for (const line of lines) {
      const [key, value] = keyAndValue(line.text) ?? []
      if (key === undefined || value === undefined) continue
      if (key === 'hca_id' || key === 'port') flush()
      if (key === 'hca_id') device = value
      else if (key === 'port') port = value
      else if (port !== '') entries.set(key, [value, line])
    }
    if (port === '' || !entries.has('link_layer'))
      facts.truncated = { line: lines.at(-1)!, expected: 'link_layer of each port' }
    flush()
  },
}
