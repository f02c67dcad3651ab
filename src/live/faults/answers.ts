/**
 * Answers that are made in the name of the receiver of a packet: NAKs, CNPs, rejections of connections.
 * Source: IBTA 9.7.5.2 (AETH), annex A17.9.3 (CNP), 12.6.7 (REJ).
 */
import {
  ACKNOWLEDGE,
  BTH_BYTES,
  type ConnectionMad,
  type RoceFrame,
  writeBth,
  writeCnp,
  writeConnectionMad,
  writeRoceFrame,
} from '../../core/wire/index.ts'
import { REJECTED, rejectionOf } from '../cm/messages.ts'
import { MAD_AT, type Seen } from './seen.ts'

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

/** The answer REJ to a REQ. */
export function rejectionFor(seen: Seen, request: ConnectionMad<'REQ'>, reason: number): Uint8Array {
  const { transactionId, localId: remoteId } = request
  const packet = seen.roce.packet.slice()
  packet.set(writeConnectionMad(rejectionOf({ transactionId, localId: 0, remoteId }, REJECTED.REQ, reason)), MAD_AT)
  return answer(seen, packet)
}
