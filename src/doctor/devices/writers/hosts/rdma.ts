/**
 * Outputs on the RDMA devices of a host: rdma link, ibv_devinfo, show_gids, cma_roce_tos.
 * Sources: as the readers (dialects/hosts/rdma).
 */
import { knownOf } from '../../../../core/device-model/index.ts'
import { type Form, type HostPort, perPort, together } from './host-port.ts'

/** Device and number of a port: "mlx4_0/2", or "mlx5_1" for the first. */
export function rdmaParts({ rdmaDevice }: HostPort): readonly [device: string, port: string] {
  const [device = '', port = '1'] = rdmaDevice.split('/')
  return [device, port]
}

function linkText(port: HostPort): string {
  const isActive = knownOf(port.nic.isActive)
  if (isActive === undefined) return ''
  port.say('nic.isActive', 'nic.rdmaDevice')
  const [device, number] = rdmaParts(port)
  const state = isActive ? 'state ACTIVE physical_state LINK_UP' : 'state DOWN physical_state DISABLED'
  return `link ${device}/${number} ${state} netdev ${port.name} \n`
}

/** Numbers of the verbs for MTUs. */
const MTUS = [256, 512, 1024, 2048, 4096]

const field = (indent: number, key: string, value: string): string =>
  `${'\t'.repeat(indent)}${`${key}:`.padEnd(23).replaceAll(/ +$/g, '\t\t\t')}${value}`

/** A port that is down has no MTU that packets have. */
function devinfoText(port: HostPort): string {
  const mtu = knownOf(port.nic.activeMtuBytes)
  if (mtu === undefined || knownOf(port.nic.isActive) === false) return ''
  port.used.add('rdmaDevice')
  const [device, number] = rdmaParts(port)
  return [
    `hca_id:\t${device}`,
    field(1, 'transport', 'InfiniBand (0)'),
    field(1, 'phys_port_cnt', number),
    `\t\tport:\t${number}`,
    field(3, 'state', 'PORT_ACTIVE (4)'),
    field(3, 'max_mtu', '4096 (5)'),
    field(3, 'active_mtu', `${mtu} (${MTUS.indexOf(mtu) + 1})`),
    field(3, 'link_layer', 'Ethernet'),
    '',
    '',
  ].join('\n')
}

const IPV4 = /^::ffff:(\d+)\.(\d+)\.(\d+)\.(\d+)$/

/** Eight groups of four digits. */
function gidText(address: string): string {
  const bytes = IPV4.exec(address)?.slice(1)
  if (bytes === undefined) return address
  const [a, b, c, d] = bytes.map((byte) => Number(byte).toString(16).padStart(2, '0'))
  return `${'0000:'.repeat(5)}ffff:${a}${b}:${c}${d}`
}

function gidsText(port: HostPort): string {
  const [device, number] = rdmaParts(port)
  return (knownOf(port.nic.gids) ?? [])
    .map(({ index, version, address }) => {
      const ipv4 = address.startsWith('::ffff:') ? `${address.slice('::ffff:'.length)}  ` : '\t'
      port.say('nic.rdmaDevice')
      return `${device}\t${number}\t${index}\t${gidText(address)}\t${ipv4}\t${version}\t${port.name}\n`
    })
    .join('')
}

export const RDMA: readonly Form[] = [
  together('rdma-link.txt', linkText),
  together('ibv_devinfo.txt', devinfoText),
  together('show_gids.txt', gidsText, {
    head: 'DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n',
    tail: (rows) => `n_gids_found=${rows.split('\n').length - 1}\n`,
  }),
  perPort('cma_roce_tos.txt', 'cma_roce_tos -d DEV', (port) => {
    const tclass = knownOf(port.nic.cmaTclass)
    if (tclass === undefined) return ''
    port.used.add('rdmaDevice')
    return `${tclass}\n`
  }),
]
