/**
 * Work frames: sizes of the packets of messages that are work requests, for how long these take alone.
 */
import type { FrameSizes } from '../../transport/endpoint.ts'
import { DATA } from '../../transport/segment.ts'
import { VerbsPacket } from '../../verbs/index.ts'
import { ATOMIC_ACKNOWLEDGE, READ_RESPONSE_MIDDLE, SEND_MIDDLE, WRITE_FIRST, WRITE_MIDDLE } from '../../wire/opcodes.ts'
import { ATOMIC_BYTES } from '../../workload/workload.ts'
import type { WorkSchemes } from './work-link.ts'

/** Frame sizes of a kind of messages: overhead of middle packets, and of the first packet. */
export function workFrames({ frames, links }: WorkSchemes, kind: 'atomic' | 'write' | 'send' | 'read'): FrameSizes {
  if (frames.table !== null && kind !== 'atomic') return frames
  const frameBytes = links.frameBytes({
    mode: links.mode,
    lsnWindowBytes: links.lsnWindowBytes,
  })
  const packet = new VerbsPacket(0)
  const overheadOf = (opcode: number, payloadBytes: number, countedBytes: number): number =>
    frameBytes(Object.assign(packet, { kind: DATA, opcode, payloadBytes })) - countedBytes
  const { payloadBytes } = frames
  if (kind === 'atomic') {
    const dataOverheadBytes = overheadOf(ATOMIC_ACKNOWLEDGE, 0, ATOMIC_BYTES)
    // One packet, even where the payload of full packets is shorter.
    return {
      ...frames,
      table: null,
      dataOverheadBytes,
      writeOverheadBytes: 0,
      payloadBytes: Math.max(payloadBytes, ATOMIC_BYTES),
    }
  }
  if (kind === 'read')
    return {
      ...frames,
      dataOverheadBytes: overheadOf(READ_RESPONSE_MIDDLE, payloadBytes, payloadBytes),
      writeOverheadBytes: 0,
    }
  const middle = overheadOf(kind === 'send' ? SEND_MIDDLE : WRITE_MIDDLE, payloadBytes, payloadBytes)
  const first = kind === 'send' ? middle : overheadOf(WRITE_FIRST, payloadBytes, payloadBytes)
  return { ...frames, dataOverheadBytes: middle, writeOverheadBytes: first - middle }
}
