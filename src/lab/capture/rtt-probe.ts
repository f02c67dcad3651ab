/**
 * RTT probes as packets: [LDCP] 3.2 has them and gives no format, so they have an opcode that the standard leaves to
 * manufacturers.
 * Source: IBTA 9.2.1 (opcodes 0xc0 to 0xff); the 16 bytes of `frames.rttProbe`.
 */
import { BTH_BYTES, writeBth } from '../../wire/bth.ts'

export const RTT_PROBE_OPCODE = 0xc0
const CONTENT_BYTES = 16

/** From the BTH to its end. @param sentPs time of the request, in whole picoseconds */
export function rttProbe(destinationQp: number, sentPs: number): Uint8Array {
  const bytes = new Uint8Array(BTH_BYTES + CONTENT_BYTES)
  const view = new DataView(bytes.buffer)
  const fields = { psn: 0, isAckRequested: false, isSolicited: false, padBytes: 0 }
  writeBth(view, 0, { ...fields, opcode: RTT_PROBE_OPCODE, destinationQp })
  view.setUint32(BTH_BYTES, Math.floor(sentPs / 2 ** 32))
  view.setUint32(BTH_BYTES + 4, sentPs % 2 ** 32)
  return bytes
}
