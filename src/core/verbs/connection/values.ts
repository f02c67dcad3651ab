/**
 * Connection values: the parameters that two queue pairs have agreed on, all that a connection needs beyond its queues.
 * Units: picoseconds, bytes, packets.
 */
import { US } from '../../base/params.ts'
import type { Schemes } from '../schemes.ts'

/** IRN's selective repeat. Source: [IRN] 3.1, 3.2. */
export interface SelectiveRepeatValues {
  /** BDP-FC: most packets in flight. */
  readonly capPackets: number
  /** Least packets that a receiver's bitmap holds: the other side's cap or more. */
  readonly bitmapBits: number
  /** Null: no timeouts. */
  readonly rtoLowPs: number | null
  /** Total timeout, counted from when the low one was armed. */
  readonly rtoHighPs: number
  /** N: the low timeout applies while at most this many packets are in flight. */
  readonly rtoLowPackets: number
  /** NACKs in a row at one cumulative PSN that start recovery. */
  readonly nackThreshold: number
  /** Delay from detecting a loss to when the packet can be sent again. */
  readonly fetchDelayPs: number
}

/** Defaults of [IRN] 4.1, for 40 Gb/s and a round trip of 24 us. */
const SELECTIVE_REPEAT: SelectiveRepeatValues = {
  capPackets: 110,
  bitmapBits: 128,
  rtoLowPs: 100e6,
  rtoHighPs: 320e6,
  rtoLowPackets: 3,
  nackThreshold: 1,
  fetchDelayPs: 0,
}

/** RoCE: in-order delivery, go-back-N. IRN: out-of-order placement, selective repeat ([IRN] 5). */
export type Mode = 'roce' | 'irn'

export interface ConnectionValues {
  readonly mode: Mode
  readonly remoteQp: number
  /** Payload of a full packet. */
  readonly mtuBytes: number
  /** First PSN of our requests, and in IRN mode of the responses to them. 24 bits. */
  readonly sendPsn: number
  /** First PSN of the other end's requests. */
  readonly receivePsn: number
  /** Most READs and atomics outstanding from us, and from the other end. */
  readonly readsOut: number
  readonly readsIn: number
  /** Timeouts in a row without progress that are tolerated; null: any number. */
  readonly retryLimit: number | null
  /** RNR NAKs in a row that are tolerated; null: any number. */
  readonly rnrRetryLimit: number | null
  /** RNR timer code 0..31 in our RNR NAKs. */
  readonly rnrTimerCode: number
  /** RoCE; null: no timeouts. */
  readonly ackTimeoutPs: number | null
  /** RoCE: interval in packets of a message at which an ACK is requested; the last packet always requests one. */
  readonly ackInterval: number
  /** RoCE: most packets in flight. */
  readonly capPackets: number
  /** IRN, both directions. Ignored where `schemes` are given. */
  readonly selectiveRepeat: SelectiveRepeatValues
  /** ACKs advertise the available Receive WQEs, and the requester respects them (IBTA 9.7.7.2). */
  readonly hasCredits: boolean
  /** Receive WQEs that the other end had when it sent its offer. */
  readonly initialCredits: number
  /**
   * RoCE: packets carry byte sequence numbers, and at most this many bytes are in flight in each space ([LDCP] 3.1).
   */
  readonly lsnWindowBytes: number | null
  /**
   * Loss recovery, congestion control and timeouts. By default those of the mode and the values above, without a rate.
   */
  readonly schemes?: Schemes
}

export const CONNECTION_DEFAULTS: Omit<ConnectionValues, 'remoteQp'> = {
  mode: 'roce',
  mtuBytes: 1024,
  sendPsn: 0,
  receivePsn: 0,
  // Common values of NICs; the papers give none.
  readsOut: 16,
  readsIn: 16,
  retryLimit: 7,
  rnrRetryLimit: null,
  // 0.48 ms, the default of many drivers.
  rnrTimerCode: 11,
  ackTimeoutPs: 320 * US,
  ackInterval: 1,
  capPackets: 4096,
  selectiveRepeat: SELECTIVE_REPEAT,
  hasCredits: true,
  initialCredits: 0,
  lsnWindowBytes: null,
}
