/**
 * Packets of queue pair 1: unreliable datagrams of 256 bytes, one for each management datagram.
 * Source: IBTA 9.3.2 (DETH), 13.5; the queue key of queue pair 1 is fixed.
 */
import { BTH_BYTES, MAD_BYTES, readBth, writeUdPacket } from '../../core/wire/index.ts'

/** SEND in one packet, of unreliable datagrams. */
const SEND_ONLY_DATAGRAM = 0x64
const DETH_BYTES = 8
const QUEUE_KEY = 0x80010000
const MANAGEMENT_QP = 1

/** From the BTH to the end of the datagram. */
export function writeManagement(psn: number, mad: Uint8Array): Uint8Array {
  const ends = { destinationQp: MANAGEMENT_QP, sourceQp: MANAGEMENT_QP }
  return writeUdPacket({ psn, ...ends, queueKey: QUEUE_KEY, payload: mad.subarray(0, MAD_BYTES) })
}

/** The datagram, owned by the caller; null: another packet, or another length, partition, version or queue key. */
export function readManagement(bytes: Uint8Array): Uint8Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length !== BTH_BYTES + DETH_BYTES + MAD_BYTES) return null
  const bth = readBth(view, 0)
  if (bth === null || bth.opcode !== SEND_ONLY_DATAGRAM || bth.version !== 0 || bth.padBytes !== 0) return null
  if ((bth.partition & 0x7fff) !== 0x7fff || view.getUint32(BTH_BYTES) !== QUEUE_KEY) return null
  return bytes.slice(BTH_BYTES + DETH_BYTES)
}
