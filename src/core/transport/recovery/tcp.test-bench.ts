/**
 * A TCP connection driven by hand: a pair whose packets arrive one by one when a test says so.
 * `tx` lets the sender send everything it may, `rx` delivers a packet and returns its ACK.
 */
import { expect } from 'vitest'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { type AnyValues, US, type ValuesOf } from '../../base/params.ts'
import { PSN_MASK } from '../psn.ts'
import type { TcpWindow } from '../congestion/tcp-window.ts'
import { RETRANSMITTED, SACK, Segment } from '../segment.ts'
import { iwarp } from './iwarp.ts'
import { NewRenoSender } from './newreno-sender.ts'
import type { SenderRecoveryContext, SendWindow } from './recovery.ts'
import type { SackSender } from './sack-sender.ts'
import type { tcp } from './tcp.ts'
import type { TcpSender } from './tcp-sender.ts'

export type TcpValues = Partial<ValuesOf<typeof iwarp.params>>

/** One way; the BDP is 110 packets at 40 Gb/s. */
export const DELAY_PS = 12 * US

/** State of a TCP sender: its window, as RFC 5681 and 6582 count it, and its recovery. */
export class TcpView {
  readonly sender: TcpSender
  private readonly pair: Pair

  constructor(sender: TcpSender, pair: Pair) {
    this.sender = sender
    this.pair = pair
  }

  /** cwnd, inflated as NewReno's is. */
  get windowPackets(): number {
    const { sender } = this
    return this.control.windowPackets + (sender instanceof NewRenoSender ? sender.arrivedPackets() : 0)
  }
  set windowPackets(packets: number) {
    this.control.windowPackets = packets
  }
  get thresholdPackets(): number {
    return this.control.thresholdPackets
  }
  set thresholdPackets(packets: number) {
    this.control.thresholdPackets = packets
  }
  get inRecovery(): number {
    return this.sender.inRecovery
  }
  get recoveryPsn(): number {
    return this.sender.recoveryPsn
  }
  get pipe(): number {
    return (this.sender as SackSender).pipe
  }
  timeoutPs(): number {
    return this.sender.timeoutPs()
  }

  private get control(): TcpWindow {
    return this.pair.sender.congestion as TcpWindow
  }
}

/** A pair whose sender exposes its window. */
export function tcpPair(values: TcpValues = {}, options: object = {}): { pair: Pair; tcp: TcpView } {
  return shownPair(iwarp, scheme(iwarp, values).values, options)
}

/** Like tcpPair, for any recovery with a TCP sender. */
export function shownPair(
  recovery: typeof iwarp | typeof tcp,
  values: AnyValues,
  options: object = {},
): { pair: Pair; tcp: TcpView } {
  let sender: TcpSender | undefined
  const shown = {
    ...recovery,
    createSender: (all: never, window: SendWindow, context: SenderRecoveryContext) =>
      (sender = recovery.createSender(all, window, context) as TcpSender),
  }
  const pair = new Pair({
    recovery: { definition: shown, values },
    qp: { retryLimit: null },
    delayPs: DELAY_PS,
    ...options,
  })
  expect(sender).toBeDefined()
  return { pair, tcp: new TcpView(sender!, pair) }
}

export class TcpByHand {
  readonly pair: Pair
  readonly tcp: TcpView
  nowPs = 0
  readonly #sentPs = new Map<number, number>()
  readonly #segment = new Segment()

  constructor(packets: number, values: TcpValues = {}, made = tcpPair(values)) {
    this.pair = made.pair
    this.tcp = made.tcp
    this.post(packets)
  }

  post(packets: number): void {
    this.pair.sender.post(this.nowPs, packets * 1024, 'write')
  }

  /** Packets that the sender sends now: PSNs, retransmissions with an asterisk. */
  tx(): string {
    const said: string[] = []
    for (;;) {
      // A packet takes less than this.
      this.nowPs += US
      const segment = this.#segment
      if (!this.pair.sender.pollTransmit(this.nowPs, segment)) return said.join(' ')
      this.#sentPs.set(segment.psn, this.nowPs)
      said.push(`${segment.psn}${(segment.flags & RETRANSMITTED) === 0 ? '' : '*'}`)
    }
  }

  /** ACK of a packet: "ACK next", and the PSN it names after a slash. */
  rx(psn: number): string {
    const { sender } = this.pair
    const answer = this.take(psn)
    if (answer === null) return 'nothing'
    sender.onSegment(this.nowPs, answer)
    return `ACK ${(answer.psn + 1) & PSN_MASK}${(answer.flags & SACK) === 0 ? '' : `/${answer.sackPsn}`}`
  }

  /** An ACK that no packet caused just now: doubled, late, or invalid. */
  deliver(answer: Partial<Segment>): void {
    this.pair.sender.onSegment(this.nowPs, Object.assign(new Segment(), answer))
  }

  /** Delivers a packet whose ACK is lost. */
  rxLosingAck(psn: number): void {
    this.take(psn)
  }

  /** Delivers packets, and lists what the sender sends after each. */
  steps(...psns: number[]): string[] {
    return psns.map((psn) => `${psn}: ${this.rx(psn)} -> ${this.tx()}`)
  }

  /** Nothing arrives until the timer fires. */
  timeout(): void {
    const { sender } = this.pair
    this.nowPs = sender.nextTimeoutPs
    sender.onTimeout(this.nowPs)
  }

  private take(psn: number): Segment | null {
    const data = new Segment()
    data.psn = psn
    data.payloadBytes = 1024
    data.sentPs = this.#sentPs.get(psn) ?? this.nowPs
    this.pair.receiver.onSegment(this.nowPs, data)
    const answer = new Segment()
    return this.pair.receiver.pollTransmit(this.nowPs, answer) ? answer : null
  }
}

/** In the middle of a flow: una 10, nxt 20, cwnd 10, which grows by less than a packet. */
export function midway(packets: number, values: TcpValues = {}): TcpByHand {
  const hand = new TcpByHand(packets, { initialWindow: 10, ...values })
  hand.tcp.thresholdPackets = 2
  expect(hand.tx()).toBe('0 1 2 3 4 5 6 7 8 9')
  hand.steps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
  hand.tcp.windowPackets = 10
  expect([hand.pair.sender.una, hand.pair.sender.nxt]).toEqual([10, 20])
  return hand
}

/** SACK's estimate of the packets in the network. */
export const pipeOf = (hand: TcpByHand): number => hand.tcp.pipe
