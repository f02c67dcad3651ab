/**
 * What two queue pairs have agreed on: everything that a connection needs beyond its queues.
 * Units: picoseconds, bytes, packets.
 */
import { US } from '../base/params.ts'
import { SELECTIVE_REPEAT_DEFAULTS, type SelectiveRepeatOptions } from '../transport/selective-repeat/index.ts'

/** RoCE: in order or not at all, go-back-N. IRN: placed as it comes, selective repeat (S3 5). */
export type Mode = 'roce' | 'irn'

export interface ConnectionValues {
  readonly mode: Mode
  readonly remoteQp: number
  /** Payload of a full packet. */
  readonly mtuBytes: number
  /** First PSN of our requests; IRN: also of the responses to them. 24 bits. */
  readonly sendPsn: number
  /** First PSN of theirs. */
  readonly receivePsn: number
  /** READs and atomics that we may have outstanding, and they. */
  readonly readsOut: number
  readonly readsIn: number
  /** Timeouts in a row without progress that are survived; null: any number. */
  readonly retryLimit: number | null
  /** RNR NAKs in a row that are survived; null: any number. */
  readonly rnrRetryLimit: number | null
  /** RNR timer code 0..31 of our RNR NAKs. */
  readonly rnrTimerCode: number
  /** RoCE: null: no timeouts. */
  readonly ackTimeoutPs: number | null
  /** RoCE: an ACK is asked for with each so many packets of a message, and with its last. */
  readonly ackInterval: number
  /** RoCE: most packets in flight. */
  readonly capPackets: number
  /** IRN: both directions. */
  readonly selectiveRepeat: SelectiveRepeatOptions
  /** ACKs tell how many Receive WQEs there are, and the other side minds it (IBTA 9.7.7.2). */
  readonly hasCredits: boolean
  /** Receive WQEs that the other side had when it said so. */
  readonly initialCredits: number
  /** RoCE: packets carry byte sequence numbers, and so many bytes may be in flight in each space (S4 3.1). */
  readonly lsnWindowBytes: number | null
}

export const CONNECTION_DEFAULTS: Omit<ConnectionValues, 'remoteQp'> = {
  mode: 'roce',
  mtuBytes: 1024,
  sendPsn: 0,
  receivePsn: 0,
  // Usual values of NICs; the papers give none.
  readsOut: 16,
  readsIn: 16,
  retryLimit: 7,
  rnrRetryLimit: null,
  // 0.48 ms: the default of many drivers.
  rnrTimerCode: 11,
  ackTimeoutPs: 320 * US,
  ackInterval: 1,
  capPackets: 4096,
  selectiveRepeat: SELECTIVE_REPEAT_DEFAULTS,
  hasCredits: true,
  initialCredits: 0,
  lsnWindowBytes: null,
}
