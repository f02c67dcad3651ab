/**
 * Program: operations of ranks that wait for each other. It knows which operations wait for which; when they start, which
 * message a receive gets and how long they take is known outside (graph-source.ts).
 * Operations are numbers, unique in the program; of two that are due at one time on one rank the smaller goes first.
 */

import type { OperationKind, Spot, Round, Unstarted } from '../operations.ts'

/** As a peer or tag of a receive: whichever comes. */
export const ANY = -1

/** As a channel: a queue pair for this message alone. */
export const OWN = -1

/** Channels of one nic: one for each cpu. */
const CPUS = 256

/** Channel of the messages of a cpu by a nic. */
export const channelOf = (nic: number, cpu: number): number => nic * CPUS + cpu
export const nicOf = (channel: number): number => Math.floor(channel / CPUS)
export const cpuOf = (channel: number): number => channel % CPUS

/** One operation, for programs to fill. */
export interface GraphOperation {
  kind: OperationKind
  rank: number
  /** Rank that a message goes to or comes from; ANY for a receive from whomever. */
  peer: number
  sizeBytes: number
  /** 0 to tagCount - 1; ANY for a receive of whatever tag. */
  tag: number
  /** Messages of one channel between two ranks share a queue pair; 0 to channelCount - 1, or OWN. */
  channel: number
  /** Duration of a compute on its lane, or of a wait. */
  durationPs: number
  lane: number
  /** A wait ends no earlier; 0: at once. */
  untilPs: number
}

/** Called for each operation that waits for nothing more. */
export type Ready = (id: number) => void

/** Messages from one rank, or position of a group, to another that are alike. */
export interface Sends {
  readonly from: number
  readonly to: number
  readonly sizeBytes: number
  readonly messages: number
  /** Channels that they are on, and a number that these have in common. */
  readonly channels: number
  readonly like: number
  /** One of the channels. */
  readonly channel?: number
}

export interface Program {
  readonly ranks: number
  readonly tagCount: number
  readonly channelCount: number
  /** A receive from any peer or of any tag occurs. */
  readonly hasWildcards: boolean
  /** How often the program does the same; absent: once. */
  readonly iterations?: number
  /** Messages, and their bytes, that go over a network if no two ranks share a host. */
  readonly messages: number
  readonly bytes: number
  /** Visits these messages, between ranks, in no order. */
  eachSend(visit: (sends: Sends) => void): void
  /** Gives all operations that wait for none. */
  begin(nowPs: number, ready: Ready): void
  read(id: number, out: GraphOperation): void
  /** The operation has begun: a send or receive is posted, a compute has its lane. */
  onStarted?(nowPs: number, id: number, ready: Ready): void
  onDone(nowPs: number, id: number, ready: Ready): void
  /** Rounds so far, in order; absent: it has none. */
  rounds?(): readonly Round[]
  /** Ranks with operations that have not begun. */
  unstarted(): readonly Unstarted[]
  /** Name of the operation for people: "ring 3/14 part 5". */
  nameOf(id: number): string
  /** Its place in a collective; absent: the program has none. */
  spotOf?(id: number): Spot | null
}

export function blankOperation(): GraphOperation {
  return { kind: 'wait', rank: 0, peer: 0, sizeBytes: 0, tag: 0, channel: 0, durationPs: 0, lane: 0, untilPs: 0 }
}
