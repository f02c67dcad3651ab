/**
 * TCP packets of the recoveries that are TCP: header with sequence numbers, acknowledgements, SACK and marks.
 * The simulation counts segments, so a stream position is the segment's number times the bytes of a full segment. What
 * iWARP puts into the stream (MPA, DDP, RDMAP) is counted and not encoded: zeros.
 */
import { INTS } from '../../core/base/memory.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { DIRECTION, FLAGS, KIND, PAYLOAD, PSN, SACK_PSN, SIZE, TRIMMED_BYTES } from '../../core/fabric/packets.ts'
import { unwrapPsn } from '../../core/transport/psn.ts'
import { tcpOverheadBytes } from '../../core/transport/recovery/tcp-framing.ts'
import { ACK, CWR, DATA, ECE, LAST, SACK, SEND, TRIMMED } from '../../core/transport/segment.ts'
import { IPV4_BYTES, type Ipv4Header } from '../../core/wire/ip.ts'
import {
  TCP_ACK,
  TCP_CWR,
  TCP_ECE,
  TCP_PSH,
  tcpHeaderBytes,
  type TcpSegment,
  writeTcpPacket,
} from '../../core/wire/tcp.ts'

const ints = INTS
/** Ethernet header and FCS, IPv4 header. */
const AROUND_BYTES = 18 + IPV4_BYTES
const WINDOW = 0xffff

/** Bytes of tags in the sizes of frames. */
export interface TagSizes {
  /** In this frame. */
  readonly inFrame: number
  /** In the sizes that the queue pair's endpoints know. */
  readonly inTable: number
}

interface TcpFrame {
  readonly kind: string
  /** The IP packet. */
  readonly bytes: Uint8Array
  /** Bytes of it before the payload, which is zeros. */
  readonly headBytes: number
}

/** The IP packet of a packet whose queue pair has the frames of TCP. */
export function tcpFrameOf(
  packet: number,
  pair: QueuePair,
  ip: Ipv4Header,
  ports: Pick<TcpSegment, 'sourcePort' | 'destinationPort'>,
  tags: TagSizes,
): TcpFrame {
  const kind = ints[packet | KIND]!
  const flags = ints[packet | FLAGS]!
  const isAck = kind === ACK
  const isData = kind === DATA || kind === TRIMMED
  const isForward = (ints[packet | DIRECTION]! & 1) === 0
  const timestamps = hasTimestamps(pair, tags) ? ([0, 0] as const) : null
  const fullBytes = segmentBytes(pair, tags) - tcpHeaderBytes({ timestamps, sack: null })
  const position = (psn: number): number => (unwrapPsn(psn & 0xffffff, pair.sender.una) * fullBytes) % 2 ** 32
  const sacked = ints[packet | SACK_PSN]!
  const hasSack = isAck && (flags & SACK) !== 0
  const sack = hasSack ? ([position(sacked), position(sacked + 1)] as const) : null
  const headerBytes = tcpHeaderBytes({ timestamps, sack })
  const psn = ints[packet | PSN]!
  const bytes = writeTcpPacket(ip, {
    ...ports,
    timestamps,
    sack,
    // The stream of the other direction has READ requests alone, which are not counted.
    sequence: isData && isForward ? position(psn) : 0,
    acknowledgement: isAck ? position(psn + 1) : 0,
    flags: TCP_ACK | (isAck ? ackFlags(flags) : dataFlags(flags)),
    window: WINDOW,
    payload: new Uint8Array(isAck ? 0 : Math.max(0, contentBytes(packet, pair, tags) - headerBytes)),
  })
  return { kind: isAck ? 'TCP ACK' : isData ? 'TCP' : 'TCP request', bytes, headBytes: IPV4_BYTES + headerBytes }
}

function ackFlags(flags: number): number {
  return (flags & ECE) === 0 ? 0 : TCP_ECE
}

function dataFlags(flags: number): number {
  return ((flags & CWR) === 0 ? 0 : TCP_CWR) | ((flags & LAST) === 0 ? 0 : TCP_PSH)
}

function hasTimestamps({ frames }: QueuePair, { inTable }: TagSizes): boolean {
  return frames.ackBytes - inTable === tcpOverheadBytes(true)
}

/** A full segment with its header. */
function segmentBytes({ frames }: QueuePair, { inTable }: TagSizes): number {
  return frames.payloadBytes + frames.dataOverheadBytes - inTable - AROUND_BYTES
}

/** Bytes after the IP header. Short frames are padded, so data are measured by the table. */
function contentBytes(packet: number, { frames, verbs }: QueuePair, { inFrame, inTable }: TagSizes): number {
  const kind = ints[packet | KIND]!
  if (kind === DATA && verbs === null) {
    const table = (ints[packet | FLAGS]! & SEND) === 0 ? frames.table!.placed : frames.table!.sends
    return table[ints[packet | PAYLOAD]!]! - inTable - AROUND_BYTES
  }
  const cutBytes = kind === TRIMMED ? ints[packet | TRIMMED_BYTES]! : 0
  return ints[packet | SIZE]! + cutBytes - inFrame - AROUND_BYTES
}
