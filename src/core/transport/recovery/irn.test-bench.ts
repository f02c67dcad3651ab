/**
 * IRN moved by hand: a real sender and a real receiver, between which a packet leaves, arrives or is answered when a test
 * says so. The sender has no congestion control; every packet is acknowledged.
 * `tx` lets one packet leave as the line comes free, `flood` all that may leave; `rx` brings a packet to the receiver and
 * `deliver` brings the ACK or NACK back; `round` is one line of the specification's traces. `ack`, `nack` and `rnr` are answers that the
 * test makes up. The clock is `nowPs`; only `tx` and `late` move it.
 */
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { NEVER_PS, US, type ValuesOf } from '../../base/params.ts'
import { PSN_MASK } from '../psn.ts'
import { ACK, NAK, RNR_NAK, Segment } from '../segment.ts'
import type { Sender } from '../send/sender.ts'
import { ACK_TIMER, RNR_TIMER } from '../timers.ts'
import { irn, type IrnSender } from './irn.ts'

export type IrnByHandValues = Partial<ValuesOf<typeof irn.params>>

/** No packet may be sent. */
export const NO_PSN = -1

/** The longest frame (with a RETH) and its gap at 40 Gb/s: the line is free again this much later. */
const PACKET_PS = 1122 * 200

/** Two variables of the authors' modules that are not visible in the packets at once. */
export function variablesOf(sender: Sender): { readonly rec: number; readonly inRecovery: boolean } {
  const { recoveryPsn, inRecovery } = Reflect.get(sender, 'recovery') as IrnSender
  return { rec: recoveryPsn, inRecovery: inRecovery !== 0 }
}

/** "ACK 3": everything below 3 has arrived. "NACK 2,3": 2 is missing, 3 has arrived. */
export function said(answer: Segment | null): string {
  if (answer === null) return 'nothing'
  // On the wire an ACK names the last packet acknowledged, a NAK the one expected.
  return answer.kind === ACK ? `ACK ${(answer.psn + 1) & PSN_MASK}` : `NACK ${answer.psn},${answer.sackPsn}`
}

export class IrnByHand {
  readonly pair: Pair
  readonly sender: Sender
  nowPs = 0
  transmissions = 0
  nacks = 0
  acks = 0
  /** Time at which the line is free again. */
  lineFreePs = 0

  /** @param qp overrides of the scenario's qp group; by default RTO_high = 320 us and no retry limit. */
  constructor(packets: number, values: IrnByHandValues = {}, qp: Record<string, unknown> = {}) {
    this.pair = new Pair({
      recovery: scheme(irn, { cap: 110, ...values }),
      qp: { ackTimeout: 320 * US, retryLimit: null, ackInterval: 1, ...qp },
    })
    this.sender = this.pair.sender
    this.sender.post(0, packets * 1024, 'write')
  }

  /** A packet may be sent, now or later. */
  get isReady(): boolean {
    return this.sender.nextSendPs < NEVER_PS
  }

  /** Deadline of the retransmission timer. */
  get deadlinePs(): number {
    return this.sender.timers.deadlineOf(ACK_TIMER)
  }

  /** Sends the next packet, now or when the line is free; returns its PSN. */
  tx(): number {
    if (this.nowPs < this.lineFreePs) this.nowPs = this.lineFreePs
    const segment = new Segment()
    if (!this.sender.pollTransmit(this.nowPs, segment)) return NO_PSN
    this.lineFreePs = this.nowPs + PACKET_PS
    this.transmissions++
    return segment.psn
  }

  /** Sends this many new packets. */
  first(packets: number): this {
    for (let psn = 0; psn < packets; psn++)
      if (this.tx() !== psn) throw new Error(`packet ${psn} is not the next packet to leave`)
    return this
  }

  /** Sends everything that may be sent without another ACK. */
  flood(): number[] {
    const sent: number[] = []
    for (let psn = this.tx(); psn !== NO_PSN; psn = this.tx()) sent.push(psn)
    return sent
  }

  /** A packet arrives; returns the receiver's reply. */
  rx(psn: number): Segment | null {
    const { receiver } = this.pair
    const data = Object.assign(new Segment(), { psn, payloadBytes: 1024, sentPs: this.nowPs })
    receiver.onSegment(this.nowPs, data)
    const answer = new Segment()
    if (!receiver.pollTransmit(this.nowPs, answer)) return null
    if (answer.kind === NAK) this.nacks++
    else this.acks++
    return answer
  }

  deliver(answer: Segment | null): void {
    if (answer === null) throw new Error('there is no ACK to deliver')
    this.sender.onSegment(this.nowPs, answer)
  }

  /** A packet arrives, its ACK returns, and there is one transmission opportunity. */
  round(psn: number): [string, number] {
    const answer = this.rx(psn)
    this.deliver(answer)
    return [said(answer), this.tx()]
  }

  /** Everything below `cumulative` has arrived. */
  ack(cumulative: number): void {
    this.deliver(Object.assign(new Segment(), { kind: ACK, psn: (cumulative - 1) & PSN_MASK }))
  }

  /** `cumulative` is missing, `sackPsn` has arrived. */
  nack(cumulative: number, sackPsn: number): void {
    this.deliver(Object.assign(new Segment(), { kind: NAK, psn: cumulative, sackPsn }))
  }

  /** The receiver was not ready for `psn`; the sender is to wait 10 us. */
  rnr(psn: number): void {
    this.deliver(Object.assign(new Segment(), { kind: RNR_NAK, psn, syndrome: 0x21 }))
  }

  /** The wait is over. */
  endRnrWait(): void {
    this.nowPs = this.sender.timers.deadlineOf(RNR_TIMER)
    this.sender.onTimeout(this.nowPs)
  }

  /**
   * Moves the clock to the deadline, or to this time; returns true for a timeout, false if it was early or extended.
   */
  late(atPs = this.deadlinePs): boolean {
    this.nowPs = atPs
    const { timeouts } = this.sender
    this.sender.onTimeout(atPs)
    return this.sender.timeouts > timeouts
  }
}
