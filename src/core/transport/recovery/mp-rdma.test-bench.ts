/** MP-RDMA's pair driven by hand: packets sent, with their paths, and crafted ACKs and NACKs. */
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { US, type ValuesOf } from '../../base/params.ts'
import { mpRdma as mpRdmaWindow } from '../congestion/mp-rdma.ts'
import { PSN_MASK } from '../psn.ts'
import { ACK, NAK, PATH_MASK, PATH_SHIFT, RETRANSMITTED, RNR_NAK, SACK, Segment } from '../segment.ts'
import { mpRdma } from './mp-rdma.ts'

export type Values = Partial<ValuesOf<typeof mpRdma.params>>
export type WindowValues = Partial<ValuesOf<typeof mpRdmaWindow.params>>

/** A pair without a path probe during the test, unless configured. */
export const pairOf = (values: Values = {}, window: WindowValues = {}, qp: Record<string, unknown> = {}): Pair =>
  new Pair({
    recovery: scheme(mpRdma, { probe: 0, ...values }),
    congestion: scheme(mpRdmaWindow, window),
    qp: { ackInterval: 1, ecnEcho: 'ack', ackTimeout: 320 * US, retryLimit: null, ...qp },
    delayPs: 12 * US,
  })

export interface Sent {
  readonly psn: number
  readonly path: number
  readonly isAgain: boolean
}

/** A sender on a line of unlimited rate, whose ACKs a test crafts. */
export class ByHand {
  readonly pair: Pair
  nowPs = 0
  /** Next PSN expected by the receiver, as ACKs report it. */
  expected = 0
  /** The line accepts no packets. */
  isPaused = false
  constructor(packets: number, values: Values = {}, window: WindowValues = {}, qp: Record<string, unknown> = {}) {
    this.pair = pairOf(values, window, qp)
    if (packets > 0) this.posts(packets)
  }

  get window(): number {
    return Math.round(this.pair.sender.congestion.windowPackets * 1e6) / 1e6
  }

  posts(packets: number, operation: 'write' | 'send' = 'write'): void {
    this.pair.sender.post(this.nowPs, packets * 1024, operation)
  }

  /** Everything that may be sent now. */
  sends(): Sent[] {
    const sent: Sent[] = []
    if (this.isPaused) return sent
    const segment = new Segment()
    for (;;) {
      this.nowPs += US / 4
      if (!this.pair.sender.pollTransmit(this.nowPs, segment)) return sent
      sent.push({ psn: segment.psn, path: pathOf(segment), isAgain: (segment.flags & RETRANSMITTED) !== 0 })
    }
  }

  /** An ACK for one packet; returns the packets it releases. */
  ack(sackPsn: number, path: number, flags = 0): Sent[] {
    return this.answer(ACK, this.expected - 1, sackPsn, path, flags | SACK)
  }

  /** An ACK for a duplicate; returns the packets it releases. */
  repeated(path: number): Sent[] {
    return this.answer(ACK, this.expected - 1, 0, path, RETRANSMITTED)
  }

  /** The line accepts packets again. */
  resumes(): Sent[] {
    this.isPaused = false
    return this.sends()
  }

  /** A NACK that requests one packet. */
  nack(psn: number, path: number): Sent[] {
    return this.answer(NAK, this.expected, psn, path, 0)
  }

  /** An RNR NAK: this packet's SEND found no Receive WQE. It asks for 10 us. */
  notReady(psn: number): void {
    const answer = Object.assign(new Segment(), { kind: RNR_NAK, psn: psn & PSN_MASK, syndrome: 1 })
    this.pair.sender.onSegment(this.nowPs, answer)
  }

  /** Runs the timers for this long. */
  waits(ps: number): Sent[] {
    const { sender } = this.pair
    const untilPs = this.nowPs + ps
    while (sender.nextTimeoutPs <= untilPs) sender.onTimeout((this.nowPs = Math.max(this.nowPs, sender.nextTimeoutPs)))
    this.nowPs = untilPs
    return this.sends()
  }

  private answer(kind: typeof ACK | typeof NAK, psn: number, sackPsn: number, path: number, flags: number): Sent[] {
    const answer = new Segment()
    Object.assign(answer, { kind, psn: psn & PSN_MASK, sackPsn: sackPsn & PSN_MASK })
    answer.flags = flags | (path << PATH_SHIFT)
    this.pair.sender.onSegment(this.nowPs, answer)
    return this.sends()
  }
}

export const pathOf = (segment: Readonly<Segment>): number => (segment.flags & PATH_MASK) >> PATH_SHIFT
export const psnsOf = (sent: readonly Sent[]): number[] => sent.map(({ psn }) => psn)
export const pathsOf = (sent: readonly Sent[]): number[] => sent.map(({ path }) => path)
