/**
 * Packets of any transport service as bytes, from the BTH to the last pad byte, with all bits of their headers: what dissect()
 * has taken apart is put together again. Padding and the reserved bytes of a CNP are zeros.
 * Source: IBTA 9.2, 9.3.
 */
import { BTH_BYTES, type BthBits, type BthFields, LIVE_BITS, writeBth } from './bth.ts'
import type { DissectedRoce } from './dissected.ts'
import { writeExtended } from './extended-headers.ts'
import { FORMAT_ROCE, SEND_ONLY } from './opcodes.ts'
import { layoutOf } from './services.ts'

const UD = 0x60

/** @throws RangeError where the opcode is not defined; IRN's packets cannot be written here */
export function writeRocePacket({
  bth,
  headers,
  payload,
}: Pick<DissectedRoce, 'bth' | 'headers' | 'payload'>): Uint8Array {
  const layout = layoutOf(bth.opcode, FORMAT_ROCE)
  if (layout.headers === null) throw new RangeError(`opcode ${bth.opcode} is not defined`)
  const padBytes = -payload.length & 3
  const start = BTH_BYTES + layout.headerBytes
  const bytes = new Uint8Array(start + payload.length + padBytes)
  const view = new DataView(bytes.buffer)
  writeBth(view, 0, { ...bth, padBytes }, bth)
  writeExtended(view, BTH_BYTES, layout.headers, headers)
  bytes.set(payload, start)
  return bytes
}

/** A datagram between two queue pairs. */
export interface UdDatagram extends Pick<BthFields, 'psn' | 'destinationQp'> {
  readonly sourceQp: number
  /** 32 bits. */
  readonly queueKey: number
  readonly payload: Uint8Array
}

/** SEND Only of the unreliable datagram service. */
export function writeUdPacket(datagram: UdDatagram, bits: BthBits = LIVE_BITS): Uint8Array {
  const { psn, destinationQp, sourceQp, queueKey, payload } = datagram
  const fields = { opcode: UD | SEND_ONLY, psn, destinationQp, padBytes: 0, isAckRequested: false, isSolicited: false }
  return writeRocePacket({ bth: { ...bits, ...fields }, headers: { deth: { queueKey, sourceQp } }, payload })
}
