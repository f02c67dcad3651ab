/**
 * Truth: where something was injected, as data.
 */

/** Kinds of which both scores draw, or that one of them has from the beginning. */
export const CAUSE_KINDS = [
  'slow-receiver',
  'lossy-link',
  'incast',
  'oversubscription',
  'wrong-marking',
  'pause-storm',
  'alpha',
  'noisy-neighbour',
] as const
/** Kinds of which the score of proved causes draws: those, and more, by the words of lab/advice/why/suspect.ts. */
export const WHY_KINDS = [
  ...CAUSE_KINDS,
  'slow-sender',
  'dead-server',
  'dead-switch',
  'failed-uplink',
  'broadcast',
  'slow-link',
  'rate-cap',
  'pfc-off',
  'class-map',
  'mtu',
  'buffer-share',
  'small-buffer',
  'wrong-cable',
  'dropping-watchdog',
  'polarised-hash',
  'small-window',
  'slow-host-stack',
  'rnr',
  'placement',
  'other-tenant',
] as const
/** Kinds of which the score of the localiser draws. */
export const ORIGIN_KINDS = [
  'pause-storm',
  'slow-receiver',
  'incast',
  'alpha',
  'bad-cable',
  'deadlock',
  'noisy-neighbour',
  'small-headroom',
  'reordering',
] as const
export type CauseKind = (typeof CAUSE_KINDS)[number]
export type OriginKind = (typeof ORIGIN_KINDS)[number]
export type WhyKind = (typeof WHY_KINDS)[number]
export type Kind = WhyKind | OriginKind

/** A port: its node and its number there, from 1. */
export interface TruePort {
  readonly node: number
  readonly port: number
}

/** An explanation is right if it names one of these (match.ts). */
export interface Truth {
  readonly kind: Kind
  /** Nodes that may be named by themselves. */
  readonly nodes: readonly number[]
  /** Hosts by position, of `nodes` those that are hosts. */
  readonly hosts: readonly number[]
  /** Ports, each of which stands for its link. */
  readonly ports: readonly TruePort[]
  /** Tag of the workload that is the cause; naming it is as right as naming its devices. */
  readonly workload?: string
  /** It holds everywhere, so that no device is right: the kind decides. */
  readonly isGlobal?: true
  /** How long it lasts, where it does not last to the end. */
  readonly spanPs?: number
}
