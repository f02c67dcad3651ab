/**
 * Fault scripts as data: rules, each with what frames it fits, which of them it chooses, and what it does.
 * Units: picoseconds.
 */
import type { ConnectionMessageKind } from '../../core/wire/index.ts'
import type { Direction } from './line.ts'

/** Kinds of RoCEv2 packets. `request`: data, read-request and atomic. `any`: each packet of RoCEv2. */
export const PACKET_KINDS = [
  'data',
  'request',
  'read-request',
  'read-response',
  'atomic',
  'atomic-response',
  'ack',
  'nak',
  'rnr',
  'cnp',
  'mad',
  'any',
] as const
export type PacketKind = (typeof PACKET_KINDS)[number]

/** Properties that a frame must have; undefined: any. */
export interface Fit {
  readonly kind: PacketKind
  readonly mad?: ConnectionMessageKind
  readonly direction?: Direction
  /** Destination queue pair. */
  readonly qp?: number
  readonly psn?: number
  readonly opcode?: number
  /** Last or only packet of a message; an ACK of the last PSN of a message. */
  readonly last?: true
}

/** Which of the frames that fit are chosen; they are counted from 1. */
export interface Choice {
  readonly nth?: number
  readonly every?: number
  readonly from?: number
  readonly to?: number
  /** Those after this number. */
  readonly after?: number
  /** Probability, 0..1. */
  readonly chance?: number
  /** The rule acts at most so often. */
  readonly times: number
}

export type Action =
  | { readonly kind: 'drop' | 'corrupt-icrc' | 'corrupt-payload' | 'mark-ce' | 'vanish' | 'close' }
  | { readonly kind: 'duplicate'; readonly copies: number }
  | { readonly kind: 'delay'; readonly delayPs: number }
  /** It goes behind this number of later packets of its direction. */
  | { readonly kind: 'reorder'; readonly behind: number }
  /** Bytes of payload that are left; null: half. */
  | { readonly kind: 'truncate'; readonly leftBytes: number | null }
  | { readonly kind: 'set'; readonly fields: Readonly<Record<string, number>> }
  /** Refused so often, with this code of a timer. */
  | { readonly kind: 'rnr'; readonly count: number; readonly timer: number }
  | { readonly kind: 'nak'; readonly syndrome: number }
  | { readonly kind: 'pause'; readonly durationPs: number }
  /** To the sender of the frame: `count` at once, or one each `intervalPs` for `durationPs`. */
  | { readonly kind: 'cnp'; readonly count: number; readonly intervalPs: number; readonly durationPs: number }
  | { readonly kind: 'reject'; readonly reason: number }

export type ActionKind = Action['kind']

export interface FaultRule {
  readonly fit: Fit
  readonly choice: Choice
  readonly action: Action
  /** Line of the script; 0: not known. */
  readonly line: number
}

export interface FaultScript {
  /** Seed of everything drawn: chances, and bits that are changed. */
  readonly seed: number
  readonly rules: readonly FaultRule[]
  /** The script's words on a peer, unread; undefined: there are none. */
  readonly peer: unknown
}
