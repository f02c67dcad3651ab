/**
 * Truth: where something was injected, as data.
 */

export const KINDS = [
  'slow-receiver',
  'lossy-link',
  'incast',
  'oversubscription',
  'wrong-marking',
  'pause-storm',
  'alpha',
  'noisy-neighbour',
] as const
export type Kind = (typeof KINDS)[number]

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
}
