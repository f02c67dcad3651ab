/**
 * Point limit: the most simulated time, packet-hops, or both, of each point of a sweep. Neither depends on the machine,
 * so the same points are stopped everywhere, at the same event.
 */
import { parseQuantity } from '../../../core/base/units.ts'
import { inputError } from '../../../core/base/issue.ts'
import { numberShape, objectOf, optional, type Shape } from '../../../core/base/shape.ts'
import type { Simulation } from '../../index.ts'
import { exactCount, humanDuration } from '../../../show/index.ts'

export interface PointLimit {
  /** Time of the latest event that may run. */
  readonly simulatedPs?: number | undefined
  readonly packetHops?: number | undefined
}

/** A limit as it stands in logs and tables. */
export const pointLimitShape: Shape<PointLimit> = objectOf<PointLimit>({
  simulatedPs: optional(numberShape),
  packetHops: optional(numberShape),
})

const HOPS = /^(\d{1,15}(?:\.\d{1,9})?)([kMG]?) ?hops$/
const SCALES: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9 }

/** "10ms", "20Mhops" or "0.5Mhops". */
export function parsePointLimit(text: string): PointLimit {
  const [, digits = '', unit = ''] = HOPS.exec(text.trim()) ?? []
  const packetHops = Math.round(Number(digits) * (SCALES[unit] ?? NaN))
  if (digits !== '' && packetHops > 0 && Number.isSafeInteger(packetHops)) return { packetHops }
  const simulatedPs = digits === '' ? parseQuantity('duration', text) : undefined
  if (simulatedPs !== undefined && simulatedPs > 0) return { simulatedPs }
  throw new Error(
    `expected a simulated time such as 10ms, or packet-hops such as 20Mhops, received ${JSON.stringify(text)}`,
  )
}

/** Combines limits of both kinds. Throws InputError for two of one kind. */
export function joinedLimit(parts: readonly PointLimit[]): PointLimit {
  const limit: PointLimit = Object.assign({}, ...parts) as PointLimit
  if (Object.keys(limit).length < parts.length) {
    const received = parts.map(limitText).join(' and ')
    throw inputError('--point-limit', 'at most one simulated time and one number of packet-hops', received)
  }
  return limit
}

/** "10.0 ms" or "20,000,000 packet-hops"; both with "or" between them. */
export function limitText({ simulatedPs, packetHops }: PointLimit): string {
  return [
    ...(simulatedPs === undefined ? [] : [humanDuration(simulatedPs)]),
    ...(packetHops === undefined ? [] : [`${exactCount(packetHops)} packet-hops`]),
  ].join(' or ')
}

/** Whether a point that exceeded the limit `stopped` also exceeds `limit`. */
export function isBeyond(stopped: PointLimit, limit: PointLimit): boolean {
  return (
    (stopped.simulatedPs ?? -1) >= (limit.simulatedPs ?? Infinity) ||
    (stopped.packetHops ?? -1) >= (limit.packetHops ?? Infinity)
  )
}

/**
 * Advances a simulation by at most `events` events within the limit. Returns whether events are left, or the part of the
 * limit that was exceeded. A packet-hop is one event, so the excess is at most one hop.
 */
export function advanceWithin(simulation: Simulation, events: number, limit: PointLimit): boolean | PointLimit {
  const { simulatedPs, packetHops = Infinity } = limit
  const before = simulation.progress()
  if (before.packetHops > packetHops) return { packetHops }
  const hasMore = simulation.advance(Math.min(events, packetHops - before.packetHops + 1), simulatedPs)
  const isHeldBack = hasMore && simulation.progress().events === before.events
  return isHeldBack && simulatedPs !== undefined ? { simulatedPs } : hasMore
}
