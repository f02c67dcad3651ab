/**
 * Connection manager: one end of the exchange that connects two queue pairs (request, reply, ready-to-use, or reject)
 * and of the one that disconnects them (disconnect, and its reply).
 * It negotiates the mode: IRN if both ends offer it, else RoCE; an end without IRN leaves the offer out of its message
 * ([IRN] 7). Likewise byte sequence numbers, which change the packets of both.
 * Sans-IO: messages go in and out, time is an argument. Messages may be lost, duplicated and reordered: one without a
 * reply is sent again.
 * Source: IBTA 12.6 to 12.9 (active and passive side; an incoming request counts as ready-to-use).
 * Deviates: messages are values, not bytes. There is no TimeWait state before a queue pair is reused, since packets of
 * the old connection could be recognized only by age: a reused queue pair should start at another PSN.
 */
import { formatIssue, InputError, inputError, type Issue } from '../../base/issue.ts'
import { NEVER_PS } from '../../base/params.ts'
import { connectionIssues, expectConnectionValues } from './check.ts'
import type { ConnectablePair, EstablishmentListener } from './connectable-pair.ts'
import type { ConnectionValues, Mode } from './values.ts'

/** Parameters that one end offers to the other. */
export interface ConnectionOffer {
  readonly qp: number
  /** First PSN of its requests. */
  readonly sendPsn: number
  readonly mtuBytes: number
  readonly readsOut: number
  readonly readsIn: number
  readonly hasCredits: boolean
  readonly initialCredits: number
  /** Size of its bitmaps and its cap on packets in flight; left out where IRN is not supported or not wanted. */
  readonly irn?: { readonly bitmapBits: number; readonly capPackets: number }
  /** Window of its byte sequence numbers ([LDCP] 3.1); left out or null where they are not supported or not wanted. */
  readonly lsnWindowBytes?: number | null
}

export type ConnectionMessage =
  | { readonly kind: 'request'; readonly offer: ConnectionOffer }
  | {
      readonly kind: 'reply'
      readonly offer: ConnectionOffer
      /** Left out by an end that knows only RoCE. */ readonly mode?: Mode
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
  /** This end has disconnected and waits for the other end's confirmation. */
  | 'disconnecting'
  | 'disconnected'

export interface ConnectionManagerOptions {
  readonly pair: ConnectablePair
  /** This end's own settings; those that depend on the other end are replaced by the agreed ones. */
  readonly values: Omit<ConnectionValues, 'remoteQp' | 'mode' | 'receivePsn'>
  /** This end supports IRN and wants it. */
  readonly offersIrn: boolean
  /** Time without a reply after which a message is sent again. */
  readonly responseTimeoutPs: number
  /** Retransmissions of a message before it is given up (IBTA 12.7.27: up to 15). */
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
  /** Agreed values, or null. */
  agreed: ConnectionValues | null = null
  /** Reason of a refusal, of either end. */
  reason = ''
  nextTimeoutPs = NEVER_PS
  private readonly options: ConnectionManagerOptions
  private readonly outgoing: ConnectionMessage[] = []
  /** Message without a reply so far, or null. */
  private pending: ConnectionMessage | null = null
  private retriesLeft = 0

  /** @throws InputError for invalid times, retries and values. */
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

  /** Active side: sends the request. */
  connect(nowPs: number): void {
    this.expectState('connect', 'idle', 'each manager makes one connection; create another')
    this.state = 'requested'
    this.expect(nowPs, { kind: 'request', offer: this.offer() })
  }

  /** Passive side: waits for a request. */
  listen(): void {
    this.expectState('listen', 'idle', 'each manager makes one connection; create another')
    this.state = 'listening'
  }

  /** Passive side: rejects requests from now on. */
  refuse(reason: string): void {
    this.expectState('refuse', 'listening', 'call listen() before')
    this.state = 'refused'
    this.reason = reason
  }

  /**
   * Disconnects: outstanding work requests are flushed here now, and at the other end when the message arrives (IBTA
   * 12.9.8.3).
   */
  disconnect(nowPs: number): void {
    this.expectState('disconnect', 'connected', 'wait until both ends are connected')
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

  /**
   * Called by the queue pair: the other end sends requests, so it has our reply, and its ready-to-use is late or lost.
   */
  onEstablished(nowPs: number): void {
    if (this.state === 'replied') this.settle(nowPs)
  }

  onTimeout(nowPs: number): void {
    if (nowPs < this.nextTimeoutPs || this.pending === null) return
    if (this.retriesLeft === 0) {
      // An end that misses the disconnect message will find out by its own timeouts.
      this.state = this.state === 'disconnecting' ? 'disconnected' : 'unanswered'
      this.forget()
      this.options.pair.modify(nowPs, 'error')
      return
    }
    this.retriesLeft--
    this.outgoing.push(this.pending)
    this.nextTimeoutPs = nowPs + this.options.responseTimeoutPs
  }

  /** Checks the order of calls. */
  private expectState(call: string, state: ConnectionState, hint: string): void {
    if (this.state === state) return
    throw inputError(`${call}()`, `a manager that is "${state}"`, `one that is "${this.state}"`, hint)
  }

  /** Also serves simultaneous disconnects, and copies after our reply was lost. */
  private onDisconnect(nowPs: number): void {
    // In "replied", the disconnect implies a ready-to-use that was lost.
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
    // The other end has sent its request again: our reply may be lost.
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
    // The other end has sent its reply again: our ready-to-use, or our rejection, may be lost.
    else if (this.state === 'refused') this.outgoing.push({ kind: 'reject', reason: this.reason })
    if (this.state === 'connected') this.outgoing.push({ kind: 'ready' })
  }

  /**
   * Derives the connection's values from the two offers; both ends get the same. False: there are none, and the
   * connection is rejected.
   */
  private agree(nowPs: number, own: ConnectionOffer, other: ConnectionOffer, mode: Mode): boolean {
    const { values, pair } = this.options
    const caps = [own.irn, other.irn].map((irn) => Math.min(irn?.capPackets ?? Infinity, irn?.bitmapBits ?? Infinity))
    const capPackets = Math.min(values.selectiveRepeat.capPackets, ...caps)
    const [window, otherWindow] = [own.lsnWindowBytes ?? null, other.lsnWindowBytes ?? null]
    // The LDCP draft uses them with go-back-N. An end without them has other headers and acknowledges no READ
    // responses.
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
    } else this.reject('the queue pair changed its state while it was being connected')
    return false
  }

  /** Rejects the connection: this end cannot use the other end's message. */
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
