/**
 * Answers that are made in the name of the receiver of a packet: NAKs, CNPs, rejections of connections.
 * Source: IBTA 9.7.5.2 (AETH), annex A17.9.3 (CNP), 12.6.7 (REJ).
 */
import { ACKNOWLEDGE, BTH_BYTES, type RoceFrame, writeBth, writeCnp, writeRoceFrame } from '../../wire/index.ts'
import { MAD_AT, type Seen } from './seen.ts'
import { MAD_ATTRIBUTES } from './script.ts'

const AETH_BYTES = 4
const HOP_LIMIT = 64
const CE = 3
const ECT0 = 2

/** A frame from the receiver of `seen` to its sender. */
function answer({ roce }: Seen, packet: Uint8Array): Uint8Array {
  const { link, ip } = roce
  const ends = { source: ip.destination, destination: ip.source }
  const back: RoceFrame = {
    ...roce,
    link: { ...link, source: link.destination, destination: link.source },
    ip: { ...ip, ...ends, hopLimit: HOP_LIMIT, ecn: ip.ecn === CE ? ECT0 : ip.ecn },
    packet,
  }
  return writeRoceFrame(back)
}

/** An acknowledgement packet for a request, with this syndrome. @param requesterQp queue pair that sent the request */
export function nakFor(seen: Seen, requesterQp: number, syndrome: number, msn: number): Uint8Array {
  const packet = new Uint8Array(BTH_BYTES + AETH_BYTES)
  const view = new DataView(packet.buffer)
  const { bth } = seen
  const fields = {
    opcode: (bth.opcode & 0xe0) | ACKNOWLEDGE,
    psn: bth.psn,
    isAckRequested: false,
    isSolicited: false,
    destinationQp: requesterQp,
    padBytes: 0,
  }
  writeBth(view, 0, fields, { ...bth, isForwardMarked: false, isBackwardMarked: false })
  view.setUint32(BTH_BYTES, ((syndrome << 24) | (msn & 0xffffff)) >>> 0)
  return answer(seen, packet)
}

/** A CNP for the queue pair that sent a packet. */
export function cnpFor(seen: Seen, senderQp: number): Uint8Array {
  return answer(seen, writeCnp(senderQp))
}

/** Offsets in the 232 bytes after the header of a management datagram (IBTA 12.6.7). */
const CONTENT_AT = MAD_AT + 24
const ATTRIBUTE_AT = MAD_AT + 16
const REMOTE_ID = 4
const REASON = 10

/** The answer REJ to a REQ. */
export function rejectionOf(seen: Seen, reason: number): Uint8Array {
  const packet = seen.roce.packet.slice()
  const view = new DataView(packet.buffer)
  const requesterId = view.getUint32(CONTENT_AT)
  packet.fill(0, CONTENT_AT)
  view.setUint16(ATTRIBUTE_AT, MAD_ATTRIBUTES.REJ)
  view.setUint32(CONTENT_AT + REMOTE_ID, requesterId)
  view.setUint16(CONTENT_AT + REASON, reason)
  return answer(seen, packet)
}
