/** Operations of work requests and of completions. */
export const OP_SEND = 0
export const OP_SEND_IMMEDIATE = 1
export const OP_SEND_INVALIDATE = 2
export const OP_WRITE = 3
export const OP_WRITE_IMMEDIATE = 4
export const OP_READ = 5
export const OP_COMPARE_SWAP = 6
export const OP_FETCH_ADD = 7
/** Completions only: a SEND used the Receive WQE. */
export const OP_RECEIVE = 8
/** Completions only: a WRITE with immediate used the Receive WQE. */
export const OP_RECEIVE_WRITE = 9

export type Operation =
  | typeof OP_SEND
  | typeof OP_SEND_IMMEDIATE
  | typeof OP_SEND_INVALIDATE
  | typeof OP_WRITE
  | typeof OP_WRITE_IMMEDIATE
  | typeof OP_READ
  | typeof OP_COMPARE_SWAP
  | typeof OP_FETCH_ADD

/** Whether the number is an operation of work requests. */
export function isOperation(operation: number): operation is Operation {
  return Number.isInteger(operation) && operation >= OP_SEND && operation <= OP_FETCH_ADD
}

/** Whether it uses a Receive WQE at the other end. */
export function consumesReceive(operation: Operation): boolean {
  return operation <= OP_SEND_INVALIDATE || operation === OP_WRITE_IMMEDIATE
}

/** READ or atomic: answered by response packets. */
export function isAnswered(operation: Operation): boolean {
  return operation >= OP_READ
}

/** Longest message, bytes (IBTA 9.4). */
export const MESSAGE_BYTES_MAX = 2 ** 31

/** Whether a message may have this length. */
export function isMessageLength(bytes: number): boolean {
  return Number.isInteger(bytes) && bytes >= 0 && bytes <= MESSAGE_BYTES_MAX
}
