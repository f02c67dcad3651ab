/**
 * What two queue pairs have agreed on: everything that a connection needs beyond its queues.
 * Units: picoseconds, bytes, packets.
 */
import { US } from '../../base/params.ts'
import type { Schemes } from '../schemes.ts'

/** IRN's selective repeat. Source: [IRN] 3.1, 3.2. */
export interface SelectiveRepeatValues {
  /** BDP-FC: most packets in flight. */
  readonly capPackets: number
  /** Packets that a receiver's bitmap holds at least: the other side's cap or more. */
  readonly bitmapBits: number
  /** Null: no timeouts. */
  readonly rtoLowPs: number | null
  /** Total, from when the low one was armed. */
  readonly rtoHighPs: number
  /** N: the low timeout counts when at most so many are in flight. */
  readonly rtoLowPackets: number
  /** NACKs in a row at one cumulative PSN that start recovery. */
  readonly nackThreshold: number
  /** From detecting a loss to being able to send the packet again. */
  readonly fetchDelayPs: number
}

/** [IRN] 4.1: 40 Gb/s and 24 us. */
const SELECTIVE_REPEAT: SelectiveRepeatValues = {
  capPackets: 110,
  bitmapBits: 128,
  rtoLowPs: 100e6,
  rtoHighPs: 320e6,
  rtoLowPackets: 3,
  nackThreshold: 1,
  fetchDelayPs: 0,
}

/** RoCE: in order or not at all, go-back-N. IRN: placed as it comes, selective repeat ([IRN] 5). */
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
  /** IRN: both directions. Not looked at where the schemes are given. */
  readonly selectiveRepeat: SelectiveRepeatValues
  /** ACKs tell how many Receive WQEs there are, and the other side minds it (IBTA 9.7.7.2). */
  readonly hasCredits: boolean
  /** Receive WQEs that the other side had when it said so. */
  readonly initialCredits: number
  /** RoCE: packets carry byte sequence numbers, and so many bytes may be in flight in each space ([LDCP] 3.1). */
  readonly lsnWindowBytes: number | null
  /** Loss recovery, congestion control and timeouts; left out: those of the mode and of the values above, at no rate. */
  readonly schemes?: Schemes
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
  selectiveRepeat: SELECTIVE_REPEAT,
  hasCredits: true,
  initialCredits: 0,
  lsnWindowBytes: null,
}
