/**
 * HOT. Queue pair: a requester and a responder half, the queues between them and the application, and the state that
 * says what they may do. Sans-IO: the five calls of transport/endpoint.ts, with packets that carry verbs' headers.
 * States and legal transitions: IBTA 10.3.1. Order of what leaves: answers first, then responses and requests in turn.
 * Deviates: there is no send-queue-error state, which a reliable connection does not need.
 */
import { assert } from '../base/assert.ts'
import { NEVER_PS } from '../base/params.ts'
import type { Endpoint } from '../transport/endpoint.ts'
import { Timers, type OrderSource } from '../transport/timers.ts'
import { ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, isReadResponse, READ_ACK, READ_NACK } from '../wire/opcodes.ts'
import { LOCAL_WRITE } from './access.ts'
import type { AsyncEventKind } from './async-event.ts'
import { Completer } from './completer.ts'
import type { CompletionQueue, CompletionUser } from './completion-queue.ts'
import { expectConnectionValues } from './connection-check.ts'
import type { ConnectionValues } from './connection-values.ts'
import type { Device } from './device.ts'
import type { MemoryRegion } from './memory-region.ts'
import { isAnswered, isMessageLength, OP_READ } from './operation.ts'
import type { VerbsPacket } from './packet.ts'
import type { PrematureCompletion } from './premature-completions.ts'
import { isLegal, type QueuePairState } from './queue-pair-state.ts'
import { ReceiveQueue, type ReceiveWork, type SharedReceiveQueue } from './receive-queue.ts'
import { Requester, type RequesterHost } from './requester.ts'
import { Responder, type ResponderHost } from './responder.ts'
import { SendQueue, type SendWork, type SendWqe } from './send-queue.ts'
import { FLUSHED, SUCCESS, type Status } from './status.ts'
import { isReceiveWork, isSendWork } from './work-check.ts'

export interface QueuePairOptions {
  readonly device: Device
  readonly number: number
  readonly domain: number
  readonly sendCompletions: CompletionQueue
  readonly receiveCompletions: CompletionQueue
  readonly sendDepth: number
  /** Of its own receive queue; not looked at with a shared one. */
  readonly receiveDepth: number
  readonly shared: SharedReceiveQueue | null
  readonly order: OrderSource
}

/**
 * Why a work request was not taken. 'no reads': the connection was made for no READ or atomic outstanding, so that one
 * would wait for ever. 'wrong value': an operation that there is not, or a number that does not fit where it belongs.
 */
export type PostResult = 'posted' | 'full' | 'wrong state' | 'wrong length' | 'wrong value' | 'no reads'

/** Told when a request was taken before this end was ready to send: communication is established (IBTA 11.6.3, 12.9). */
export interface EstablishmentListener {
  onEstablished(nowPs: number): void
}

/** Whoever polls a queue pair and would not look at it otherwise. */
export interface PostListener {
  /** Work was posted, or may go on as the state is another one. */
  onPosted(): void
}

const REQUEST_TIMER = 0
const RNR_TIMER = 1
const RESPONSE_TIMER = 2
const READ_TIMER = 3

export class QueuePair implements Endpoint<VerbsPacket>, RequesterHost, ResponderHost, CompletionUser {
  readonly number: number
  readonly domain: number
  readonly receives: ReceiveQueue
  readonly shared: SharedReceiveQueue | null
  readonly timers: Timers
  state: QueuePairState = 'reset'
  nextSendPs = NEVER_PS
  listener: EstablishmentListener | null = null
  /** Told of work that was posted, if anybody has to be. */
  driver: PostListener | null = null
  private readonly options: QueuePairOptions
  private queue: SendQueue | null = null
  private requesterHalf: Requester | null = null
  private responderHalf: Responder | null = null
  /** Whose turn it is: a response's, or a request's. */
  private isResponseTurn = true
  private remoteQp = 0
  private mtuBytes = 0
  private readonly completer: Completer
  /** It is gone for good. */
  private isClosed = false
  /** They have sent something that was taken. */
  private isEstablished = false
  /** What had begun before the send queue was to be drained is done, and told. */
  private isDrainTold = false
  private readsOut = 0
  /** First PSN of their requests. */
  private receivePsn = 0

  constructor(options: QueuePairOptions) {
    this.options = options
    this.number = options.number
    this.domain = options.domain
    this.shared = options.shared
    this.receives = new ReceiveQueue(options.shared === null ? options.receiveDepth : options.shared.capacity)
    this.timers = new Timers(options.order)
    const { sendCompletions, receiveCompletions } = options
    this.completer = new Completer(options.number, sendCompletions, receiveCompletions)
    this.completer.attach(this)
  }

  get isShared(): boolean {
    return this.shared !== null
  }

  get nextTimeoutPs(): number {
    return this.timers.nextPs
  }

  /**
   * An answer is due, and pollTransmit() gives it first. There is room for one: a driver takes it before the next
   * packet comes, as it would put it in a queue of its own.
   */
  get hasAnswer(): boolean {
    const { requesterHalf: requester, responderHalf: responder } = this
    if (requester === null || responder === null || this.state === 'error') return false
    return responder.hasAnswer || requester.reads.reply !== 0
  }

  get mayBegin(): boolean {
    return this.state === 'ready to send'
  }

  /** For observers and tests; there from ready-to-receive on. */
  get requester(): Requester {
    assert(this.requesterHalf !== null, 'a queue pair that is not connected')
    return this.requesterHalf
  }

  get responder(): Responder {
    assert(this.responderHalf !== null, 'a queue pair that is not connected')
    return this.responderHalf
  }

  /** Work requests that are not done. */
  get outstanding(): number {
    return this.queue === null ? 0 : this.queue.tail - this.queue.head
  }

  /**
   * Moves to another state; false: there is no such transition. `values`: on the way to ready-to-receive.
   * @throws InputError for values that no connection can have; the state is as before.
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
    if (state === 'ready to send') this.requester.checkHead()
    this.isDrainTold = false
    this.refresh(nowPs)
    this.driver?.onPosted()
    return true
  }

  postReceive(work: ReceiveWork): PostResult {
    // They are posted to the shared queue (IBTA 11.4.1.2).
    if (this.shared !== null) return 'wrong state'
    if (this.state === 'reset') return 'wrong state'
    if (!isMessageLength(work.lengthBytes)) return 'wrong length'
    if (!isReceiveWork(work)) return 'wrong value'
    if (!this.receives.post(work)) return 'full'
    if (this.state === 'error') {
      this.flushReceives(null)
      if (this.completer.isOverrun) this.completer.tellOverruns()
    }
    return 'posted'
  }

  postSend(nowPs: number, work: SendWork): PostResult {
    const { queue } = this
    if (queue === null || this.state === 'reset' || this.state === 'init' || this.state === 'ready to receive') {
      return 'wrong state'
    }
    if (!isMessageLength(work.lengthBytes ?? 0)) return 'wrong length'
    if (!isSendWork(work)) return 'wrong value'
    if (queue.isTooLong(work)) return 'wrong length'
    if (isAnswered(work.operation) && this.readsOut === 0) return 'no reads'
    if (queue.isFull) return 'full'
    queue.post(work, !this.isLocalGood(work))
    if (this.state === 'error') this.flushSends(null, FLUSHED)
    else this.requester.checkHead()
    this.refresh(nowPs)
    this.driver?.onPosted()
    return 'posted'
  }

  onSegment(nowPs: number, packet: VerbsPacket): void {
    const { requesterHalf: requester, responderHalf: responder } = this
    if (requester === null || responder === null || this.state === 'error') return
    // It is for another one (IBTA 9.6.1.2).
    if (packet.destinationQp !== this.number) return
    const { opcode } = packet
    if (opcode === ACKNOWLEDGE) requester.onAnswer(nowPs, packet)
    else if (isReadResponse(opcode) || opcode === ATOMIC_ACKNOWLEDGE) requester.onResponse(nowPs, packet)
    else if (opcode === READ_ACK || opcode === READ_NACK) responder.responses.onReadAck(nowPs, packet)
    else responder.onRequest(nowPs, packet)
    if (this.state === 'ready to receive' && !this.isEstablished && responder.epsn > this.receivePsn)
      this.tellEstablished(nowPs)
    this.refresh(nowPs)
  }

  pollTransmit(nowPs: number, out: VerbsPacket): boolean {
    const { requesterHalf: requester, responderHalf: responder } = this
    if (nowPs < this.nextSendPs || requester === null || responder === null) return false
    assert(out.payload.length >= this.mtuBytes, 'a packet has no room for a payload of the MTU')
    out.flags = 0
    out.payloadBytes = 0
    out.hasPayload = false
    out.isAckRequested = out.isSolicited = false
    out.destinationQp = this.remoteQp
    let isSent = responder.pollAnswer(out) || requester.pollReadAck(out)
    if (!isSent) {
      const isResponseTurn = this.isResponseTurn
      isSent = isResponseTurn ? responder.pollResponse(nowPs, out) : requester.poll(nowPs, out)
      if (isSent) this.isResponseTurn = !isResponseTurn
      else if (isResponseTurn) isSent = requester.poll(nowPs, out)
      else isSent = this.state !== 'error' && responder.pollResponse(nowPs, out)
      // What might not leave any more is refused in its place.
      if (!isSent && this.hasAnswer) isSent = responder.pollAnswer(out)
    }
    this.refresh(nowPs)
    return isSent
  }

  onTimeout(nowPs: number): void {
    const { timers } = this
    if (timers.nextPs > nowPs) return
    const slot = timers.nextSlot
    timers.clear(slot)
    if (slot === REQUEST_TIMER) this.requester.onTimeout(nowPs)
    else if (slot === RNR_TIMER) this.requester.onRnrTimer(nowPs)
    else if (slot === READ_TIMER) this.requester.onReadTimeout(nowPs)
    else this.responder.onTimeout(nowPs)
    this.refresh(nowPs)
  }

  regionOf(key: number): MemoryRegion | null {
    return this.options.device.regionOf(key)
  }

  onSendDone(wqe: SendWqe): void {
    if (!wqe.isUnsignalled) this.completer.onSend(wqe, SUCCESS)
  }

  onSendFailed(wqe: SendWqe, status: Status): void {
    this.fail(wqe, status, null, null)
  }

  onReceived(completion: Readonly<PrematureCompletion>): void {
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

  /** For its device: no state follows this one. */
  close(): void {
    this.completer.detach(this)
    this.state = 'reset'
    this.isClosed = true
    this.listener = null
    this.reset()
    this.nextSendPs = NEVER_PS
  }

  private tellEstablished(nowPs: number): void {
    this.isEstablished = true
    this.options.device.report('communication established', this.number)
    this.listener?.onEstablished(nowPs)
  }

  private connect(values: ConnectionValues): void {
    const isIrn = values.mode === 'irn'
    this.remoteQp = values.remoteQp
    this.mtuBytes = values.mtuBytes
    this.readsOut = values.readsOut
    this.receivePsn = values.receivePsn
    this.isEstablished = false
    this.queue = new SendQueue({
      capacity: this.options.sendDepth,
      mtuBytes: values.mtuBytes,
      firstPsn: values.sendPsn,
      isIrn,
    })
    this.requesterHalf = new Requester(this, this.queue, values)
    this.responderHalf = new Responder(this, values)
  }

  private reset(): void {
    this.queue = null
    this.requesterHalf = null
    this.responderHalf = null
    this.receives.reset()
    this.timers.clearAll()
  }

  private isLocalGood(work: SendWork): boolean {
    const { region } = work
    if (region === null || region === undefined) return true
    const { operation } = work
    const lengthBytes = operation > OP_READ ? 8 : (work.lengthBytes ?? 0)
    // Nothing is read or written (IBTA 10.7.2.2).
    if (lengthBytes === 0) return true
    // Domains are numbered by their device: a region of another one may have the number of ours.
    if (this.regionOf(region.key) !== region) return false
    return region.allows(this.domain, operation >= OP_READ ? LOCAL_WRITE : 0, work.address ?? 0, lengthBytes)
  }

  /** Into the error state: everything that is not done is completed so, in order (IBTA 10.3.1.6). */
  private fail(wqe: SendWqe | null, status: Status, receiveStatus: Status | null, event: AsyncEventKind | null): void {
    if (this.state === 'error') return
    this.state = 'error'
    this.timers.clearAll()
    this.nextSendPs = NEVER_PS
    this.flushSends(wqe, status)
    this.flushReceives(receiveStatus)
    const { device } = this.options
    if (event !== null) device.report(event, this.number)
    if (this.shared !== null) device.report('last WQE reached', this.number)
    if (this.completer.isOverrun) this.completer.tellOverruns()
  }

  private flushSends(failed: SendWqe | null, status: Status): void {
    const { queue } = this
    if (queue === null) return
    while (!queue.isEmpty) {
      const wqe = queue.at(queue.head)
      queue.head++
      this.completer.onSend(wqe, wqe === failed ? status : FLUSHED)
    }
  }

  /** @param first of the oldest, if it is at fault */
  private flushReceives(first: Status | null): void {
    let status = first ?? FLUSHED
    while (!this.receives.isEmpty) {
      this.completer.onReceiveFailed(this.receives.at(this.receives.head), status)
      status = FLUSHED
      this.receives.drop()
    }
  }

  /** Keeps the times that it tells, and its timers, in step with its halves. */
  private refresh(nowPs: number): void {
    if (this.completer.isOverrun) this.completer.tellOverruns()
    const { requesterHalf: requester, responderHalf: responder } = this
    if (requester === null || responder === null || this.state === 'error') {
      this.nextSendPs = NEVER_PS
      return
    }
    if (this.state === 'send queue drain' && !this.isDrainTold && requester.isDrained) {
      this.isDrainTold = true
      this.options.device.report('send queue drained', this.number)
    }
    this.track(REQUEST_TIMER, requester.rnrUntilPs === NEVER_PS ? requester.space.deadlinePs : NEVER_PS)
    this.track(RNR_TIMER, requester.rnrUntilPs)
    this.track(RESPONSE_TIMER, responder.responses.space?.deadlinePs ?? NEVER_PS)
    if (requester.reads.receiver !== null) this.track(READ_TIMER, requester.reads.deadlinePs)
    if (this.hasAnswer) {
      this.nextSendPs = 0
      return
    }
    const requestPs = requester.nextSendPs(nowPs)
    const responsePs = responder.responses.nextSendPs(nowPs)
    this.nextSendPs = requestPs < responsePs ? requestPs : responsePs
  }

  private track(slot: number, deadlinePs: number): void {
    if (this.timers.deadlineOf(slot) === deadlinePs) return
    if (deadlinePs === NEVER_PS) this.timers.clear(slot)
    else this.timers.set(slot, deadlinePs)
  }
}
