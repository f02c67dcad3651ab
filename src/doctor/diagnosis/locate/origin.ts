/**
 * Origins: where pauses and losses come from, as data.
 */
import type { Port } from './fabric.ts'
import type { Evidence } from './states.ts'

export const ORIGIN_KINDS = [
  'storm',
  'slow-receiver',
  'incast',
  'alpha',
  'bad-cable',
  'deadlock',
  'noisy-host',
  'headroom',
  'reordering',
  'oversubscription',
  'unknown',
] as const
export type OriginKind = (typeof ORIGIN_KINDS)[number]

/** From the surest on. */
export const CONFIDENCES = ['high', 'medium', 'low'] as const
export type Confidence = (typeof CONFIDENCES)[number]

/** Settings of a device, where they are known; they only ever add to what counters say. */
export interface DeviceSettings {
  readonly device: string
  readonly priority: number
  readonly alpha?: number
}

export interface PortName {
  readonly device: string
  readonly port: string
}

/** Something that a higher confidence lacks. */
export interface Missing {
  /** readings: of the device, at all. durations: its pause times. again: a second interval. configuration: its alpha. */
  readonly what: 'readings' | 'durations' | 'again' | 'configuration'
  /** '': of all. */
  readonly device: string
}

export interface Origin extends PortName {
  readonly kind: OriginKind
  /** The device at the other end of its link; '' where the port is not known. */
  readonly peer: string
  readonly priority: number
  readonly confidence: Confidence
  /** Share of the blame for all pauses of the priority, or of all packets that were lost for the same reason. */
  readonly blame: number
  /** How bad it is: 1 stops those that it hits. */
  readonly impact: number
  /** Intervals in which it shows, and begin and end of these. */
  readonly intervals: number
  readonly fromNs: number
  readonly toNs: number
  /** Ports that were held, the longest first. */
  readonly victims: readonly (PortName & { readonly pausedNs: number })[]
  /** Held ports from a victim to the origin, each with the share of the interval. */
  readonly path: readonly (PortName & { readonly share: number })[]
  /** Ports that wait for each other; empty unless it is a deadlock. */
  readonly circle: readonly PortName[]
  /** Numbers that it rests on. */
  readonly numbers: readonly Evidence[]
  /** Kinds that these counters do not tell from `kind`. */
  readonly alternatives: readonly OriginKind[]
  readonly raise: readonly Missing[]
}

export const nameOf = ({ device, port }: Port): PortName => ({ device, port })

/** High with nothing missing, medium with one thing, low with more. What is doubtful is missing beside what can be had. */
export function confidenceOf(missing: readonly Missing[], doubts: number, isHeard: boolean): Confidence {
  const kinds = new Set(missing.map(({ what }) => what)).size + doubts
  const level = Math.max(kinds, isHeard ? 0 : 1)
  return CONFIDENCES[Math.min(2, level)]!
}
