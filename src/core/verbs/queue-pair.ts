/**
 * HOT. Queue pair: a requester and a responder half, the queues between them and the application, and the state that
 * determines which operations are allowed. Sans-IO: the five calls of transport/endpoint.ts, with packets that carry
 * the headers of verbs.
 * Transmit order: ACKs and NAKs first, then responses and requests in alternation.
 * Source: IBTA 10.3.1 (states and transitions). Deviates: there is no send-queue-error state, which a reliable
 * connection does not need.
 */
import { inputError } from '../base/issue.ts'
import { NEVER_PS } from '../base/params.ts'
import type { Endpoint } from '../transport/endpoint.ts'
import { nearestOf, type OrderSource, type Timed } from '../transport/timers.ts'
import type { AsyncEventKind } from './async-event.ts'
import { Completer } from './queues/completer.ts'
import type { CompletionQueue, CompletionUser } from './queues/completion-queue.ts'
import { expectConnectionValues } from './connection/check.ts'
import type { ConnectablePair, EstablishmentListener } from './connection/connectable-pair.ts'
import type { ConnectionValues } from './connection/values.ts'
import { newHalves } from './halves.ts'
import type { MemoryRegion } from './memory-region.ts'
import { isAnswered, isMessageLength } from './queues/operation.ts'
import type { VerbsPacket } from './packet.ts'
import type { PrematureCompletion } from './queues/premature-completions.ts'
import { isLegal, type QueuePairState } from './queue-pair-state.ts'
import { ReceiveQueue, type SharedReceiveQueue } from './queues/receive-queue.ts'
import type { Requester, RequesterHost } from './requester/requester.ts'
import type { Responder, ResponderHost } from './responder/responder.ts'
import { SendQueue, type SendWqe } from './queues/send-queue.ts'
import { plainSchemes } from './plain-schemes.ts'
import type { Schemes } from './schemes.ts'
import { FLUSHED, SUCCESS, type Status } from './queues/status.ts'
import { isLocalGood, isReceiveWork, isSendWork } from './queues/work-check.ts'
import { WireSide } from './wire-side.ts'
import type { PostResult, ReceiveWork, SendWork } from './queues/work-request.ts'

/** The device of a queue pair: its memory regions and its asynchronous events. */
interface QueuePairDevice {
  regionOf(key: number): MemoryRegion | null
  invalidate(key: number): void
  report(kind: AsyncEventKind, qp: number): void
}

interface QueuePairOptions {
  readonly device: QueuePairDevice
  readonly number: number
  readonly domain: number
  readonly sendCompletions: CompletionQueue
  readonly receiveCompletions: CompletionQueue
  readonly sendDepth: number
  /** Depth of its own receive queue; ignored with a shared one. */
  readonly receiveDepth: number
  readonly shared: SharedReceiveQueue | null
  readonly order: OrderSource
}

/** Driver that polls a queue pair only on request. */
export interface PostListener {
  /** Work was posted, or the new state may allow more to be sent. */
  onPosted(): void
}

export class QueuePair implements Endpoint<VerbsPacket>, ConnectablePair, RequesterHost, ResponderHost, CompletionUser {
  readonly number: number
  readonly domain: number
  readonly receives: ReceiveQueue
  readonly shared: SharedReceiveQueue | null
  state: QueuePairState = 'reset'
  listener: EstablishmentListener | null = null
  /** Notified of new work, or null. */
  driver: PostListener | null = null
  /** A change that the application may poll for; whoever reports it to the application clears the flag. */
  hasUpdates = false
  private readonly options: QueuePairOptions
  private queue: SendQueue | null = null
  private requesterHalf: Requester | null = null
  private responderHalf: Responder | null = null
  /** The two halves and the READ response halves of each. */
  private halves: readonly Timed[] = []
  private wire: WireSide | null = null
  private schemes: Schemes | null = null
  /** Round-robin pointer of pollTransmit(): responses, or requests. */
  private isResponseNext = true
  private mtuBytes = 0
  private readonly completer: Completer
  /** Destroyed. */
  private isClosed = false
  /** A request of the other end has been accepted. */
  private isEstablished = false
  /** The event of a drained send queue has been reported for this drain. */
  private isDrainReported = false
  private readsOut = 0
  /** First PSN of the other end's requests. */
  private receivePsn = 0

  constructor(options: QueuePairOptions) {
    this.options = options
    this.number = options.number
    this.domain = options.domain
    this.shared = options.shared
    this.receives = new ReceiveQueue(options.shared === null ? options.receiveDepth : options.shared.capacity)
    const { sendCompletions, receiveCompletions } = options
    this.completer = new Completer(options.number, sendCompletions, receiveCompletions)
    this.completer.attach(this)
  }

  get isShared(): boolean {
    return this.shared !== null
  }

  get nextTimeoutPs(): number {
    return nearestOf(this.halves)?.timers.nextPs ?? NEVER_PS
  }

  /** Order of the nearest deadline among events of equal time. */
  get nextTimeoutOrder(): number {
    return nearestOf(this.halves)?.timers.nextOrder ?? NEVER_PS
  }

  get nextSendPs(): number {
    const { requesterHalf: requester, responderHalf: responder } = this
    if (requester === null || responder === null || this.state === 'error') return NEVER_PS
    if (this.hasReply) return 0
    return Math.min(requester.nextSendPs, responder.responses.nextSendPs)
  }

  /**
   * An ACK, NAK or CNP is due, and pollTransmit() gives it first. Only one ACK or NAK is stored: the driver takes it before
   * it passes in the next packet.
   */
  get hasReply(): boolean {
    const { requesterHalf: requester, responderHalf: responder } = this
    if (requester === null || responder === null || this.state === 'error') return false
    return responder.hasReply || requester.reads.hasReply
  }

  get mayBegin(): boolean {
    return this.state === 'ready to send'
  }

  /** True from ready-to-receive until reset, the error state included. */
  get isConnected(): boolean {
    return this.requesterHalf !== null
  }

  /** Exists from ready-to-receive on. */
  get requester(): Requester {
    return this.requesterHalf ?? this.reportUnconnected()
  }

  get responder(): Responder {
    return this.responderHalf ?? this.reportUnconnected()
  }

  /** Work requests that are not complete. */
  get outstanding(): number {
    return this.queue === null ? 0 : this.queue.tail - this.queue.head
  }

  /**
   * Moves to another state; false: the transition is illegal. `values` go with ready-to-receive.
   * @throws InputError for invalid values; the state does not change.
   */
  modify(nowPs: number, state: QueuePairState, values?: ConnectionValues): boolean {
    if (this.isClosed || !isLegal(this.state, state) || (state === 'ready to receive') !== (values !== undefined))
      return false
    if (state === 'error') {
      this.fail(null, FLUSHED, null, null)
      return true
    }
    if (values !== undefined) expectConnectionValues(values)
    this.state = state
    if (state === 'reset') this.reset()
    if (values !== undefined) this.connect(values)
    this.requesterHalf?.onStateChange()
    this.isDrainReported = false
    this.notify()
    this.driver?.onPosted()
    return true
  }

  postReceive(work: ReceiveWork): PostResult {
    // With a shared queue, receives are posted there (IBTA 11.4.1.2).
    if (this.shared !== null) return 'wrong state'
    if (this.state === 'reset') return 'wrong state'
    if (!isReceiveWork(work)) return 'wrong value'
    if (!isMessageLength(work.lengthBytes)) return 'wrong length'
    if (!this.receives.post(work)) return 'full'
    if (this.state === 'error') {
      this.completer.flushReceives(this.receives, null)
      if (this.completer.isOverrun) this.completer.reportOverruns()
    }
    return 'posted'
  }

  postSend(nowPs: number, work: SendWork): PostResult {
    const { queue } = this
    if (queue === null || this.state === 'reset' || this.state === 'init' || this.state === 'ready to receive') {
      return 'wrong state'
    }
    if (!isSendWork(work)) return 'wrong value'
    if (!isMessageLength(work.lengthBytes ?? 0)) return 'wrong length'
    if (queue.isTooLong(work)) return 'wrong length'
    if (isAnswered(work.operation) && this.readsOut === 0) return 'no reads'
    if (queue.isFull) return 'full'
    const wqe = queue.post(work, !isLocalGood(work, this.domain, this.options.device))
    if (this.state === 'error') this.completer.flushSends(queue, null, FLUSHED)
    else this.requester.onPosted(nowPs, wqe)
    this.notify()
    this.driver?.onPosted()
    return 'posted'
  }

  /**
   * Takes a decoded packet from the wire, with the ECN codepoint of its IP header. Afterwards the driver calls
   * pollTransmit() until that is false, before it passes in the next packet. If it passes in several, RoCE loses nothing, as
   * the ACK or NAK of the last one covers the others; IRN's each name a packet, and those of the others are lost.
   */
  onSegment(nowPs: number, packet: VerbsPacket): void {
    // Misdelivered: dropped (IBTA 9.6.1.2).
    if (this.wire === null || this.state === 'error' || packet.destinationQp !== this.number) return
    if (this.wire.take(nowPs, packet)) this.onProcessed(nowPs)
  }

  /** A CNP for it arrived, which a driver may pass in here, or as a packet: the congestion control slows down. */
  onCnp(nowPs: number): void {
    if (this.state !== 'error') this.wire?.onCnp(nowPs)
  }

  /** Follows up for the queue pair after a half has received a packet. */
  onProcessed(nowPs: number): void {
    const { responderHalf: responder } = this
    if (
      this.state === 'ready to receive' &&
      !this.isEstablished &&
      responder !== null &&
      responder.epsn > this.receivePsn
    )
      this.reportEstablished(nowPs)
    this.notify()
  }

  onWhole(): void {
    this.hasUpdates = true
  }

  pollTransmit(nowPs: number, out: VerbsPacket): boolean {
    const { requesterHalf: requester, responderHalf: responder } = this
    if (nowPs < this.nextSendPs || requester === null || responder === null) return false
    if (out.payload.length < this.mtuBytes) {
      throw inputError(
        'out',
        `a packet with room for the MTU, ${this.mtuBytes} bytes`,
        `room for ${out.payload.length}`,
        'new VerbsPacket(mtuBytes)',
      )
    }
    const { responses } = responder
    let isSent = (responder.hasReply && responder.pollTransmit(nowPs, out)) || requester.reads.pollTransmit(nowPs, out)
    if (!isSent) {
      const isResponseNext = this.isResponseNext
      isSent = isResponseNext ? responses.pollTransmit(nowPs, out) : requester.pollTransmit(nowPs, out)
      if (isSent) this.isResponseNext = !isResponseNext
      else if (isResponseNext) isSent = requester.pollTransmit(nowPs, out)
      else isSent = this.state !== 'error' && responses.pollTransmit(nowPs, out)
      // A response that is denied leaves a NAK instead.
      if (!isSent && this.hasReply) isSent = responder.pollTransmit(nowPs, out)
    }
    if (isSent) this.wire?.finish(nowPs, out)
    this.notify()
    return isSent
  }

  onTimeout(nowPs: number): void {
    const half = nearestOf(this.halves)
    if (half === null || half.timers.nextPs > nowPs) return
    half.onTimeout(nowPs)
    this.notify()
  }

  regionOf(key: number): MemoryRegion | null {
    return this.options.device.regionOf(key)
  }

  onSendDone(wqe: SendWqe): void {
    this.hasUpdates = true
    if (!wqe.isUnsignalled) this.completer.onSend(wqe, SUCCESS)
  }

  onSendFailed(wqe: SendWqe, status: Status): void {
    this.fail(wqe, status, null, null)
  }

  onReceived(completion: Readonly<PrematureCompletion>): void {
    this.hasUpdates = true
    this.completer.onReceived(this.receives.at(this.receives.head), completion)
    if (completion.invalidateKey >= 0) this.options.device.invalidate(completion.invalidateKey)
    this.receives.drop()
  }

  onResponderFailed(status: Status | null, event: AsyncEventKind): void {
    this.fail(null, FLUSHED, status, event)
  }

  onOverrun(): void {
    if (this.state !== 'reset') this.fail(null, FLUSHED, null, 'fatal')
  }

  /** Destroys it: called by its device. No state follows. */
  close(): void {
    this.completer.detach(this)
    this.state = 'reset'
    this.isClosed = true
    this.listener = null
    this.reset()
  }

  private reportUnconnected(): never {
    throw inputError(
      'pair',
      'a queue pair that is connected',
      `one in "${this.state}"`,
      'modify() it to ready to receive',
    )
  }

  private reportEstablished(nowPs: number): void {
    this.isEstablished = this.hasUpdates = true
    this.options.device.report('communication established', this.number)
    this.listener?.onEstablished(nowPs)
  }

  private connect(values: ConnectionValues): void {
    const isShared = values.mode === 'roce'
    const schemes = values.schemes ?? plainSchemes(values, this.options.order)
    this.schemes = schemes
    this.mtuBytes = values.mtuBytes
    this.readsOut = values.readsOut
    this.receivePsn = values.receivePsn
    this.isEstablished = false
    this.queue = new SendQueue({
      capacity: this.options.sendDepth,
      mtuBytes: values.mtuBytes,
      firstPsn: values.sendPsn,
      firstResponse: values.sendPsn,
      isShared,
    })
    const [requester, responder] = newHalves(this, this.queue, values, schemes)
    this.requesterHalf = requester
    this.responderHalf = responder
    this.halves = [requester, requester.reads, responder, responder.responses]
    this.wire = new WireSide(requester, responder, values, schemes.baseRttPs)
  }

  private reset(): void {
    this.closeHalves()
    this.schemes?.release?.()
    this.schemes = null
    this.queue = null
    this.requesterHalf = null
    this.responderHalf = null
    this.wire = null
    this.halves = []
    this.receives.reset()
  }

  private closeHalves(): void {
    const { requesterHalf: requester, responderHalf: responder } = this
    if (requester === null || responder === null) return
    for (const half of [requester, requester.reads, responder, responder.responses]) half.close()
  }

  /** Enters the error state and completes all outstanding work in order, as failed or flushed (IBTA 10.3.1.6). */
  private fail(wqe: SendWqe | null, status: Status, receiveStatus: Status | null, event: AsyncEventKind | null): void {
    if (this.state === 'error') return
    this.state = 'error'
    this.hasUpdates = true
    this.closeHalves()
    if (this.queue !== null) this.completer.flushSends(this.queue, wqe, status)
    this.completer.flushReceives(this.receives, receiveStatus)
    const { device } = this.options
    if (event !== null) device.report(event, this.number)
    if (this.shared !== null) device.report('last WQE reached', this.number)
    if (this.completer.isOverrun) this.completer.reportOverruns()
  }

  /** Reports overruns and a drained send queue, once each. */
  private notify(): void {
    if (this.completer.isOverrun) this.completer.reportOverruns()
    const { requesterHalf: requester } = this
    if (requester === null || this.state !== 'send queue drain' || this.isDrainReported || !requester.isDrained) return
    this.isDrainReported = this.hasUpdates = true
    this.options.device.report('send queue drained', this.number)
  }
}
