/**
 * HOT. Sender half of a QP: messages cut into packets, paced, windowed, acknowledged.
 * Units: packets are numbered by unbounded PSNs from 0; sizes bytes; times picoseconds.
 * Invariant: una <= nxt <= end, but while a go-back-0 restart lies below what was acknowledged.
 * A packet may start when all hold: a PSN below `end` waits, the window is open, no RNR wait runs, the pacing
 * deadline has passed. (A pause of the class is the NIC's to honour.)
 * Source: S0 II-A, S3 3.2, IBTA 9.7.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { NEVER_PS } from '../base/params.ts'
import { RNR_WAIT_US } from '../wire/aeth.ts'
import { type AckNews, blankNews, type CongestionControl } from './congestion/congestion.ts'
import { dataFrameBytes, type Endpoint, type FrameSizes } from './endpoint.ts'
import { PSN_MASK, unwrapPsn } from './psn.ts'
import type { SenderRecovery, SendWindow } from './recovery/recovery.ts'
import {
  ACK,
  ACK_REQUEST,
  CNP,
  DATA,
  ECE,
  ECT_0,
  FIRST,
  LAST,
  NAK,
  NOT_ECT,
  READ_REQUEST,
  RETH,
  RETRANSMITTED,
  RNR_NAK,
  RTT_RESPONSE,
  SEND,
  type Segment,
} from './segment.ts'
import type { OutgoingMessage, SenderOptions } from './sender-options.ts'
import { ACK_TIMER, RNR_TIMER, type Timers } from './timers.ts'

export class Sender implements Endpoint, SendWindow {
  una = 0
  nxt = 0
  end = 0
  nextSendPs = NEVER_PS
  /** Messages acknowledged to their last byte, in order. */
  acknowledgedMessages = 0
  /** The QP gave up: its retry limit was reached. */
  isFailed = false
  retransmissions = 0
  timeouts = 0
  packetsSent = 0
  /** One past the highest PSN that was ever sent. */
  highest = 0

  private readonly options: SenderOptions
  private readonly frames: FrameSizes
  private readonly timers: Timers
  /** The control a rate observer may look at. */
  congestion!: CongestionControl
  private recovery!: SenderRecovery
  private readonly payloadBytes: number
  private readonly windowBytes: number
  /** A variable window does not close before a packet has asked for an ACK. */
  private readonly windowMinBytes: number
  private readonly messages: OutgoingMessage[] = []
  /** Messages before this one are acknowledged and dropped from the front of the list now and then. */
  private firstMessage = 0
  /** Nothing to count while `una` is below: the end of the first message that is not acknowledged, or 0 if not known. */
  private messageEnd = 0
  /** The message that holds nxt, or one near it. */
  private atMessage = 0
  private retriesLeft: number
  private readonly retryLimit: number
  /** Codepoint of data packets. */
  private readonly ecn: number
  /** The bit of an ACK that echoes a mark, or 0. */
  private readonly echoBit: number
  /** 1: a rate change moves a deadline that is already set. */
  private readonly pacingMoves: number
  private isRnrWaiting = false
  private isClosed = false
  private availablePs = DOUBLE_ZERO
  private lastStartPs = DOUBLE_ZERO
  private lastWireBytes = 0
  private gapRateBps = DOUBLE_ZERO
  private gapBytes = 0
  private gapPs = DOUBLE_ZERO
  private readonly news: AckNews = blankNews()

  constructor(options: SenderOptions) {
    this.options = options
    this.frames = options.frames
    this.timers = options.timers
    this.payloadBytes = options.frames.payloadBytes
    this.windowBytes = options.windowBytes ?? Infinity
    this.windowMinBytes = Math.max(0, options.ackInterval - 1) * this.payloadBytes + 1
    this.retryLimit = options.retryLimit ?? Infinity
    this.retriesLeft = this.retryLimit
    this.ecn = options.ectCapable ? ECT_0 : NOT_ECT
    this.echoBit = options.echoInAck ? ECE : 0
    this.pacingMoves = options.pacingFixed ? 0 : 1
  }

  /** Gives the sender its two schemes; they are made after it since the recovery works on it. */
  equip(recovery: SenderRecovery, congestion: CongestionControl): void {
    this.recovery = recovery
    this.congestion = congestion
  }

  get nextTimeoutPs(): number {
    return this.timers.nextPs
  }

  /** Every message posted so far is acknowledged. */
  get isIdle(): boolean {
    return this.una >= this.end
  }

  /** Posts a message; it follows the ones before it. A message of no bytes takes one packet. */
  post(nowPs: number, sizeBytes: number, operation: 'write' | 'send' | 'read'): void {
    const packets = sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / this.payloadBytes)
    if (this.isIdle) this.congestion.onStart(nowPs)
    this.messages.push({ firstPsn: this.end, packets, sizeBytes, operation })
    this.messageEnd = 0
    this.end += packets
    // A QP that was silent may start at once; pacing does not reach back into its silence.
    if (this.availablePs < nowPs) this.availablePs = nowPs
    this.refresh()
  }

  pollTransmit(nowPs: number, out: Segment): boolean {
    if (nowPs < this.nextSendPs) return false
    const recovery = this.recovery
    const pendingPsn = recovery.pendingPsn
    const psn = pendingPsn >= 0 ? pendingPsn : this.nxt
    const message = this.messageOf(psn)
    const offset = psn - message.firstPsn
    const isLast = offset === message.packets - 1
    const payloadBytes = isLast ? message.sizeBytes - offset * this.payloadBytes : this.payloadBytes
    let flags = (offset === 0 ? FIRST : 0) | (isLast ? LAST : 0)
    const interval = this.options.ackInterval
    // By position in the message, so that a packet sent again carries the same bit.
    if (interval === 1 || (interval > 0 && (isLast || (offset + 1) % interval === 0))) flags |= ACK_REQUEST
    if (message.operation === 'send') flags |= SEND
    else if (offset === 0 && message.operation === 'write') flags |= RETH
    if (psn < this.highest) {
      flags |= RETRANSMITTED
      this.retransmissions++
    } else this.highest = psn + 1
    out.kind = DATA
    out.psn = psn & PSN_MASK
    out.payloadBytes = payloadBytes
    out.flags = flags
    out.ecn = psn < this.congestion.incapableBelow && (flags & this.congestion.capableFlags) === 0 ? NOT_ECT : this.ecn
    out.sentPs = nowPs
    if (pendingPsn < 0) this.nxt = psn + 1
    this.packetsSent++

    const wireBytes = dataFrameBytes(this.frames, payloadBytes, flags) + this.frames.gapBytes
    this.lastStartPs = nowPs
    this.lastWireBytes = wireBytes
    this.availablePs = nowPs + this.gap(wireBytes)
    if (this.congestion.releases > 0) this.congestion.releases--
    this.congestion.onSent(nowPs, wireBytes)
    recovery.onSent(nowPs, psn, isLast)
    // A packet that goes alone has the whole timeout: the last answer may be long ago.
    const isAlone = psn === this.una && this.congestion.windowPackets < 1
    if (this.options.ackTimeoutPs !== null && (isAlone || !this.timers.isSet(ACK_TIMER))) this.startAckTimer(nowPs)
    this.refresh()
    return true
  }

  onSegment(nowPs: number, segment: Segment): void {
    // A QP in error, or done for good, hears nothing more: a late CNP would start timers that nobody stops.
    if (this.isClosed) return
    switch (segment.kind) {
      case ACK:
        this.onAnswer(nowPs, segment, unwrapPsn(segment.psn, this.una) + 1, false)
        break
      case NAK:
        this.onAnswer(nowPs, segment, unwrapPsn(segment.psn, this.una), true)
        break
      case RNR_NAK:
        this.onRnr(nowPs, unwrapPsn(segment.psn, this.una), segment.syndrome)
        break
      case CNP:
        this.congestion.onCnp(nowPs, segment.causePs)
        this.onRate()
        break
      case RTT_RESPONSE:
        this.congestion.onRttResponse(nowPs, segment.sentPs)
        this.onRate()
        break
      case READ_REQUEST:
        this.onReadRequest(nowPs, unwrapPsn(segment.psn, this.end), segment)
        break
    }
    this.refresh()
  }

  onTimeout(nowPs: number): void {
    const timers = this.timers
    if (timers.nextPs > nowPs) return
    const slot = timers.nextSlot
    timers.clear(slot)
    if (slot === ACK_TIMER) this.onAckTimeout(nowPs)
    else if (slot === RNR_TIMER) this.isRnrWaiting = false
    else {
      this.congestion.onTimer(nowPs, slot)
      this.onRate()
    }
    this.refresh()
  }

  /** The receiver has these messages whole, known without an ACK (READ, or a QP that is never acknowledged). */
  settle(nowPs: number, messages: number): void {
    if (this.isClosed || messages <= this.acknowledgedMessages) return
    while (this.acknowledgedMessages < messages) {
      const message = this.messages[this.acknowledgedMessages - this.firstMessage]!
      this.acknowledgedMessages++
      const past = message.firstPsn + message.packets
      if (past > this.una) this.una = past
      if (this.nxt < this.una) this.nxt = this.una
    }
    this.onProgress()
    if (this.options.ackTimeoutPs !== null) this.restartAckTimer(nowPs)
    this.trim()
    this.refresh()
  }

  /** No more deadlines: the QP is done. */
  close(): void {
    this.isClosed = true
    this.timers.clearAll()
    this.nextSendPs = NEVER_PS
  }

  firstPsnOf(psn: number): number {
    return this.messageOf(psn).firstPsn
  }

  private messageOf(psn: number): OutgoingMessage {
    const messages = this.messages
    let at = this.atMessage
    let message = messages[at]!
    while (psn < message.firstPsn) message = messages[--at]!
    while (psn >= message.firstPsn + message.packets) message = messages[++at]!
    this.atMessage = at
    return message
  }

  /** Pacing gap of a packet at the current rate; most packets repeat the last answer. */
  private gap(wireBytes: number): number {
    const rateBps = this.congestion.rateBps
    if (wireBytes === this.gapBytes && rateBps === this.gapRateBps) return this.gapPs
    this.gapBytes = wireBytes
    this.gapRateBps = rateBps
    return (this.gapPs = this.options.serialization.durationPs(wireBytes, rateBps))
  }

  /** The rate may have changed: the deadline of the packet in the gap moves with it. */
  private onRate(): void {
    if (this.pacingMoves === 0 || this.lastWireBytes === 0) return
    if (this.congestion.rateBps === this.gapRateBps && this.lastWireBytes === this.gapBytes) return
    this.availablePs = this.lastStartPs + this.gap(this.lastWireBytes)
  }

  private onAnswer(nowPs: number, segment: Segment, cumulativePsn: number, isNak: boolean): void {
    // An answer to nothing that was sent, or one that is older than what is known, moves nothing.
    const isKnown = cumulativePsn <= this.highest
    const newPackets = isKnown && cumulativePsn > this.una ? cumulativePsn - this.una : 0
    if (newPackets > 0) this.acknowledge(cumulativePsn)
    if (!isNak) {
      this.recovery.onAck(nowPs, segment)
      if (this.options.ackTimeoutPs !== null && isKnown) this.restartAckTimer(nowPs)
    } else if (isKnown && cumulativePsn >= this.una && cumulativePsn < this.end) {
      this.recovery.onNak(nowPs, cumulativePsn)
      this.congestion.onLoss(nowPs)
      if (this.options.ackTimeoutPs !== null) this.restartAckTimer(nowPs)
    }
    const news = this.news
    news.cumulativePsn = cumulativePsn
    news.nextPsn = this.nxt
    news.newPackets = newPackets
    news.isNak = isNak
    news.marked = (segment.flags & this.echoBit) !== 0
    news.causePs = segment.causePs
    news.rttPs = nowPs - segment.sentPs
    news.delayPs = segment.delayPs
    this.congestion.onAck(nowPs, news)
    this.onRate()
  }

  /** Everything below `psn`, and more than before, is at the receiver. */
  private acknowledge(psn: number): void {
    this.una = psn
    this.onProgress()
    this.countMessages()
  }

  private countMessages(): void {
    if (this.una < this.messageEnd) return
    for (;;) {
      const message = this.messages[this.acknowledgedMessages - this.firstMessage]
      const end = message === undefined ? Infinity : message.firstPsn + message.packets
      this.messageEnd = end
      if (end > this.una) break
      this.acknowledgedMessages++
    }
    this.trim()
  }

  /** Drops acknowledged messages from the front, in bulk. */
  private trim(): void {
    const done = this.acknowledgedMessages - this.firstMessage
    if (done < 64) return
    this.messages.splice(0, done)
    this.firstMessage = this.acknowledgedMessages
    this.atMessage = Math.max(0, this.atMessage - done)
  }

  private onRnr(nowPs: number, psn: number, syndrome: number): void {
    if (psn < this.una || psn >= this.end) return
    if (psn > this.una) this.acknowledge(psn)
    this.nxt = psn
    this.isRnrWaiting = true
    this.timers.clear(ACK_TIMER)
    this.timers.set(RNR_TIMER, nowPs + RNR_WAIT_US[syndrome & 0x1f]! * 1e6)
  }

  /** A READ request asks for new data (at the end) or again from the first response that is missing. */
  private onReadRequest(nowPs: number, psn: number, segment: Segment): void {
    const isAcked = this.options.ackInterval > 0
    // A repeated request stands for the ACKs that were lost (S4 3.1: the responder has no timeout of its own).
    if (isAcked && (segment.flags & RETRANSMITTED) !== 0 && psn > this.una && psn <= this.highest) {
      this.acknowledge(psn)
      if (this.nxt < psn) this.nxt = psn
    }
    if (psn === this.end) this.post(nowPs, segment.payloadBytes, 'read')
    else if (psn < this.nxt && this.una < this.end && psn >= (isAcked ? this.firstPsnOf(this.una) : this.una)) {
      // Going back to 0, a reader asks for what it has acknowledged and forgotten.
      this.recovery.onNak(nowPs, psn < this.una ? this.una : psn)
      if (isAcked) this.congestion.onLoss(nowPs)
    }
  }

  /** Timeouts in a row are counted anew; what is acknowledged need not be sent again. */
  private onProgress(): void {
    if (this.recovery.pendingPsn < this.una) this.recovery.pendingPsn = -1
    this.retriesLeft = this.retryLimit
  }

  private onAckTimeout(nowPs: number): void {
    if (this.una >= this.nxt) return
    if (this.retriesLeft === 0) {
      this.isFailed = true
      this.close()
      return
    }
    this.retriesLeft--
    this.timeouts++
    this.recovery.onTimeout(nowPs)
    this.congestion.onTimeout(nowPs)
    this.onRate()
    this.startAckTimer(nowPs)
  }

  private startAckTimer(nowPs: number): void {
    this.timers.set(ACK_TIMER, nowPs + this.options.ackTimeoutPs!)
  }

  private restartAckTimer(nowPs: number): void {
    if (this.una < this.highest) this.startAckTimer(nowPs)
    else this.timers.clear(ACK_TIMER)
  }

  private isWindowClosed(): boolean {
    const windowPackets = this.congestion.windowPackets
    // Below one packet the scheme releases them one by one; from one on only whole packets count. No ACK, no window.
    if (windowPackets !== Infinity && this.options.ackInterval > 0) {
      if (windowPackets < 1 ? this.congestion.releases === 0 : this.nxt - this.una + 1 > windowPackets) return true
    }
    const windowBytes = this.windowBytes
    if (windowBytes === Infinity) return false
    const inFlightBytes = (this.nxt - this.una) * this.payloadBytes
    if (!this.options.windowVariable) return inFlightBytes >= windowBytes
    const scaled = Math.floor((windowBytes * this.congestion.rateBps) / this.options.lineRateBps)
    return inFlightBytes >= (scaled < this.windowMinBytes ? this.windowMinBytes : scaled)
  }

  private refresh(): void {
    // Two stores, not one of a choice: a choice between doubles becomes a heap number.
    if (
      !this.isRnrWaiting &&
      !this.isClosed &&
      (this.recovery.pendingPsn >= 0 || (this.nxt < this.end && !this.isWindowClosed()))
    )
      this.nextSendPs = this.availablePs
    else this.nextSendPs = NEVER_PS
  }
}
