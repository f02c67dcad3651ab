/**
 * Queue pair of a live endpoint: with a number that nobody can guess, and the address of its partner.
 */
import type { EstablishmentListener } from '../../core/verbs/connection/connectable-pair.ts'
import { portOfFlowLabel } from '../link/addresses.ts'
import type { Neighbour } from '../link/station.ts'
import type { ConnectionValues, QueuePair, QueuePairState } from '../../core/verbs/index.ts'
import { FORMAT_IRN, FORMAT_ROCE } from '../../core/wire/index.ts'

/** The other end of a queue pair. */
export interface Partner {
  /** 4 or 16 bytes. */
  readonly ip: Uint8Array
  /** UDP source port of the packets that are sent to it. */
  readonly port: number
  /** DSCP and ECN, 8 bits. */
  readonly trafficClass: number
}

export class LivePair {
  /** On the wire. */
  readonly number: number
  readonly pair: QueuePair
  /** Headers of its packets. Those of IRN are for ends that have agreed on them. */
  format: typeof FORMAT_ROCE | typeof FORMAT_IRN = FORMAT_ROCE
  /** null: not connected, and packets for it are dropped. */
  partner: Partner | null = null
  /** That of its connection; 0: it had none. */
  mtuBytes = 0
  /** Where frames to the partner go. */
  neighbour: Neighbour | null = null
  /** Packets, by what they are. */
  readonly counts = {
    sent: 0,
    received: 0,
    acksSent: 0,
    acksReceived: 0,
    naksSent: 0,
    naksReceived: 0,
    rnrNaksSent: 0,
    rnrNaksReceived: 0,
  }

  #kept = { retransmissions: 0, timeouts: 0 }

  constructor(number: number, pair: QueuePair) {
    this.number = number
    this.pair = pair
  }

  get state(): QueuePairState {
    return this.pair.state
  }

  get listener(): EstablishmentListener | null {
    return this.pair.listener
  }

  set listener(listener: EstablishmentListener | null) {
    this.pair.listener = listener
  }

  modify(nowPs: number, state: QueuePairState, values?: ConnectionValues): boolean {
    if (values !== undefined) {
      this.format = values.mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE
      this.mtuBytes = values.mtuBytes
    }
    return values === undefined ? this.pair.modify(nowPs, state) : this.pair.modify(nowPs, state, values)
  }

  /** Keeps the counts of a queue pair that is about to be destroyed. */
  keepCounts(): void {
    const { retransmissions, timeouts } = this
    this.#kept = { retransmissions, timeouts }
  }

  /** Request packets that were sent again, and timeouts of requests. */
  get retransmissions(): number {
    return this.pair.isConnected ? this.pair.requester.retransmissions : this.#kept.retransmissions
  }

  get timeouts(): number {
    return this.pair.isConnected ? this.pair.requester.timeouts : this.#kept.timeouts
  }
}

export type PairCounts = Readonly<LivePair['counts']>

/**
 * UDP source port between two queue pairs, the same in both directions.
 * Source: Linux, rdma_flow_label_to_udp_sport() and rdma_calc_flow_label().
 */
export function portOfPairs(localQp: number, remoteQp: number): number {
  const product = localQp * remoteQp
  const upper = Math.floor(product / 2 ** 20)
  const label = (product % 2 ** 20) ^ (upper % 2 ** 20) ^ Math.floor(upper / 2 ** 20)
  return portOfFlowLabel(label)
}
