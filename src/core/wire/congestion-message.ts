/**
 * Congestion notification message of QCN as bytes: the CN-TAG and the PDU, without the beginning of the frame that was
 * sampled, which the standard lets a switch leave out.
 * Source: 802.1Qau 33.2 (CN-TAG) and 33.3, 33.4 (PDU).
 */

/** Types of the tag and of the PDU after it. */
export const CN_TAG = 0x22e9
const CNM_TYPE = 0x22e7
const BYTES = 2 + 2 + 24

export interface CongestionMessage {
  /** Flow identifier of the sampled frame, 16 bits. */
  readonly flow: number
  /** Quantized feedback, 0..63. */
  readonly feedback: number
  /** Address of the congestion point: MAC of its port. */
  readonly point: number
  /** Priority of the sampled frame. */
  readonly trafficClass: number
  /** Destination address of the sampled frame. */
  readonly destination: number
}

/** Content of an Ethernet frame whose type is CN_TAG. */
export function writeCongestionMessage(message: CongestionMessage): Uint8Array {
  const bytes = new Uint8Array(BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, message.flow)
  view.setUint16(2, CNM_TYPE)
  // Version 4 bits and reserved 6 bits are 0.
  view.setUint16(4, message.feedback)
  view.setUint16(6, Math.floor(message.point / 2 ** 32))
  view.setUint32(8, message.point % 2 ** 32)
  view.setUint16(12, message.trafficClass)
  // Offset and change of the queue, 2 bytes each, are 0: the message has their sum as feedback.
  view.setUint16(18, message.trafficClass << 13)
  view.setUint16(20, Math.floor(message.destination / 2 ** 32))
  view.setUint32(22, message.destination % 2 ** 32)
  return bytes
}
