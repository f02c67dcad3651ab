/**
 * Frames as rules see them: which kinds of packet a frame is, and where its parts are.
 * Source: IBTA 9.2.1 (opcodes by service), 9.3 (extended headers), 12.6 (management datagrams), annex A17.
 */
import {
  ACKNOWLEDGE,
  type AnyConnectionMad,
  ATOMIC_ACKNOWLEDGE,
  BTH_BYTES,
  type BthBits,
  type BthFields,
  CNP_OPCODE,
  FORMAT_ROCE,
  HAS_AETH,
  HAS_ATOMIC_ETH,
  HAS_RETH,
  headerBytes,
  headersOf,
  isAtomic,
  isDefined,
  isLast,
  isReadResponse,
  isSend,
  isWrite,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_LAST,
  READ_RESPONSE_ONLY,
  readBth,
  readConnectionMad,
  readFrame,
  ROCE_PORT,
  type RoceFrame,
} from '../../core/wire/index.ts'
import type { PacketKind } from './script.ts'

export interface Seen {
  readonly roce: RoceFrame
  readonly bth: BthFields & BthBits
  readonly view: DataView
  readonly kinds: ReadonlySet<PacketKind>
  /** Connection management; null: another packet. */
  readonly mad: AnyConnectionMad | null
  /** Offsets in the packet; -1: there is no such header. */
  readonly aethAt: number
  readonly memoryAt: number
  readonly payloadAt: number
  /** Without padding. */
  readonly payloadBytes: number
  /** Last or only packet of a message. */
  readonly isLast: boolean
}

/** Services by the upper three bits of the opcode, with the bytes of the header that each has before those of RC. */
const RC_LIKE: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [5, 4],
])
const UD = 3
const DETH_BYTES = 8
const MANAGEMENT_QP = 1

/** Where a management datagram is in its packet. */
export const MAD_AT: number = BTH_BYTES + DETH_BYTES

/** null: no RoCEv2 packet, or one whose lengths contradict each other. @param format FORMAT_ bits of its connection */
export function see(frame: Uint8Array, format: number = FORMAT_ROCE): Seen | null {
  const read = readFrame(frame)
  if (read?.kind !== 'roce' || read.destinationPort !== ROCE_PORT) return null
  const { packet } = read
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength)
  const bth = readBth(view, 0)
  if (bth === null) return null
  const service = bth.opcode >> 5
  const extra = RC_LIKE.get(service)
  const low = bth.opcode & 31
  if (extra !== undefined && isDefined(low, format)) return connected(read, bth, view, extra, format)
  const mad = service === UD && bth.destinationQp === MANAGEMENT_QP ? readConnectionMad(packet.subarray(MAD_AT)) : null
  const kinds: PacketKind[] = ['any']
  if (bth.opcode === CNP_OPCODE) kinds.push('cnp')
  else if (service === UD)
    kinds.push(
      ...(bth.destinationQp === MANAGEMENT_QP
        ? mad === null
          ? []
          : ['mad' as const]
        : ['data' as const, 'request' as const]),
    )
  const payloadAt = service === UD ? BTH_BYTES + DETH_BYTES + (low % 2) * 4 : BTH_BYTES
  return {
    roce: read,
    bth,
    view,
    kinds: new Set(kinds),
    mad,
    aethAt: -1,
    memoryAt: -1,
    payloadAt,
    payloadBytes: Math.max(0, packet.length - payloadAt - bth.padBytes),
    isLast: service === UD,
  }
}

/** A packet whose headers are those of the reliable connected service, perhaps after `extra` bytes of its own. */
function connected(roce: RoceFrame, bth: Seen['bth'], view: DataView, extra: number, format: number): Seen {
  const low = bth.opcode & 31
  const isRequest = isSend(low) || isWrite(low) || low === READ_REQUEST_OPCODE || isAtomic(low)
  const before = BTH_BYTES + (isRequest ? extra : 0)
  const headers = headersOf(low, format)
  const payloadAt = before + headerBytes(low, format) - BTH_BYTES
  const isThere = view.byteLength >= payloadAt + bth.padBytes
  const aethAt = isThere && (headers & HAS_AETH) !== 0 ? before : -1
  const memoryAt = isThere && (headers & (HAS_RETH | HAS_ATOMIC_ETH)) !== 0 ? before : -1
  return {
    roce,
    bth,
    view,
    kinds: new Set(isThere ? kindsOf(low, aethAt < 0 ? 0 : view.getUint8(aethAt)) : ['any']),
    mad: null,
    aethAt,
    memoryAt,
    payloadAt,
    payloadBytes: Math.max(0, view.byteLength - payloadAt - bth.padBytes),
    isLast:
      isLast(low) ||
      low === READ_REQUEST_OPCODE ||
      isAtomic(low) ||
      low === READ_RESPONSE_LAST ||
      low === READ_RESPONSE_ONLY,
  }
}

/** Type of an acknowledgement by the upper bits of its syndrome (IBTA 9.7.5.2). */
const SYNDROMES: readonly (PacketKind | null)[] = ['ack', 'rnr', null, 'nak']

function kindsOf(opcode: number, syndrome: number): PacketKind[] {
  if (isSend(opcode) || isWrite(opcode)) return ['any', 'request', 'data']
  if (opcode === READ_REQUEST_OPCODE) return ['any', 'request', 'read-request']
  if (isAtomic(opcode)) return ['any', 'request', 'atomic']
  if (isReadResponse(opcode)) return ['any', 'read-response']
  if (opcode === ATOMIC_ACKNOWLEDGE) return ['any', 'atomic-response']
  if (opcode === READ_ACK || opcode === READ_NACK) return ['any', opcode === READ_ACK ? 'ack' : 'nak']
  const kind = opcode === ACKNOWLEDGE ? SYNDROMES[(syndrome >> 5) & 3] : null
  return kind === null || kind === undefined ? ['any'] : ['any', kind]
}
