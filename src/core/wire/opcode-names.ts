/** Names of opcodes, as Wireshark writes them. */
import { CNP_OPCODE } from './bth.ts'
import * as opcodes from './opcodes.ts'

const NAMES: ReadonlyMap<number, string> = new Map([
  [opcodes.SEND_FIRST, 'SEND First'],
  [opcodes.SEND_MIDDLE, 'SEND Middle'],
  [opcodes.SEND_LAST, 'SEND Last'],
  [opcodes.SEND_LAST_IMMEDIATE, 'SEND Last Immediate'],
  [opcodes.SEND_ONLY, 'SEND Only'],
  [opcodes.SEND_ONLY_IMMEDIATE, 'SEND Only Immediate'],
  [opcodes.WRITE_FIRST, 'RDMA WRITE First'],
  [opcodes.WRITE_MIDDLE, 'RDMA WRITE Middle'],
  [opcodes.WRITE_LAST, 'RDMA WRITE Last'],
  [opcodes.WRITE_LAST_IMMEDIATE, 'RDMA WRITE Last Immediate'],
  [opcodes.WRITE_ONLY, 'RDMA WRITE Only'],
  [opcodes.WRITE_ONLY_IMMEDIATE, 'RDMA WRITE Only Immediate'],
  [opcodes.READ_REQUEST_OPCODE, 'RDMA READ Request'],
  [opcodes.READ_RESPONSE_FIRST, 'RDMA READ response First'],
  [opcodes.READ_RESPONSE_MIDDLE, 'RDMA READ response Middle'],
  [opcodes.READ_RESPONSE_LAST, 'RDMA READ response Last'],
  [opcodes.READ_RESPONSE_ONLY, 'RDMA READ response Only'],
  [opcodes.ACKNOWLEDGE, 'Acknowledge'],
  [opcodes.ATOMIC_ACKNOWLEDGE, 'ATOMIC Acknowledge'],
  [opcodes.COMPARE_SWAP, 'CmpSwap'],
  [opcodes.FETCH_ADD, 'FetchAdd'],
  [opcodes.SEND_LAST_INVALIDATE, 'SEND Last with Invalidate'],
  [opcodes.SEND_ONLY_INVALIDATE, 'SEND Only with Invalidate'],
  [opcodes.READ_ACK, 'IRN READ-ACK'],
  [opcodes.READ_NACK, 'IRN READ-NACK'],
  [CNP_OPCODE, 'CNP'],
])

/** Name of an opcode of the reliable connected service, or of a CNP. */
export function opcodeName(opcode: number): string {
  return NAMES.get(opcode) ?? `opcode ${opcode}`
}
