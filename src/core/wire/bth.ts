/**
 * BTH: the base transport header with all of its bits, of any transport service; and the CNP, which is a BTH and 16 reserved
 * bytes.
 * Source: IBTA 9.2; annex A17.9.3 (CNP).
 */

export const BTH_BYTES = 12
/** Opcode of a CNP, in the group of codes for all services. */
export const CNP_OPCODE = 0x81
/** A CNP is a BTH and 16 reserved bytes. */
export const CNP_BYTES: number = BTH_BYTES + 16

/** Fields that queue pairs decide. */
export interface BthFields {
  readonly opcode: number
  /** 24 bits. */
  readonly psn: number
  readonly isAckRequested: boolean
  readonly isSolicited: boolean
  /** 24 bits. */
  readonly destinationQp: number
  /** Bytes of padding after the payload, 0..3. */
  readonly padBytes: number
}

/** The other bits. */
export interface BthBits {
  readonly isMigrated: boolean
  /** Transport version, 4 bits; only 0 exists. */
  readonly version: number
  /** P_Key, 16 bits. */
  readonly partition: number
  /** FECN: the packet met congestion. */
  readonly isForwardMarked: boolean
  /** BECN: the packet reports congestion. */
  readonly isBackwardMarked: boolean
  /** Reserved bits after FECN and BECN, 6, and after the ACK request, 7. */
  readonly reserved6: number
  readonly reserved7: number
}

/** A full member of the default partition. */
export const PLAIN_BITS: BthBits = {
  isMigrated: true,
  version: 0,
  partition: 0xffff,
  isForwardMarked: false,
  isBackwardMarked: false,
  reserved6: 0,
  reserved7: 0,
}

/** As Linux's soft RoCE writes them; partners take either value of the M bit. */
export const LIVE_BITS: BthBits = { ...PLAIN_BITS, isMigrated: false }

export function writeBth(view: DataView, at: number, fields: BthFields, bits: BthBits = PLAIN_BITS): void {
  view.setUint8(at, fields.opcode)
  view.setUint8(
    at + 1,
    (fields.isSolicited ? 0x80 : 0) | (bits.isMigrated ? 0x40 : 0) | (fields.padBytes << 4) | bits.version,
  )
  view.setUint16(at + 2, bits.partition)
  view.setUint32(at + 4, fields.destinationQp & 0xffffff)
  view.setUint8(at + 4, (bits.isForwardMarked ? 0x80 : 0) | (bits.isBackwardMarked ? 0x40 : 0) | bits.reserved6)
  view.setUint32(at + 8, fields.psn & 0xffffff)
  view.setUint8(at + 8, (fields.isAckRequested ? 0x80 : 0) | bits.reserved7)
}

/** null: the bytes are too short. */
export function readBth(view: DataView, at: number): (BthFields & BthBits) | null {
  if (view.byteLength < at + BTH_BYTES) return null
  const second = view.getUint8(at + 1)
  const fourth = view.getUint8(at + 4)
  const eighth = view.getUint8(at + 8)
  return {
    opcode: view.getUint8(at),
    psn: view.getUint32(at + 8) & 0xffffff,
    isAckRequested: eighth >= 0x80,
    isSolicited: second >= 0x80,
    destinationQp: view.getUint32(at + 4) & 0xffffff,
    padBytes: (second >> 4) & 3,
    isMigrated: (second & 0x40) !== 0,
    version: second & 0x0f,
    partition: view.getUint16(at + 2),
    isForwardMarked: (fourth & 0x80) !== 0,
    isBackwardMarked: (fourth & 0x40) !== 0,
    reserved6: fourth & 0x3f,
    reserved7: eighth & 0x7f,
  }
}

/** A congestion notification packet for a queue pair, from the BTH to its end. */
export function writeCnp(destinationQp: number, bits: BthBits = PLAIN_BITS): Uint8Array {
  const bytes = new Uint8Array(CNP_BYTES)
  const fields = {
    opcode: CNP_OPCODE,
    psn: 0,
    isAckRequested: false,
    isSolicited: false,
    destinationQp,
    padBytes: 0,
  }
  writeBth(new DataView(bytes.buffer), 0, fields, { ...bits, isBackwardMarked: true })
  return bytes
}
