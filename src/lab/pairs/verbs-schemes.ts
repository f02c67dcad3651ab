/**
 * Verbs schemes: the halves of a verbs queue pair at a host, with the recovery, the congestion control and the timeouts
 * that the scenario names, or with those that the values of its connection name.
 * Units: bytes of frames, from the Ethernet header to the FCS.
 */
import { AROUND_BYTES } from '../../core/fabric/nic/verbs-end.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { controlFrameBytes, dataFrameBytes, type FrameSizes } from '../../core/transport/endpoint.ts'
import type { HostStack } from '../../core/transport/host-stack.ts'
import type { PacketSpace } from '../../core/transport/send/packet-space.ts'
import type { ReceiverOptions } from '../../core/transport/receive/receiver-options.ts'
import { DATA, SACK } from '../../core/transport/segment.ts'
import type { SenderOptions } from '../../core/transport/send/sender-options.ts'
import {
  type ConnectionValues,
  type HalfKind,
  packetBytes,
  type Schemes,
  type VerbsPacket,
} from '../../core/verbs/index.ts'
import {
  ATOMIC_ACKNOWLEDGE,
  FORMAT_IRN,
  FORMAT_LSN,
  FORMAT_ROCE,
  isAtomic,
  READ_REQUEST_OPCODE,
} from '../../core/wire/opcodes.ts'
import { recoveryOf } from '../network/definitions.ts'
import type { Direction, HalfMaker } from './halves.ts'

/** Bytes of a verbs packet's frame. */
export type VerbsFrameBytes = (packet: Readonly<VerbsPacket>) => number

/** Format of the packets of a connection with these values. */
export function formatOf({ mode, lsnWindowBytes }: Pick<ConnectionValues, 'mode' | 'lsnWindowBytes'>): number {
  return (mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE) | (lsnWindowBytes === null ? 0 : FORMAT_LSN)
}

/** Frame sizes of verbs packets: their own headers, with the overheads that the scenario adds to data and to ACKs. */
export function verbsFrameBytes(
  scenario: Scenario,
  frames: FrameSizes,
  values: Pick<ConnectionValues, 'mode' | 'lsnWindowBytes'>,
): VerbsFrameBytes {
  const { dataOverhead, ack } = scenario.frames
  const { minimumBytes, table } = frames
  const format = formatOf(values)
  if (table !== null) {
    return ({ kind, opcode, payloadBytes, flags }) => {
      if (kind !== DATA) return controlFrameBytes(frames, kind, flags & SACK)
      if (opcode === READ_REQUEST_OPCODE) return frames.readRequestBytes
      // RFC 7306: a request is 24 bytes longer than a READ's, and a response has the eight bytes of the old value.
      if (isAtomic(opcode)) return frames.readRequestBytes + 24
      return dataFrameBytes(frames, payloadBytes, flags) + (opcode === ATOMIC_ACKNOWLEDGE ? 8 : 0)
    }
  }
  // packetBytes() counts IRN's headers packet by packet, in place of `schemeBytes`, the recovery's worst case.
  const schemeBytes = values.mode === 'irn' ? (recoveryOf(scenario).headerBytes?.(scenario.recovery) ?? 0) : 0
  const dataBytes = AROUND_BYTES + frames.dataOverheadBytes - dataOverhead - schemeBytes
  const ackBytes = AROUND_BYTES + frames.ackBytes - ack
  return (packet) => {
    const bytes = packetBytes(packet, format) + (packet.kind === DATA ? dataBytes : ackBytes)
    return bytes < minimumBytes ? minimumBytes : bytes
  }
}

interface VerbsSchemesOptions {
  readonly halves: HalfMaker
  readonly frameBytes: VerbsFrameBytes
  /** Its host, and that of the other end. */
  readonly host: number
  readonly otherHost: number
  /** Its port, where it has several. */
  readonly home: number
  /** The other host opened the queue pair. */
  readonly isAnswer: boolean
  /** A full packet to the other end and its ACK back, alone in the network. */
  readonly baseRttPs: number
  readonly isInOrder: boolean
  /** Its halves can be observed. */
  readonly isWatched: boolean
  readonly rnrTimerCode: number
  /** Host stack between the queue pair and its NIC; null: none. */
  readonly stack: HostStack | null
}

export class VerbsSchemes implements Schemes {
  readonly isInOrder: boolean
  readonly isWatched: boolean
  readonly baseRttPs: number
  readonly #options: VerbsSchemesOptions
  private readonly gapBytes: number
  private readonly frameBytes: VerbsFrameBytes

  constructor(options: VerbsSchemesOptions) {
    this.#options = options
    this.isInOrder = options.isInOrder
    this.isWatched = options.isWatched
    this.baseRttPs = options.baseRttPs
    this.frameBytes = options.frameBytes
    this.gapBytes = options.halves.choices.frames.gapBytes
  }

  senderOptions(kind: HalfKind): SenderOptions {
    return this.#options.halves.senderOptions(this.#direction(kind))
  }

  equip(space: PacketSpace<VerbsPacket>, kind: HalfKind): void {
    const { halves, stack } = this.#options
    halves.equip(space as PacketSpace, this.#direction(kind), stack)
  }

  receiverOptions(kind: HalfKind): ReceiverOptions {
    const { halves, rnrTimerCode } = this.#options
    const { host, otherHost } = this.#options
    // Data come from the other end.
    const own = this.#direction(kind)
    const direction = { ...own, source: otherHost, destination: host, isAnswer: !own.isAnswer }
    const { timers } = halves.receiverTimers(direction.isRead)
    // A verbs queue pair has its own Receive WQEs.
    return { ...halves.receiverOptions(direction, timers), receiveQueue: null, rnrCode: rnrTimerCode }
  }

  wireBytes(packet: Readonly<VerbsPacket>): number {
    return this.frameBytes(packet) + this.gapBytes
  }

  #direction(kind: HalfKind): Direction {
    const { host, otherHost, home, isAnswer, baseRttPs } = this.#options
    return { source: host, destination: otherHost, home, isAnswer, isRead: kind === 'responses', baseRttPs }
  }
}
