/** Contracts between the connection agent and the one who owns the queue pairs. Units: picoseconds, bytes. */
import type { PeerAddress } from '../party.ts'
import type { ConnectionValues, QueuePair } from '../../core/verbs/index.ts'

/** The part of a queue pair that the agent needs. */
export type ConnectablePair = Pick<QueuePair, 'number' | 'state' | 'listener' | 'modify'>

/** Own settings of a queue pair; the rest is agreed with the other end. */
export type PairValues = Omit<ConnectionValues, 'remoteQp' | 'mode' | 'sendPsn' | 'receivePsn'>

/** A queue pair in the state "init", to be connected. */
export interface OfferedPair {
  readonly pair: ConnectablePair
  readonly values: PairValues
  /** The program's private data, for the REQ (at most 56 bytes) or the REP (at most 196). */
  readonly privateData?: Uint8Array
}

/** A request that came from the network. */
export interface IncomingRequest {
  /** Port that is asked for; this end listens on it. */
  readonly port: number
  readonly from: PeerAddress
  readonly remoteQp: number
  readonly mtuBytes: number
  /** READs and atomics that the other end takes, and those that it wants to have outstanding. */
  readonly readsTaken: number
  readonly readsWanted: number
  /** The program's private data, 56 bytes. */
  readonly privateData: Uint8Array
}

/** A refusal; `reason` is a code of IBTA 12.6.7.2, 28 by the program. */
export interface Refusal {
  readonly reason: number
}

/** "later": decide() will tell. */
export type Answer = OfferedPair | Refusal | 'later'

export type ExchangeState =
  /** Active side: the REQ is sent. */
  | 'requested'
  /** Passive side: the host has not answered the REQ. */
  | 'deciding'
  /** Passive side: the REP is sent. */
  | 'replied'
  | 'connected'
  /** The DREQ is sent. */
  | 'disconnecting'
  /** It has ended; its IDs and queue pairs are not used again yet. */
  | 'time wait'
  /** It has ended, and the agent knows nothing of it any more: its queue pair can be destroyed. */
  | 'closed'

/** Why there is no connection, or no more. */
export type ExchangeEnd =
  | { readonly cause: 'rejected'; readonly by: 'this end' | 'other end'; readonly reason: number }
  /** No answer to a REQ, REP or DREQ, all retries included. */
  | { readonly cause: 'unanswered'; readonly message: 'REQ' | 'REP' | 'DREQ' }
  | { readonly cause: 'disconnected'; readonly by: 'this end' | 'other end' }
  /** Too many others were half open. */
  | { readonly cause: 'dropped' }

/** A connection, from its REQ on, as its host sees it. */
export interface Connection {
  /** This end's communication ID. */
  readonly localId: number
  readonly role: 'active' | 'passive'
  readonly state: ExchangeState
  readonly end: ExchangeEnd | null
  /** Where MADs of the other end come from. */
  readonly peer: PeerAddress
  /** Port of the service. */
  readonly port: number
  /** UDP source port of the packets of both queue pairs, by the flow label of the REQ. */
  readonly udpPort: number
  /** null while the host decides, and where it refused. */
  readonly pair: ConnectablePair | null
  /** Agreed values; null before the other end's are known. */
  readonly values: ConnectionValues | null
  /** The other program's private data. */
  readonly privateData: Uint8Array
}

export interface PairHost {
  /** A request for a port that is listened on; it is asked once for each exchange. */
  accept(nowPs: number, request: IncomingRequest, connection: Connection): Answer
  /**
   * Called when the values are known, before the queue pair is ready to receive: its packets go to `connection.peer.ip` from
   * `connection.udpPort`. Returns the values, with what depends on them (schemes).
   */
  prepare(nowPs: number, connection: Connection, values: ConnectionValues): ConnectionValues
  /** The state of a connection has changed. The agent has moved the queue pair before. */
  onChange(nowPs: number, connection: Connection): void
}

export interface ConnectionAgentOptions {
  readonly host: PairHost
  /** Address of this end: 4 or 16 bytes. */
  readonly ip: Uint8Array
  /** A random whole number from 0 to `below` - 1. */
  readonly draw: (below: number) => number
  readonly caGuid: bigint
  /** Code of the time in which each end shall answer; 16 is 268 ms. */
  readonly responseTimeout?: number
  /** Times that a message without an answer is sent again, 0..15. */
  readonly retries?: number
}
