/**
 * Conversations: what has to be known of queue pairs to answer in their name. A packet names the queue pair of its receiver
 * alone; that of its sender is learnt from acknowledgements, which have the PSN of a request, and from REQ and REP.
 * Source: IBTA 9.7.5, 12.6.5 and 12.6.8 (REQ and REP).
 */
import { remember } from './bounded-map.ts'
import type { Seen } from './seen.ts'

/** Requests that are remembered until they are acknowledged. */
const REQUESTS_MAX = 16_384
const CONNECTIONS_MAX = 1024
/** Queue pairs whose partners are remembered, of both ends. */
const QUEUE_PAIRS_MAX = 16_384

interface Request {
  readonly qp: number
  readonly isLast: boolean
}

export class Conversations {
  /** Queue pair that sends to a queue pair, by host and number. */
  readonly #senders = new Map<string, number>()
  readonly #msns = new Map<string, number>()
  /** By both hosts and PSN. */
  readonly #requests = new Map<string, Request>()
  /** Queue pair of a REQ, by the host that sent it and its ID. */
  readonly #connecting = new Map<string, number>()

  note(seen: Seen): void {
    if (seen.mad !== null) this.#noteMad(seen)
    else if (seen.kinds.has('request')) this.#noteRequest(seen)
    else if (seen.aethAt >= 0) this.#noteAnswer(seen)
  }

  /** The queue pair that sent a packet; undefined: it is not known yet. */
  senderOf(seen: Seen): number | undefined {
    return this.#senders.get(destinationKey(seen))
  }

  /** MSN that the receiver of a request answered with last. */
  msnOf(seen: Seen): number {
    return this.#msns.get(destinationKey(seen)) ?? 0
  }

  /** Whether a packet is the last of a message, or acknowledges one. */
  isLast(seen: Seen): boolean {
    return seen.kinds.has('ack') ? this.#requestOf(seen)?.isLast === true : seen.isLast
  }

  #noteRequest(seen: Seen): void {
    const { ip } = seen.roce
    remember(this.#requests, `${ip.source.join('.')} ${ip.destination.join('.')} ${seen.bth.psn}`, REQUESTS_MAX, {
      qp: seen.bth.destinationQp,
      isLast: seen.isLast,
    })
  }

  #noteAnswer(seen: Seen): void {
    const request = this.#requestOf(seen)
    if (request === undefined) return
    const host = seen.roce.ip.source.join('.')
    this.#pair(host, request.qp, seen.roce.ip.destination.join('.'), seen.bth.destinationQp)
    const msn = seen.view.getUint32(seen.aethAt) & 0xffffff
    remember(this.#msns, `${host} ${request.qp}`, QUEUE_PAIRS_MAX, msn)
  }

  #noteMad({ mad, roce }: Seen): void {
    const source = roce.ip.source.join('.')
    const destination = roce.ip.destination.join('.')
    if (mad?.kind === 'REQ') remember(this.#connecting, `${source} ${mad.localId}`, CONNECTIONS_MAX, mad.qp)
    if (mad?.kind !== 'REP') return
    const requester = this.#connecting.get(`${destination} ${mad.remoteId}`)
    if (requester !== undefined) this.#pair(source, mad.qp, destination, requester)
  }

  #pair(host: string, qp: number, other: string, otherQp: number): void {
    remember(this.#senders, `${host} ${qp}`, QUEUE_PAIRS_MAX, otherQp)
    remember(this.#senders, `${other} ${otherQp}`, QUEUE_PAIRS_MAX, qp)
  }

  #requestOf({ roce: { ip }, bth }: Seen): Request | undefined {
    return this.#requests.get(`${ip.destination.join('.')} ${ip.source.join('.')} ${bth.psn}`)
  }
}

/** Names the queue pair that a packet is for. */
export function destinationKey({ roce, bth }: Seen): string {
  return `${roce.ip.destination.join('.')} ${bth.destinationQp}`
}
