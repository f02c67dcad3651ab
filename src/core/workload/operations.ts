/** Operations of a workload whose messages wait for each other, as results show them. */
import type { RoundName } from './collective-names.ts'

/**
 * - send: a message to a peer; done when it is acknowledged, or has arrived where ACKs are held back on purpose
 * - receive: done when it is posted and the last byte of its message is at the host, plus the host's step time
 * - compute: takes its time on a lane of its rank, one at a time
 * - wait: done a time after what it waits for, and not before another time
 */
export type OperationKind = 'send' | 'receive' | 'compute' | 'wait'

/** A rank with operations that have not begun. */
export interface Unstarted {
  readonly rank: number
  /** The first of them, and one that it waits for. */
  readonly id: number
  readonly waitsFor: number
}

/** One round of a program on all its ranks, as a collective has one for each iteration. */
export interface Round {
  /** Label in its program; empty: it has none. */
  readonly name: string
  /** Number of its group of ranks in its program; several may be under way at once. */
  readonly group: number
  readonly operation: RoundName
  readonly algorithm: string
  readonly iteration: number
  readonly ranks: number
  /** By the rules of nccl-tests: the buffer, or n times what each rank gives. */
  readonly sizeBytes: number
  readonly elementBytes: number
  /** When its first rank begins; and when its last receive is done, NaN: it is not. */
  readonly startPs: number
  readonly endPs: number
  /** The rank that is last, and when the middle one of all ranks is done. */
  readonly lastRank: number
  readonly medianEndPs: number
}

/** How a row is entered when its chain is followed: at its end, or at its begin. */
export type Edge = 'done' | 'begun'

export interface OperationRow {
  readonly id: number
  readonly kind: OperationKind
  readonly rank: number
  /** The other rank of a message (-1: any), its size, and its tag as the program numbers them (-1: any). */
  readonly peer: number
  readonly sizeBytes: number
  readonly tag: number
  /** Lane of a compute, channel of a message. */
  readonly stream: number
  /** Row that made it ready, and by what; -1: it waited for none. */
  readonly cause: number
  readonly causeBy: Edge
  readonly readyPs: number
  /** Posted, or on its lane. NaN: not yet, as are the following. */
  readonly beginPs: number
  readonly donePs: number
  /** When the message of a send or receive was there, and a receive's send. */
  readonly arrivedPs: number
  readonly partner: number
  /** Running number of a send's message; -1: it has none, as it went over no network. */
  readonly message: number
  /** Row of the receive whose control message a send waited for last, and by which edge; -1: it waited for none. */
  readonly leave: number
  readonly leaveBy: Edge
}

/**
 * A piece of the chain. compute: on its lane; lane: waiting for it; message: from its posting to its last byte; step: from
 * there to the end of the receive; acknowledgement: from the last byte to the end of the send; control: from the receive that
 * gives a send leave to its posting; inside: a message between ranks of one host;
 * delay: a wait.
 */
export type PieceKind = 'compute' | 'lane' | 'message' | 'step' | 'acknowledgement' | 'control' | 'inside' | 'delay'

export interface Piece {
  readonly kind: PieceKind
  readonly operation: OperationRow
  readonly fromPs: number
  readonly toPs: number
}

/** Spot of an operation in a collective, from 0: its round, and the step in it. */
export interface Spot {
  readonly iteration: number
  readonly step: number
}

/** Messages from one host to another that are alike. */
export interface HostSends {
  readonly source: number
  readonly destination: number
  /** Home port of their queue pairs; -1: the next one of each. */
  readonly port: number
  readonly sizeBytes: number
  readonly messages: number
  /** Queue pairs that they are on, and a number that these have in common. */
  readonly queuePairs: number
  readonly like: number
}

/** A running program, as results ask it. */
export interface Operations {
  readonly ranks: number
  readonly iterations: number
  readonly startPs: number
  /** Messages that it has posted so far. */
  taken(): number
  /** All messages that go over a network, if no two ranks share a host. */
  messages(): number
  /** Visits all messages between hosts, in no order, those that are alike together. */
  eachSend(visit: (sends: HostSends) => void): void
  /** When the last operation was done, be it an acknowledgement; NaN: some are not. */
  donePs(): number
  /** By rank: its computes together, and when its last operation so far was done. */
  byRank(): { readonly computePs: Float64Array; readonly donePs: Float64Array }
  /** Operations that could begin, in that order; none where they are not logged. */
  rowCount(): number
  rowAt(row: number): OperationRow
  /** null: it is no part of a collective. */
  spotOf(id: number): Spot | null
  /** Rounds of collectives, in order. */
  rounds(): readonly Round[]
  /** The chain of operations that its time followed; empty where operations are not logged. */
  criticalPath(): readonly Piece[]
  unstarted(): readonly Unstarted[]
  nameOf(id: number): string
  hostOf(rank: number): number
}
