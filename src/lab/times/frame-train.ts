/**
 * Frame train: the frames of one message. All are equal but the first, which may have a header that names the place of the
 * data, and the last, which is short and may have headers of its own.
 * Units: bytes.
 */
import { dataFrameBytes, type FrameSizes } from '../../core/transport/endpoint.ts'
import { RETH, SEND } from '../../core/transport/segment.ts'
import { type Operation, plainOf } from '../../core/workload/workload.ts'

/** Frames of a message. A single frame has the size of the last. */
export interface FrameTrain {
  readonly packets: number
  readonly firstBytes: number
  readonly fullBytes: number
  readonly lastBytes: number
}

/** A train by size and operation of a message. */
export type TrainOf = (sizeBytes: number, operation: Operation) => FrameTrain

/** Number of packets of a message, and payload of the last. */
export function packetsOf(sizeBytes: number, payloadBytes: number): { packets: number; lastPayload: number } {
  const packets = sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / payloadBytes)
  return { packets, lastPayload: sizeBytes - (packets - 1) * payloadBytes }
}

/** Trains of plain messages. */
export function plainTrains(frames: FrameSizes): TrainOf {
  return (sizeBytes, operation) => {
    const { payloadBytes } = frames
    const { packets, lastPayload } = packetsOf(sizeBytes, payloadBytes)
    const plain = plainOf(operation)
    const flags = plain === 'send' ? SEND : 0
    const firstFlags = plain === 'write' ? RETH : flags
    return {
      packets,
      firstBytes: dataFrameBytes(frames, payloadBytes, firstFlags),
      fullBytes: dataFrameBytes(frames, payloadBytes, flags),
      lastBytes: dataFrameBytes(frames, lastPayload, packets === 1 ? firstFlags : flags),
    }
  }
}

export function singleFrame(frameBytes: number): FrameTrain {
  return { packets: 1, firstBytes: frameBytes, fullBytes: frameBytes, lastBytes: frameBytes }
}

/** The part of a train that lane `lane` of `lanes` carries, where packets take them in turn; null: none. */
export function laneTrain(train: FrameTrain, lane: number, lanes: number): FrameTrain | null {
  const { packets, firstBytes, fullBytes, lastBytes } = train
  if (lane >= packets) return null
  const hasLast = (packets - 1) % lanes === lane
  const lead = lane === 0 && packets > 1 ? firstBytes : fullBytes
  const own = Math.ceil((packets - lane) / lanes)
  return {
    packets: own,
    firstBytes: lead,
    fullBytes,
    lastBytes: hasLast ? lastBytes : own === 1 ? lead : fullBytes,
  }
}

/** Bytes of all frames, each with `gapBytes` more. */
export function trainBytes({ packets, firstBytes, fullBytes, lastBytes }: FrameTrain, gapBytes: number): number {
  const rest = packets === 1 ? 0 : firstBytes + (packets - 2) * fullBytes
  return rest + lastBytes + packets * gapBytes
}
