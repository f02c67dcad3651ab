/**
 * Neighbours by LLDP, as NX-OS, EOS and OS10 show them.
 * Source: their guides, "show lldp neighbors"; identifiers of chassis are made up.
 */
import type { PortConfig } from '../../../../core/device-model/index.ts'
import type { WriteOptions, WrittenFile } from '../writer.ts'

type Rows = (port: string, device: string, peerPort: string) => readonly string[]

/** Longest name that has room in the column of NX-OS. */
const NAME_WIDTH = 20

/** @param rows lines of a neighbour @param end after all of them */
const showLldp =
  (head: readonly string[], rows: Rows, end: (count: number) => readonly string[]) =>
  (ports: readonly PortConfig[], peers: WriteOptions['peers']): WrittenFile[] => {
    const heard = ports.flatMap(({ name }) => {
      const peer = peers.get(name)
      return peer === undefined ? [] : [rows(name, peer.device, peer.port)]
    })
    const lines = [...head, ...heard.flat(), ...end(heard.length)]
    return heard.length === 0 ? [] : [{ file: 'show-lldp.txt', text: `${lines.join('\n')}\n` }]
  }

const columns = (cells: readonly string[], widths: readonly number[]): string =>
  cells.map((cell, i) => (i === cells.length - 1 ? cell : `${cell.padEnd(widths[i]!)} `)).join('')

const short = (port: string, word: string): string => port.replace(/^Ethernet/, word)

const NX_OS_WIDTHS = [NAME_WIDTH, 15, 10, 11]
const EOS_WIDTHS = [13, 24, 19]
const OS10_WIDTHS = [19, 23, 23]

export const nxosLldp = showLldp(
  [
    'Capability codes:',
    '  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device',
    '  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other',
    columns(['Device ID', 'Local Intf', 'Hold-time', 'Capability', 'Port ID'], NX_OS_WIDTHS),
  ],
  (port, device, peerPort) => {
    const isLong = device.length > NAME_WIDTH
    const row = columns([isLong ? '' : device, short(port, 'Eth'), '120', 'BR', peerPort], NX_OS_WIDTHS)
    return isLong ? [device, row] : [row]
  },
  (count) => [`Total entries displayed: ${count}`],
)

export const eosLldp = showLldp(
  [
    columns(['Port', 'Neighbor Device ID', 'Neighbor Port ID', 'TTL'], EOS_WIDTHS),
    '---------- ------------------------ ---------------------- ---',
  ],
  (port, device, peerPort) => [columns([short(port, 'Et'), device, peerPort, '120'], EOS_WIDTHS)],
  () => [],
)

/** Columns of OS10 are parted by two spaces at least. */
export const os10Lldp = showLldp(
  [
    columns(['Loc PortID', 'Rem Host Name', 'Rem Port Id', 'Rem Chassis Id'], OS10_WIDTHS),
    '-----------------------------------------------------------------------------',
  ],
  (port, device, peerPort) => [columns([`${port} `, `${device} `, `${peerPort} `, '52:54:00:00:00:01'], OS10_WIDTHS)],
  () => [],
)
