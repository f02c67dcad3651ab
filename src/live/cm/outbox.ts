/**
 * Outbox of a connection agent: messages that wait to be polled, and how many answers others may cause.
 * Units: picoseconds.
 */
import { type AnyConnectionMad, type ConnectionMad, writeConnectionMad } from '../../core/wire/index.ts'
import { RateLimit } from '../link/rate-limit.ts'
import type { PeerAddress } from '../party.ts'
import { plainMessage, rejectionOf, REJECTED } from './messages.ts'

/** Messages that wait; what comes on top is lost, as on a wire. */
const MESSAGES_MAX = 1024

export class Outbox {
  /** Answers to ends without a connection, and repeated answers to those with one. */
  readonly strangers = new RateLimit()
  readonly partners = new RateLimit()
  readonly #waiting: { readonly to: PeerAddress; readonly mad: Uint8Array }[] = []

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  poll(): { readonly to: PeerAddress; readonly mad: Uint8Array } | null {
    return this.#waiting.shift() ?? null
  }

  send(to: PeerAddress, message: AnyConnectionMad): void {
    if (this.#waiting.length < MESSAGES_MAX) this.#waiting.push({ to, mad: writeConnectionMad(message) })
  }

  reject(to: PeerAddress, { transactionId, localId: remoteId }: ConnectionMad<'REQ'>, reason: number): void {
    this.send(to, rejectionOf({ transactionId, localId: 0, remoteId }, REJECTED.REQ, reason))
  }

  /** Answers a DREQ, with its IDs exchanged. */
  confirm(to: PeerAddress, { transactionId, localId: remoteId, remoteId: localId }: ConnectionMad<'DREQ'>): void {
    this.send(to, plainMessage('DREP', { transactionId, localId, remoteId }))
  }
}
