/** A packet of a connection as a line: PSN by PSN. */
import { humanDuration } from '../../core/base/format.ts'
import { type Packet, psnText } from '../decode/index.ts'
import { opcodeName } from '../../core/wire/index.ts'

export const PACKET_HEAD = 'frame  time  direction  PSN  opcode  bytes  notes\n'

/** @param isBack from the second direction of the connection @param note what the packet was: "again" */
export function packetText({ frame, timePs, psn, opcode, roce }: Packet, isBack: boolean, note: string): string {
  const { bth, headers, payloadBytes, service } = roce
  const { reth, atomic, aeth, original } = headers
  const notes = [
    ...(bth.isAckRequested ? ['A'] : []),
    ...(roce.ip.ecn === 3 ? ['CE'] : []),
    ...(roce.icrc === 'right' ? [] : [roce.icrc === 'wrong' ? 'ICRC wrong' : 'cut']),
    ...(reth === undefined ? [] : [`${reth.lengthBytes} B at 0x${reth.address.toString(16)} key ${hex(reth.key)}`]),
    ...(atomic === undefined ? [] : [`at 0x${atomic.address.toString(16)} key ${hex(atomic.key)}`]),
    ...(aeth === undefined ? [] : [`syndrome ${hex(aeth.syndrome)} MSN ${aeth.msn}`]),
    ...(original === undefined ? [] : [`value 0x${original.toString(16)}`]),
    ...(note === '' || note === 'new' ? [] : [note]),
  ]
  const name = service === 'rc' ? opcodeName(opcode) : `${service.toUpperCase()} ${opcodeName(bth.opcode & 31)}`
  const shown = service === 'cnp' ? 'CNP' : name
  const arrow = isBack ? '<-' : '->'
  return (
    `${frame}  ${humanDuration(timePs, 6)}  ${arrow}  ${psnText(psn)}  ${shown}  ${payloadBytes}  ${notes.join(', ')}`.trimEnd() +
    '\n'
  )
}

const hex = (value: number): string => value.toString(16).padStart(2, '0')
