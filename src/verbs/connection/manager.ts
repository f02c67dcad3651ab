/**
 * Connection manager: one end of the exchange that connects two queue pairs (request, reply, ready-to-use, or reject) and
 * of the one that parts them (disconnect, and its reply).
 * It agrees on RoCE or IRN mode: IRN if both ends offer it, else RoCE; an end that has never heard of IRN leaves the
 * offer out of its message ([IRN] 7). Likewise on byte sequence numbers, which change the packets of both.
 * Sans-IO: messages go in and out, time is an argument. They may be lost, doubled and reordered: what is not answered is
 * sent again.
 * Source: IBTA 12.6 to 12.9 (active and passive side; a request that comes says as much as ready-to-use). Deviates:
 * messages are values and not yet bytes; there is no time of waiting before a queue pair may be used again, as packets of
 * an old connection would be known by their age only: give it another PSN to begin with.
 */
import { formatIssue, InputError, inputError, type Issue } from '../../base/issue.ts'
import { NEVER_PS } from '../../base/params.ts'
import { connectionIssues, expectConnectionValues } from './check.ts'
import type { ConnectablePair, EstablishmentListener } from './connectable-pair.ts'
import type { ConnectionValues, Mode } from './values.ts'

/** What one end tells the other of itself. */
export interface ConnectionOffer {
  readonly qp: number
  /** First PSN of its requests. */
  readonly sendPsn: number
  readonly mtuBytes: number
  readonly readsOut: number
  readonly readsIn: number
  readonly hasCredits: boolean
  readonly initialCredits: number
  /** Packets that its bitmaps hold, and that it will have in flight; left out where IRN is not known or not wanted. */
  readonly irn?: { readonly bitmapBits: number; readonly capPackets: number }
  /** Byte sequence numbers ([LDCP] 3.1): its window; left out or null where they are not known or not wanted. */
  readonly lsnWindowBytes?: number | null
}

export type ConnectionMessage =
  | { readonly kind: 'request'; readonly offer: ConnectionOffer }
  | {
      readonly kind: 'reply'
      readonly offer: ConnectionOffer
      /** Left out by who knows RoCE alone. */ readonly mode?: Mode
    }
  | { readonly kind: 'ready' }
  | { readonly kind: 'reject'; readonly reason: string }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'disconnected' }

export type ConnectionState =
  | 'idle'
  | 'listening'
  | 'requested'
  | 'replied'
  | 'connected'
  | 'refused'
  | 'unanswered'
  /** This end parts, and waits to hear that the other one knows. */
  | 'disconnecting'
  | 'disconnected'

export interface ConnectionManagerOptions {
  readonly pair: ConnectablePair
  /** This end's own settings; what depends on the other end is replaced by what is agreed. */
  readonly values: Omit<ConnectionValues, 'remoteQp' | 'mode' | 'receivePsn'>
  /** This end can do IRN, and wants it. */
  readonly offersIrn: boolean
  /** After this time without an answer the message is sent again. */
  readonly responseTimeoutPs: number
  /** Times that it is sent again (IBTA 12.7.27: up to 15). */
  readonly retries: number
}

/** Most retries of a message (IBTA 12.7.27). */
const RETRIES_MAX = 15

function expectTimes({ responseTimeoutPs, retries }: ConnectionManagerOptions): void {
  const issues: Issue[] = []
  if (!(responseTimeoutPs > 0 && responseTimeoutPs < Infinity)) {
    issues.push({
      path: 'responseTimeoutPs',
      expected: 'a time above 0, ps',
      received: `${responseTimeoutPs}`,
      hint: '',
    })
  }
  if (!Number.isInteger(retries) || retries < 0 || retries > RETRIES_MAX) {
    const expected = `a whole number, from 0 to ${RETRIES_MAX}`
    issues.push({ path: 'retries', expected, received: `${retries}`, hint: '' })
  }
  if (issues.length > 0) throw new InputError(issues)
}

export class ConnectionManager implements EstablishmentListener {
  state: ConnectionState = 'idle'
  /** What was agreed, or null. */
  agreed: ConnectionValues | null = null
  /** Why the other end refused. */
  reason = ''
  nextTimeoutPs = NEVER_PS
  private readonly options: ConnectionManagerOptions
  private readonly outgoing: ConnectionMessage[] = []
  /** What waits for an answer. */
  private pending: ConnectionMessage | null = null
  private retriesLeft = 0

  /** @throws InputError for times, retries and values that cannot be. */
  constructor(options: ConnectionManagerOptions) {
    if (options.pair.state !== 'reset') {
      const received = `one that is in "${options.pair.state}"`
      throw inputError('pair', 'a queue pair that is new, or reset', received, "modify(nowPs, 'reset')")
    }
    expectTimes(options)
    const own = { ...options.values, remoteQp: 0, receivePsn: 0 }
    expectConnectionValues({ ...own, mode: 'roce' })
    if (options.offersIrn) expectConnectionValues({ ...own, mode: 'irn', lsnWindowBytes: null })
    this.options = options
    options.pair.modify(0, 'init')
    options.pair.listener = this
  }

  /** The active side: asks. */
  connect(nowPs: number): void {
    this.expectState('connect', 'idle', 'a connection is asked for once; a new manager makes another')
    this.state = 'requested'
    this.expect(nowPs, { kind: 'request', offer: this.offer() })
  }

  /** The passive side: waits to be asked. */
  listen(): void {
    this.expectState('listen', 'idle', 'a connection is waited for once; a new manager makes another')
    this.state = 'listening'
  }

  /** The passive side will not. */
  refuse(reason: string): void {
    this.expectState('refuse', 'listening', 'call listen() before')
    this.state = 'refused'
    this.reason = reason
  }

  /** Parts: what is not done is flushed here now, and at the other end when it hears of it (IBTA 12.9.8.3). */
  disconnect(nowPs: number): void {
    this.expectState('disconnect', 'connected', 'wait until both ends say that they are')
    this.part(nowPs, 'disconnecting')
    this.expect(nowPs, { kind: 'disconnect' })
  }

  /** The next message to send, or null. */
  poll(): ConnectionMessage | null {
    return this.outgoing.shift() ?? null
  }

  onMessage(nowPs: number, message: ConnectionMessage): void {
    switch (message.kind) {
      case 'request':
        this.onRequest(nowPs, message.offer)
        break
      case 'reply':
        this.onReply(nowPs, message.offer, message.mode ?? 'roce')
        break
      case 'ready':
        if (this.state === 'replied') this.settle(nowPs)
        break
      case 'reject':
        if (this.state !== 'requested' && this.state !== 'replied') break
        if (this.state === 'replied') this.options.pair.modify(nowPs, 'error')
        this.state = 'refused'
        this.reason = message.reason
        this.forget()
        break
      case 'disconnect':
        this.onDisconnect(nowPs)
        break
      case 'disconnected':
        if (this.state !== 'disconnecting') break
        this.state = 'disconnected'
        this.forget()
    }
  }

  /** Of the queue pair: the other end sends, so that it has our reply, and its ready-to-use is late or lost. */
  onEstablished(nowPs: number): void {
    if (this.state === 'replied') this.settle(nowPs)
  }

  onTimeout(nowPs: number): void {
    if (nowPs < this.nextTimeoutPs || this.pending === null) return
    if (this.retriesLeft === 0) {
      // Who does not say that it has heard of the end will find out when nobody answers.
      this.state = this.state === 'disconnecting' ? 'disconnected' : 'unanswered'
      this.forget()
      this.options.pair.modify(nowPs, 'error')
      return
    }
    this.retriesLeft--
    this.outgoing.push(this.pending)
    this.nextTimeoutPs = nowPs + this.options.responseTimeoutPs
  }

  /** Calls have an order. */
  private expectState(call: string, state: ConnectionState, hint: string): void {
    if (this.state === state) return
    throw inputError(`${call}()`, `a manager that is "${state}"`, `one that is "${this.state}"`, hint)
  }

  /** Also of both at once, and again where our reply was lost. */
  private onDisconnect(nowPs: number): void {
    // Who replied and has not heard of ready-to-use knows now that there was one.
    const isOn = this.state === 'connected' || this.state === 'replied'
    if (!isOn && this.state !== 'disconnecting' && this.state !== 'disconnected') return
    if (isOn) this.part(nowPs, 'disconnected')
    this.outgoing.push({ kind: 'disconnected' })
  }

  private part(nowPs: number, state: ConnectionState): void {
    this.state = state
    this.forget()
    this.options.pair.modify(nowPs, 'error')
  }

  private onRequest(nowPs: number, offer: ConnectionOffer): void {
    if (this.state === 'refused') this.outgoing.push({ kind: 'reject', reason: this.reason })
    // Asked again: our reply may have been lost.
    else if (this.state === 'replied' && this.pending !== null) this.outgoing.push(this.pending)
    if (this.state !== 'listening') return
    const own = this.offer()
    const mode = own.irn !== undefined && offer.irn !== undefined ? 'irn' : 'roce'
    if (!this.agree(nowPs, own, offer, mode)) return
    this.state = 'replied'
    this.expect(nowPs, { kind: 'reply', offer: own, mode })
  }

  private onReply(nowPs: number, offer: ConnectionOffer, mode: Mode): void {
    if (this.state === 'requested') {
      const own = this.offer()
      if (mode === 'irn' && (own.irn === undefined || offer.irn === undefined)) {
        this.reject('the reply is for IRN, which one end did not offer')
        return
      }
      if (this.agree(nowPs, own, offer, mode)) this.settle(nowPs)
    }
    // Told again: our ready-to-use, or our refusal, may have been lost.
    else if (this.state === 'refused') this.outgoing.push({ kind: 'reject', reason: this.reason })
    if (this.state === 'connected') this.outgoing.push({ kind: 'ready' })
  }

  /** Both ends come to the same values from the two offers. False: there are none, and the other end is told so. */
  private agree(nowPs: number, own: ConnectionOffer, other: ConnectionOffer, mode: Mode): boolean {
    const { values, pair } = this.options
    const caps = [own.irn, other.irn].map((irn) => Math.min(irn?.capPackets ?? Infinity, irn?.bitmapBits ?? Infinity))
    const capPackets = Math.min(values.selectiveRepeat.capPackets, ...caps)
    const [window, otherWindow] = [own.lsnWindowBytes ?? null, other.lsnWindowBytes ?? null]
    // The draft has them over go-back-N. An end without them reads other headers, and acknowledges no READ response.
    const hasLsn = mode === 'roce' && window !== null && otherWindow !== null
    const agreed: ConnectionValues = {
      ...values,
      mode,
      remoteQp: other.qp,
      mtuBytes: Math.min(own.mtuBytes, other.mtuBytes),
      receivePsn: other.sendPsn,
      readsOut: Math.min(own.readsOut, other.readsIn),
      readsIn: own.readsIn,
      hasCredits: own.hasCredits && other.hasCredits,
      initialCredits: other.initialCredits,
      selectiveRepeat: { ...values.selectiveRepeat, capPackets },
      lsnWindowBytes: hasLsn ? Math.min(window, otherWindow) : null,
    }
    const issues = connectionIssues(agreed)
    if (issues.length > 0) this.reject(`values that no connection can have: ${issues.map(formatIssue).join('; ')}`)
    else if (pair.modify(nowPs, 'ready to receive', agreed)) {
      this.agreed = agreed
      return true
    } else this.reject('the queue pair was moved while it was being connected')
    return false
  }

  /** This side cannot use what it was told. */
  private reject(reason: string): void {
    this.state = 'refused'
    this.reason = reason
    this.forget()
    this.outgoing.push({ kind: 'reject', reason })
  }

  private settle(nowPs: number): void {
    this.state = 'connected'
    this.forget()
    this.options.pair.modify(nowPs, 'ready to send')
  }

  private offer(): ConnectionOffer {
    const { values, pair, offersIrn } = this.options
    const { bitmapBits, capPackets } = values.selectiveRepeat
    return {
      qp: pair.number,
      sendPsn: values.sendPsn,
      mtuBytes: values.mtuBytes,
      readsOut: values.readsOut,
      readsIn: values.readsIn,
      hasCredits: values.hasCredits,
      initialCredits: pair.receives.tail - pair.receives.head,
      ...(offersIrn ? { irn: { bitmapBits, capPackets } } : {}),
      ...(values.lsnWindowBytes === null ? {} : { lsnWindowBytes: values.lsnWindowBytes }),
    }
  }

  private expect(nowPs: number, message: ConnectionMessage): void {
    this.pending = message
    this.retriesLeft = this.options.retries
    this.outgoing.push(message)
    this.nextTimeoutPs = nowPs + this.options.responseTimeoutPs
  }

  private forget(): void {
    this.pending = null
    this.nextTimeoutPs = NEVER_PS
  }
}
