/**
 * Work frames: operations of messages that are work requests, and their packets, each with the headers of its opcode, for
 * how long these messages take alone.
 */
import { ACK, DATA, SEND } from '../../core/transport/segment.ts'
import {
  OP_COMPARE_SWAP,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_SEND_IMMEDIATE,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  requestOpcode,
  responseOpcode,
  takesReceive,
  VerbsPacket,
} from '../../core/verbs/index.ts'
import {
  ACKNOWLEDGE,
  ATOMIC_ACKNOWLEDGE,
  COMPARE_SWAP,
  FETCH_ADD,
  READ_REQUEST_OPCODE,
} from '../../core/wire/opcodes.ts'
import { isAtomic, type Operation } from '../../core/workload/workload.ts'
import { packetsOf } from '../times/frame-train.ts'
import { type PathUse, plainUse } from '../times/path-times.ts'
import type { WorkSchemes } from './work-link.ts'

/** Operations of verbs. */
export const OPERATION_OF = {
  write: OP_WRITE,
  send: OP_SEND,
  read: OP_READ,
  'write-immediate': OP_WRITE_IMMEDIATE,
  'send-immediate': OP_SEND_IMMEDIATE,
  'send-invalidate': OP_SEND_INVALIDATE,
  'compare-and-swap': OP_COMPARE_SWAP,
  'fetch-and-add': OP_FETCH_ADD,
} as const satisfies Readonly<Record<Operation, number>>

/** Frames of work requests with these schemes. */
export function workUse({ scenario, frames, links }: Pick<WorkSchemes, 'scenario' | 'frames' | 'links'>): PathUse {
  const frameBytes = links.frameBytes({ mode: links.mode, lsnWindowBytes: links.lsnWindowBytes })
  const packet = new VerbsPacket(0)
  const bytesOf = (opcode: number, payloadBytes: number): number => {
    const flags = takesReceive(opcode) ? SEND : 0
    return frameBytes(Object.assign(packet, { kind: opcode === ACKNOWLEDGE ? ACK : DATA, opcode, payloadBytes, flags }))
  }
  const opcodeOf = (operation: Operation, isFirst: boolean, isLast: boolean): number => {
    if (isAtomic(operation)) return ATOMIC_ACKNOWLEDGE
    return operation === 'read'
      ? responseOpcode(isFirst, isLast)
      : requestOpcode(OPERATION_OF[operation], isFirst, isLast)
  }
  return {
    ...plainUse(scenario, frames),
    trainOf: (sizeBytes, operation) => {
      // The operand of an atomic is in a header.
      const payloadBytes = isAtomic(operation) ? 0 : sizeBytes
      const { packets, lastPayload } = packetsOf(payloadBytes, frames.payloadBytes)
      return {
        packets,
        firstBytes: bytesOf(opcodeOf(operation, true, false), frames.payloadBytes),
        fullBytes: bytesOf(opcodeOf(operation, false, false), frames.payloadBytes),
        lastBytes: bytesOf(opcodeOf(operation, packets === 1, true), lastPayload),
      }
    },
    ackBytes: bytesOf(ACKNOWLEDGE, 0),
    requestBytesOf: (operation) => {
      const isSwap = operation === 'compare-and-swap'
      return bytesOf(isSwap ? COMPARE_SWAP : operation === 'fetch-and-add' ? FETCH_ADD : READ_REQUEST_OPCODE, 0)
    },
  }
}
