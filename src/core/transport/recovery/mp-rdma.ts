/**
 * HOT. MP-RDMA's multipath recovery: many paths for one QP. A packet names its virtual path, a UDP source port; its ACK
 * returns on the same path and releases the next packets there, so that paths without ACKs get none. There is no state
 * per path. The window is in congestion/mp-rdma.ts.
 * Units: packets numbered by unbounded PSNs; picoseconds; paths 1 .. 16384 (transport/segment.ts).
 * Invariants: 0 <= arrived <= nxt - una; cap = nxt - una + released new packets, or without these while a message is
 * held; the release queue determines the next retransmission.
 * Source: [Survey] V-C, Figs. 11 to 13; [IGBN] V; docs/models/mp-rdma.md for what they leave open.
 */
import { NEVER_PS, type ValuesOf } from '../../base/params.ts'
import { IntQueue } from '../int-queue.ts'
import { PSN_MASK, unwrapPsn } from '../psn.ts'
import {
  FIRST,
  NAMES_TRIMMED,
  PATH_MASK,
  PATH_SHIFT,
  RETRANSMITTED,
  SACK,
  type Segment,
  SEND,
  SYNCHRONISE,
} from '../segment.ts'
import { SENDING_TIMER, type Timers } from '../timers.ts'
import { MpRdmaReceiver } from './mp-rdma-receiver.ts'
import { mpRdmaParams } from './mp-rdma-params.ts'
import { PathTable } from './path-table.ts'
import { ReleaseQueue } from './release-queue.ts'
import {
  defineRecovery,
  LOSS_FOUND,
  NOTHING_NEW,
  PACKET_NAMED,
  SenderRecovery,
  type SenderRecoveryContext,
  type SendWindow,
  TIMER_OF_PROGRESS,
  type Verdict,
} from './recovery.ts'

type MpRdmaValues = ValuesOf<typeof mpRdmaParams>

class MpRdmaSender extends SenderRecovery {
  private cap = 0
  private arrived = 0
  private readonly timers: Timers
  private readonly table: PathTable
  private readonly delta: number
  private readonly burst: number
  private readonly burstTimerPs: number
  private readonly synchronise: MpRdmaValues['synchronise']
  /** Holding time of a synchronise message behind the packet before it, for a window of one packet. */
  private readonly holdPs: number
  /** `una` as last seen. */
  private base: number
  /** Highest PSN named by an ACK. */
  private topPsn: number
  private readonly queue = new ReleaseQueue()
  /** Path of the ACK that has not released a packet yet, or -1. */
  private clockPath = -1
  /** 1: that ACK came over a slow path. */
  private isLate = 0
  /** Packets sent and neither acknowledged nor written off at the last timeout. */
  private unacknowledged = 0
  private inRecovery = 0
  /** Next PSN to be sent again, and the end of that range. */
  private rtxPsn = 0
  private recoveryEnd = 0
  private burstPs = NEVER_PS
  private burstPath = 0
  /** First PSNs of synchronise messages not yet begun; the low 24 bits. */
  private readonly starts = new IntQueue()
  /** Earliest start of the first of them, if it is next; NEVER_PS: not known. */
  private startPs = NEVER_PS
  /** Value of `end` before the last post. */
  private end: number
  private sentPs = -Infinity

  constructor(values: MpRdmaValues, window: SendWindow, context: SenderRecoveryContext) {
    super(window, TIMER_OF_PROGRESS)
    this.timers = context.timers
    this.table = new PathTable({ ...values, rttPs: context.baseRttPs, random: context.random() })
    this.delta = values.delta
    this.burst = values.burst
    this.burstTimerPs = values.burstTimer
    this.synchronise = values.synchronise
    this.holdPs = values.synchroniseDelay * values.delta * context.baseRttPs
    this.base = window.una
    this.topPsn = window.una - 1
    this.end = window.una
  }

  override capPackets(): number {
    return this.cap
  }

  override arrivedPackets(): number {
    return this.arrived
  }

  override waitingPackets(): number {
    return this.queue.length
  }

  override isNewFirst(): boolean {
    return this.queue.isNewFirst
  }

  /**
   * The initial window is sent at once, each packet on a random path: "randomly spreads an initial window" ([Survey]
   * V-C).
   */
  override onPost(nowPs: number, operation: 'write' | 'send' | 'read'): void {
    this.advance()
    if (this.synchronise === 'all' || (this.synchronise === 'sends' && operation === 'send'))
      this.starts.push(this.end & PSN_MASK)
    this.end = this.window.end
    if (this.inRecovery === 0) this.spread()
    this.open(nowPs)
  }

  override onAck(_nowPs: number, segment: Segment): Verdict {
    this.unacknowledged--
    this.isLate = 0
    this.clockPath = pathOf(segment)
    const hasSack = (segment.flags & SACK) !== 0
    // Counted before `una` passes it.
    if (hasSack) this.arrived++
    this.advance()
    if (!hasSack) return NOTHING_NEW
    const { una, highest } = this.window
    const sackPsn = unwrapPsn(segment.sackPsn, una)
    if (sackPsn >= highest) return NOTHING_NEW
    if (sackPsn > this.topPsn) this.topPsn = sackPsn
    if ((segment.flags & RETRANSMITTED) === 0 && sackPsn < this.topPsn - this.delta) this.isLate = 1
    // `una` moves once per message or half the slots, so each SACK must restart the timer of a QP that loses nothing.
    return sackPsn >= una ? PACKET_NAMED : NOTHING_NEW
  }

  /** NACK: everything below `psn` has arrived, `sackPsn` is requested. */
  override onNak(nowPs: number, psn: number, sackPsn: number, segment: Segment): Verdict {
    this.unacknowledged--
    this.isLate = 0
    this.advance()
    const { una, nxt } = this.window
    const path = pathOf(segment)
    if ((segment.flags & NAMES_TRIMMED) !== 0) return this.onTrimmed(nowPs, sackPsn, path)
    const isSynchronise = sackPsn !== psn
    const isApplicable = sackPsn < nxt && una < nxt && (sackPsn >= una || !isSynchronise)
    if (isApplicable && sackPsn >= una && (this.inRecovery === 0 || !isSynchronise)) {
      this.recover(sackPsn + 1)
      this.sendAgain(sackPsn, path)
    } else if (isApplicable) {
      // Ours: even for a stale NACK, a packet beyond the bitmap is still missing, and so are packets before a
      // synchronise message that was sent again.
      if (this.inRecovery === 0 || (isSynchronise && this.rtxPsn > sackPsn)) this.recover(una)
      this.recoveryEnd = nxt
      this.walk(path)
    } else if (this.isQuiet()) this.clockPath = path
    this.open(nowPs)
    return isApplicable ? LOSS_FOUND : NOTHING_NEW
  }

  /**
   * Packet `psn` was trimmed on a path that works: it is resent there, unless the retransmission range of a recovery
   * will cover it.
   */
  private onTrimmed(nowPs: number, psn: number, path: number): Verdict {
    const { una, nxt, resendPsn } = this.window
    const isOnWalk = this.inRecovery !== 0 && psn >= this.rtxPsn && psn < this.recoveryEnd
    const isWanted = psn >= una && psn < nxt && psn !== resendPsn && !isOnWalk
    if (isWanted) this.sendAgain(psn, path)
    else if (this.isQuiet()) this.clockPath = path
    this.open(nowPs)
    return isWanted ? LOSS_FOUND : NOTHING_NEW
  }

  override onTimeout(nowPs: number): void {
    this.advance()
    const { una, nxt } = this.window
    // Ours: nothing is in flight any more. Otherwise packets whose ACKs were lost would count as in flight for ever.
    this.unacknowledged = 0
    this.arrived = nxt - una
    // Otherwise the range would restart for ever.
    if (this.inRecovery === 0) this.recover(una + 1)
    if (this.window.resendPsn !== una) this.sendAgain(una, this.table.any())
    this.open(nowPs)
  }

  /** After the window's own reaction to an ACK: releases packets on the ACK's path. */
  override afterAck(nowPs: number): void {
    const path = this.clockPath
    if (path < 0) return
    this.clockPath = -1
    const { window } = this
    if (this.isLate !== 0) {
      // A slow path gets no packets (Fig. 13), unless no other ACK may be coming.
      window.congestion.onSurplus(nowPs)
      if (!this.isQuiet()) return this.open(nowPs)
    }
    if (this.inRecovery !== 0 && this.rtxPsn >= this.recoveryEnd) this.inRecovery = 0
    if (this.inRecovery !== 0) this.walk(path)
    else this.clock(nowPs, path)
    this.open(nowPs)
  }

  override onSent(nowPs: number, psn: number, isAgain: boolean, out: Segment): void {
    this.unacknowledged++
    let path: number
    if (isAgain) {
      path = this.queue.shiftAgain(this.window.una)
      this.showQueue()
    } else {
      path = this.queue.length > 0 ? this.queue.shiftNew() : this.table.any()
      this.showQueue()
      this.sentPs = nowPs
      if (this.starts.length > 0) {
        if (this.starts.first === (psn & PSN_MASK)) this.starts.shift()
        this.startPs = NEVER_PS
        this.open(nowPs)
      }
    }
    const isMessageStart = (out.flags & FIRST) !== 0
    if (isMessageStart && this.synchronise !== 'none' && (this.synchronise === 'all' || (out.flags & SEND) !== 0))
      out.flags |= SYNCHRONISE
    out.flags |= this.table.probed(nowPs, path) << PATH_SHIFT
  }

  override onTimer(nowPs: number): void {
    if (this.burstPs <= nowPs) {
      this.burstPs = NEVER_PS
      if (this.inRecovery === 0) this.letGo(this.burst, this.burstPath)
    }
    this.open(nowPs)
    this.setTimer(nowPs)
  }

  /** After the RNR wait everything is sent again from `una` = `nxt` on. */
  override onRnr(): void {
    const { una } = this.window
    this.base = una
    this.topPsn = una - 1
    this.unacknowledged = 0
    this.arrived = 0
    this.inRecovery = 0
    this.queue.clear()
    this.spread()
    this.cap = this.queue.length
  }

  /** Advances `base` to `una`. */
  private advance(): void {
    const { window } = this
    const { una, nxt } = window
    // An ACK of packets that were to be resent has advanced `nxt` past them.
    while (this.queue.length > window.end - nxt) this.queue.shiftNew()
    // Ours: clamped, since lost ACKs and duplicates would shift the count permanently.
    const arrived = this.arrived - (una - this.base)
    const most = nxt - una
    this.arrived = arrived < 0 ? 0 : arrived < most ? arrived : most
    this.base = una
    this.queue.acknowledge(una)
    this.showQueue()
    if (this.rtxPsn < una) this.rtxPsn = una
    if (una >= this.recoveryEnd) this.inRecovery = 0
    // Without a timeout nothing else accounts for lost ACKs.
    if (most === 0) this.unacknowledged = 0
  }

  /** awnd: packets that may still be released, real. */
  private room(): number {
    const { window } = this
    return window.congestion.windowPackets + this.arrived - (window.nxt - window.una) - this.queue.length
  }

  /** Releases up to `most` packets on a path; returns the room left. */
  private letGo(most: number, path: number): number {
    const room = this.room()
    const left = this.window.end - this.window.nxt - this.queue.length
    let packets = room < most ? Math.floor(room) : most
    if (packets > left) packets = left
    for (let i = 0; i < packets; i++) this.queue.pushNew(path < 0 ? this.table.any() : path)
    this.showQueue()
    return packets > 0 ? room - packets : room
  }

  /** Requests the first queued retransmission from the packet space. */
  private showQueue(): void {
    const { resendPsn } = this.queue
    if (resendPsn < 0) this.window.cancelResend()
    else this.window.resend(resendPsn)
  }

  /** No ACK is due, and nothing queued would cause one. */
  private isQuiet(): boolean {
    return this.unacknowledged <= 0 && this.queue.length === 0 && this.window.resendPsn < 0
  }

  private spread(): void {
    this.letGo(Infinity, -1)
  }

  /** Releases packets on the path of an ACK. */
  private clock(nowPs: number, path: number): void {
    const { window } = this
    const isCaughtUp = this.queue.length === 0
    const room = this.letGo(this.burst, path)
    if (room < 1) return
    if (window.nxt + this.queue.length < window.end) {
      if (this.burstPs !== NEVER_PS) return
      this.burstPs = nowPs + this.burstTimerPs
      this.burstPath = path
      this.setTimer(nowPs)
    } else if (isCaughtUp && window.una < window.nxt) {
      // "simply retransmits unacknowledged packets as new data if there is no new data to transmit" ([IGBN] V)
      this.sendAgain(window.una, path)
      window.congestion.onSurplus(nowPs)
    }
  }

  /** Sends everything again from `psn` to the highest PSN sent, one packet per ACK. */
  private recover(psn: number): void {
    this.inRecovery = 1
    this.recoveryEnd = this.window.nxt
    this.rtxPsn = psn
  }

  private walk(path: number): void {
    if (this.rtxPsn < this.recoveryEnd) this.sendAgain(this.rtxPsn++, path)
  }

  private sendAgain(psn: number, path: number): void {
    this.queue.pushAgain(psn, path, this.window.una)
    this.showQueue()
  }

  /** Sets the cap: how many new packets the sender may send. */
  private open(nowPs: number): void {
    const isHeld = this.starts.length > 0 && this.isHeld(nowPs)
    this.cap = this.window.nxt - this.window.una + (isHeld ? 0 : this.queue.length)
  }

  /** The next packet begins a synchronise message that may not start yet. */
  private isHeld(nowPs: number): boolean {
    const { nxt } = this.window
    while (this.starts.length > 0 && unwrapPsn(this.starts.first, nxt) < nxt) this.starts.shift()
    if (this.starts.length === 0 || this.starts.first !== (nxt & PSN_MASK)) return false
    if (this.startPs === NEVER_PS) {
      this.startPs = this.sentPs + Math.round(this.holdPs / this.window.congestion.windowPackets)
      this.setTimer(nowPs)
    }
    return nowPs < this.startPs
  }

  private setTimer(nowPs: number): void {
    const isStartNext = this.startPs > nowPs && this.startPs < this.burstPs
    const nextPs = isStartNext ? this.startPs : this.burstPs
    if (nextPs !== NEVER_PS) this.timers.set(SENDING_TIMER, nextPs)
  }
}

function pathOf(segment: Segment): number {
  return (segment.flags & PATH_MASK) >> PATH_SHIFT
}

export const mpRdma = defineRecovery({
  name: 'mp-rdma',
  help: 'many paths by UDP source port, clocked by the ACKs of each; packets in any order within a bitmap; with congestion mp-rdma',
  source: '[Survey] V-C',
  needs: { perPacketAck: true, soleAcks: true, multipath: true },
  offers: { multipath: true },
  hasOwnWaits: true,
  params: mpRdmaParams,
  createSender: (values, window, context) => new MpRdmaSender(values, window, context),
  createReceiver: (values) => new MpRdmaReceiver(values.slots, values.trimmed === 'nack'),
  acknowledgesReads: true,
  hasPaths: true,
  whyNoRequests:
    '[Survey] V-C takes a message in any order and says nothing of requests that are executed in turn and answered with data',
})
