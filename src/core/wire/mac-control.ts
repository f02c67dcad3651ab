/**
 * MAC control frames as bytes: priority-based flow control (802.1Qbb, opcode 0101) and the older pause of a whole link
 * (802.3 annex 31B, opcode 0001). Without preamble and FCS a frame is 60 bytes.
 * Units: pause times in quanta of 512 bit times.
 */
import { readAddress, writeAddress } from './ethernet.ts'

/** Frame without FCS. */
export const MAC_CONTROL_BYTES = 60
/** Ethertype. */
export const MAC_CONTROL = 0x8808
const OPCODE_PAUSE = 0x0001
const OPCODE_PFC = 0x0101
/** Reserved group address to which all of these frames go; bridges do not forward it. */
const DESTINATION = 0x0180c2000001

const SOURCE_AT = 6
const TYPE_AT = 12
const OPCODE_AT = 14
const VECTOR_AT = 16
const TIMES_AT = 18

export type MacControl =
  | { readonly kind: 'pfc'; readonly source: number; readonly vector: number; readonly quanta: readonly number[] }
  | { readonly kind: 'pause'; readonly source: number; readonly quanta: number }

/** @param frame source: 48-bit address; vector: a bit per class; quanta: time of each of the eight classes */
export function writeMacControl(frame: MacControl): Uint8Array {
  const bytes = new Uint8Array(MAC_CONTROL_BYTES)
  const view = new DataView(bytes.buffer)
  writeAddress(view, 0, DESTINATION)
  writeAddress(view, SOURCE_AT, frame.source)
  view.setUint16(TYPE_AT, MAC_CONTROL)
  if (frame.kind === 'pause') {
    view.setUint16(OPCODE_AT, OPCODE_PAUSE)
    view.setUint16(VECTOR_AT, frame.quanta)
    return bytes
  }
  view.setUint16(OPCODE_AT, OPCODE_PFC)
  view.setUint16(VECTOR_AT, frame.vector)
  for (let c = 0; c < 8; c++) view.setUint16(TIMES_AT + 2 * c, frame.quanta[c] ?? 0)
  return bytes
}

/** null: too short, or not a MAC control frame of one of these opcodes. The source address may be any, zero included. */
export function readMacControl(bytes: Uint8Array): MacControl | null {
  if (bytes.length < MAC_CONTROL_BYTES) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (readAddress(view, 0) !== DESTINATION || view.getUint16(TYPE_AT) !== MAC_CONTROL) return null
  const source = readAddress(view, SOURCE_AT)
  switch (view.getUint16(OPCODE_AT)) {
    case OPCODE_PAUSE:
      return { kind: 'pause', source, quanta: view.getUint16(VECTOR_AT) }
    case OPCODE_PFC: {
      const quanta = Array.from({ length: 8 }, (_, c) => view.getUint16(TIMES_AT + 2 * c))
      return { kind: 'pfc', source, vector: view.getUint16(VECTOR_AT) & 0xff, quanta }
    }
    default:
      return null
  }
}

/** An address that one station may have: not zero, not a group. */
export function isStationAddress(address: number): boolean {
  return address !== 0 && Math.floor(address / 2 ** 40) % 2 === 0
}
