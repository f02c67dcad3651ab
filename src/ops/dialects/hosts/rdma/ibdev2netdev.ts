/**
 * ibdev2netdev: RDMA devices with the network interfaces that they belong to: "mlx5_2 port 1 ==> ens6 (Up)".
 * Source: MLNX_OFED, ibdev2netdev.
 */
import type { Dialect } from '../../dialect.ts'
import { rdmaName } from './rdma-names.ts'

const ROW = /^(?:\S+ )?(\w+) port (\d+) ==> (\S+) \((Up|Down)\)/m

export const ibdev2netdev: Dialect = {
  name: 'ibdev2netdev',
  title: 'ibdev2netdev',
  command: 'ibdev2netdev',
  leavesOut: ['firmware and model of the device (-v)'],
  recognises: ({ text }) => ROW.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    for (const line of lines) {
      const [, device, port, netdev, state] = ROW.exec(line.text.trim()) ?? []
      if (device === undefined) continue
      const { nic, settings } = facts.port(netdev!)
      nic.put('rdmaDevice', rdmaName(device, port!), line, 'operational')
      settings.put('isUp', state === 'Up', line, 'operational')
    }
  },
}
