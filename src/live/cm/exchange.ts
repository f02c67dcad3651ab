/** State of one connection within the agent, and the collection of all. Units: picoseconds. */
import { assert } from '../../core/base/assert.ts'
import { NEVER_PS } from '../../core/base/params.ts'
import { type AnyConnectionMad, type ConnectionMad, timeoutPs } from '../../core/wire/index.ts'
import type { ConnectionValues } from '../../core/verbs/index.ts'
import type { PeerAddress } from '../party.ts'
import { portOfFlowLabel } from '../link/addresses.ts'
import type { Connection, ExchangeEnd, ExchangeState, OfferedPair } from './host.ts'

/** Codes of times in messages are taken within these: 67 ms to 69 s. Others would make an end wait for hours, or not at all. */
const WAIT_CODES = { least: 14, most: 24 }
/** Most connections that are remembered after their end. */
const TIME_WAITS_MAX = 1024

/** By state: those that may follow. */
const NEXT: Readonly<Record<ExchangeState, readonly ExchangeState[]>> = {
  requested: ['connected', 'time wait', 'closed'],
  deciding: ['replied', 'time wait', 'closed'],
  replied: ['connected', 'time wait', 'closed'],
  connected: ['disconnecting', 'time wait'],
  disconnecting: ['time wait'],
  'time wait': ['closed'],
  closed: [],
}

/** Time for a code from a message, within bounds. */
export function waitPs(code: number): number {
  return timeoutPs(Math.min(WAIT_CODES.most, code))
}

export class Exchange implements Connection {
  readonly role: 'active' | 'passive'
  readonly localId: number
  readonly peer: PeerAddress
  readonly port: number
  readonly request: ConnectionMad<'REQ'>
  #state: ExchangeState
  end: ExchangeEnd | null = null
  offered: OfferedPair | null
  values: ConnectionValues | null = null
  privateData: Uint8Array = new Uint8Array(0)
  /** 0: not known. */
  remoteId: number
  /** null: not known. */
  remoteQp: number | null
  receivePsn = 0
  transactionId: bigint
  /** Message without an answer so far, or what is sent again where the other end repeats its own. */
  last: AnyConnectionMad | null = null
  retriesLeft = 0
  /** Passive side: a message has come that only the other end can have made, since it names our ID. */
  isProved = false
  deadlinePs = NEVER_PS

  /** @param offered queue pair of the active side; null: this is the passive one */
  constructor(
    own: { readonly localId: number; readonly peer: PeerAddress; readonly port: number },
    request: ConnectionMad<'REQ'>,
    offered: OfferedPair | null,
  ) {
    this.role = offered === null ? 'passive' : 'active'
    this.localId = own.localId
    this.peer = own.peer
    this.port = own.port
    this.request = request
    this.offered = offered
    this.transactionId = request.transactionId
    const isActive = this.role === 'active'
    this.#state = isActive ? 'requested' : 'deciding'
    this.remoteId = isActive ? 0 : request.localId
    this.remoteQp = isActive ? null : request.qp
  }

  get state(): ExchangeState {
    return this.#state
  }

  set state(next: ExchangeState) {
    assert(NEXT[this.#state].includes(next), 'connection: a state follows that may not')
    assert(next !== 'connected' || this.remoteQp !== null, 'connection: it is connected to nobody')
    this.#state = next
  }

  get pair(): OfferedPair['pair'] | null {
    return this.offered?.pair ?? null
  }

  get udpPort(): number {
    return portOfFlowLabel(this.request.flowLabel)
  }

  /** Twice the lifetime of packets, which the ACK timeout contains (IBTA 12.7.34). */
  get timeWaitPs(): number {
    return waitPs(Math.max(WAIT_CODES.least, this.request.ackTimeout))
  }

  /** Time to an answer, the path included. */
  get answerPs(): number {
    const { remoteResponseTimeout, localResponseTimeout } = this.request
    return waitPs(this.role === 'active' ? remoteResponseTimeout : localResponseTimeout) + this.timeWaitPs
  }

  /** The other end has asked again, which allows `count` more answers. */
  allowRetries(count: number): void {
    if (!this.isProved) this.retriesLeft = Math.max(this.retriesLeft, Math.min(count, this.request.maxCmRetries))
  }

  /** A message names our ID, which only the REP contained: from now on the number of answers is that of the connection. */
  prove(retries: number): void {
    if (!this.isProved) this.retriesLeft = Math.min(retries, this.request.maxCmRetries)
    this.isProved = true
  }

  isWith(peer: PeerAddress, remoteId: number): boolean {
    return this.remoteId === remoteId && keyOf(this.peer, 0) === keyOf(peer, 0)
  }
}

/** Key of a number of the other end: its communication ID, or its queue pair. */
export function keyOf(peer: PeerAddress, number: number): string {
  return `${peer.ip.join('.')}/${number}`
}

/** All connections, found by their IDs and by the other end's queue pairs. */
export class Exchanges {
  readonly #byId = new Map<number, Exchange>()
  readonly #byRemoteId = new Map<string, Exchange>()
  readonly #byRemoteQp = new Map<string, Exchange>()
  readonly #waiting = new Set<Exchange>()

  get count(): number {
    return this.#byId.size
  }

  add(exchange: Exchange): void {
    assert(!this.#byId.has(exchange.localId), 'connection: two have one ID')
    this.#byId.set(exchange.localId, exchange)
    if (exchange.role === 'passive') this.addRemote(exchange)
  }

  /** The other end's numbers are known now. */
  addRemote(exchange: Exchange): void {
    const { peer, remoteId, remoteQp } = exchange
    this.#byRemoteId.set(keyOf(peer, remoteId), exchange)
    if (remoteQp !== null) this.#byRemoteQp.set(keyOf(peer, remoteQp), exchange)
  }

  get(localId: number): Exchange | undefined {
    return this.#byId.get(localId)
  }

  byRemoteId(peer: PeerAddress, remoteId: number): Exchange | undefined {
    return this.#byRemoteId.get(keyOf(peer, remoteId))
  }

  byRemoteQp(peer: PeerAddress, qp: number): Exchange | undefined {
    return this.#byRemoteQp.get(keyOf(peer, qp))
  }

  /** Oldest of those that have to be forgotten, as another one begins to wait. */
  wait(exchange: Exchange): Exchange | null {
    assert(exchange.state === 'time wait' && this.#byId.has(exchange.localId), 'connection: one waits that is closed')
    this.#waiting.add(exchange)
    const [oldest = null] = this.#waiting
    assert(this.#waiting.size <= TIME_WAITS_MAX + 1, 'connection: one that had to be closed still waits')
    return this.#waiting.size > TIME_WAITS_MAX ? oldest : null
  }

  remove(exchange: Exchange): void {
    const { localId, peer, remoteId, remoteQp } = exchange
    this.#byId.delete(localId)
    this.#waiting.delete(exchange)
    for (const [map, number] of [
      [this.#byRemoteId, remoteId],
      [this.#byRemoteQp, remoteQp ?? 0],
    ] as const) {
      const key = keyOf(peer, number)
      if (map.get(key) === exchange) map.delete(key)
    }
  }

  get nextPs(): number {
    let nextPs = NEVER_PS
    for (const { deadlinePs } of this.#byId.values()) nextPs = Math.min(nextPs, deadlinePs)
    return nextPs
  }

  /** Those whose deadline has come, and has not been put off or ended by what was done at that of another. */
  *dueBy(nowPs: number): Generator<Exchange> {
    for (const exchange of this.#byId.values()) {
      if (exchange.deadlinePs > nowPs) continue
      assert(exchange.state !== 'connected' && exchange.state !== 'closed', 'connection: a deadline that nobody set')
      yield exchange
    }
  }
}
