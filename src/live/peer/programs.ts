/**
 * Programs that a peer can stand in for, as data: which operation they time, and how they use it.
 * Source: rdma-core 44 (ibv_rc_pingpong), perftest 4.5+0.17: defaults of -s, -n, -t.
 */
import { OP_FETCH_ADD, OP_READ, OP_SEND, OP_WRITE, type Operation } from '../../core/verbs/index.ts'

/**
 * Behaviour above verbs. `stream`: the client keeps `depth` requests outstanding. `ping`: both ends SEND in turn, the client first. `watch`:
 * both ends WRITE in turn, the server first, and look at their memory for the other's.
 */
export type Behaviour = 'stream' | 'ping' | 'watch'

/**
 * Exchange after the traffic. `done`: a barrier and "done"; `report`: figures before "done", too; `none`: the connection is
 * closed at once.
 */
export type Closing = 'done' | 'report' | 'none'

export interface Program {
  readonly exchange: 'pingpong' | 'perftest'
  readonly operation: Operation
  readonly behaviour: Behaviour
  /** Requests outstanding for each queue pair. */
  readonly depth: number
  /** Payload of a request, unless it is given; atomics have 8 bytes. */
  readonly sizeBytes: number
  /** The exchange has a barrier more before the traffic. */
  readonly hasSecondBarrier: boolean
  readonly closing: Closing
}

const program = (operation: Operation, behaviour: Behaviour, rest: Partial<Program> = {}): Program => ({
  exchange: 'perftest',
  operation,
  behaviour,
  depth: 1,
  sizeBytes: operation === OP_FETCH_ADD ? 8 : 2,
  hasSecondBarrier: true,
  closing: 'done',
  ...rest,
})
const BANDWIDTH = { depth: 128, sizeBytes: 65_536, hasSecondBarrier: false, closing: 'report' as const }

export const PROGRAMS = {
  ibv_rc_pingpong: program(OP_SEND, 'ping', { exchange: 'pingpong', sizeBytes: 4096 }),
  ib_write_bw: program(OP_WRITE, 'stream', BANDWIDTH),
  ib_write_lat: program(OP_WRITE, 'watch', { closing: 'none' }),
  ib_read_bw: program(OP_READ, 'stream', BANDWIDTH),
  ib_read_lat: program(OP_READ, 'stream'),
  ib_send_bw: program(OP_SEND, 'stream', { ...BANDWIDTH, hasSecondBarrier: true, closing: 'done' }),
  ib_send_lat: program(OP_SEND, 'ping'),
  ib_atomic_bw: program(OP_FETCH_ADD, 'stream', { ...BANDWIDTH, sizeBytes: 8 }),
  ib_atomic_lat: program(OP_FETCH_ADD, 'stream'),
} as const satisfies Readonly<Record<string, Program>>

export type ProgramName = keyof typeof PROGRAMS
export const PROGRAM_NAMES = Object.keys(PROGRAMS) as readonly ProgramName[]
