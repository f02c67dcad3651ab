/**
 * show_gids: addresses of RDMA devices by index, with the version of RoCE that each stands for.
 * Source: mlnx-tools, sbin/show_gids.
 */
import type { Gid } from '../../../../../core/device-model/index.ts'
import type { Dialect } from '../../dialect.ts'
import { rdmaName } from '../../facts.ts'
import { type Line, ownText } from '../../text.ts'

/** GIDs of one port of an RDMA device. */
interface Table {
  /** Network interface of its first GID; '': none. */
  readonly netdev: string
  readonly line: Line
  readonly gids: Gid[]
}

/** An IPv4 address in a GID: its last 32 bits in two groups. */
const IPV4 = /^(?:0000:){5}ffff:([0-9a-f]{2})([0-9a-f]{2}):([0-9a-f]{2})([0-9a-f]{2})$/

function addressOf(gid: string): string {
  const bytes = IPV4.exec(gid)?.slice(1)
  return bytes === undefined ? ownText(gid) : `::ffff:${bytes.map((byte) => Number.parseInt(byte, 16)).join('.')}`
}

export const showGids: Dialect = {
  name: 'show_gids',
  title: 'show_gids',
  command: 'show_gids',
  leavesOut: ['interfaces of VLANs: their GIDs are those of the RDMA device'],
  recognises: ({ text }) => /^DEV\s+PORT\s+INDEX\s+GID\s/m.test(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    const tables = new Map<string, Table>()
    let rows = 0
    let announced = -1
    for (const line of lines) {
      const [, found] = /^n_gids_found=(\d{1,9})\s*$/.exec(line.text) ?? []
      if (found !== undefined) announced = Number(found)
      const cells = line.text.trim().split(/\s+/)
      const [device = '', port = '', index = '', gid = ''] = cells
      const version = cells.findIndex((cell, i) => i > 3 && /^v\d/.test(cell))
      if (version < 0 || !/^\d+$/.test(port) || !/^\d+$/.test(index)) continue
      rows++
      const name = rdmaName(device, port)
      let table = tables.get(name)
      if (table === undefined) tables.set(name, (table = { netdev: cells[version + 1] ?? '', line, gids: [] }))
      table.gids.push({
        index: Number(index),
        version: ownText(cells[version]!),
        address: addressOf(gid.toLowerCase()),
      })
    }
    for (const [name, { netdev, line, gids }] of tables) {
      const { nic } = netdev === '' ? facts.rdmaPort(name) : facts.port(netdev)
      if (netdev !== '') nic.put('rdmaDevice', name, line, 'operational')
      nic.put('gids', gids, line, 'operational')
    }
    if (announced !== rows) facts.cut(lines.at(-1)!, 'n_gids_found, as many as there are rows')
  },
}
