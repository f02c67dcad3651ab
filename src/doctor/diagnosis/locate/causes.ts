/**
 * Causes: why a device holds a port of its neighbour, by what its other ports do. A held port climbs to its holder, from
 * there to the egress that does not drain, and so on to an end.
 * Source: docs/models/localiser.md, "Climb".
 */
import { assert } from '../../../core/base/assert.ts'
import { leastOf, mostOf } from '../../../core/base/extremes.ts'
import type { Port } from './fabric.ts'
import { FULL_SHARE, QUEUE_SHARE } from './limits.ts'
import type { States } from './states.ts'

/**
 * host: it holds its switch, and no one holds it. egress: a port that is full and not held. switch: neither, so that
 * thresholds are small or bursts short. circle: ports that wait for each other.
 */
export type EndKind = 'host' | 'egress' | 'switch' | 'circle'

/** Where a climb ends. */
export interface End {
  readonly kind: EndKind
  readonly device: string
  /** The host's port, the egress, or the egress that most probably is the cause; -1: not known. */
  readonly port: number
  /** Ports of a circle; else empty. */
  readonly circle: readonly number[]
}

/** One of the causes of a held port: an end, or a port that is held itself. Weights of a port's causes sum up to 1. */
export interface Cause {
  readonly weight: number
  readonly to: End | number
}

export const endKey = ({ kind, device, port, circle }: End): string => JSON.stringify([kind, device, port, circle])

/** Causes of a held port at its holder. */
export function causesOf(states: States, held: Port): readonly Cause[] {
  const { fabric } = states
  const at = states.peerOf(held)
  const holder = fabric.devices.get(at.device)!
  const endAt = (kind: EndKind, port: number): End => ({ kind, device: holder.name, port, circle: [] })
  if (holder.isHost) return [{ weight: 1, to: endAt('host', at.id) }]
  const egresses = egressesOf(states, held)
  const found = egresses.flatMap((port): Candidate[] => {
    const use = states.use(port)
    const queueBytes = states.queueBytes(port)
    if (use !== undefined && use >= FULL_SHARE) return [{ to: endAt('egress', port.id), use, queueBytes }]
    const hold = states.hold(port)
    return hold !== undefined && hasWaiting(states, port) ? [{ to: port.id, use: hold.share, queueBytes }] : []
  })
  if (found.length > 0) return weighed(found)
  return [{ weight: 1, to: endAt('switch', longestOf(states, egresses)?.id ?? -1) }]
}

/**
 * Ports by which frames that came from a held port may leave. Frames from above go down: paths have no valleys, and a port
 * that a switch holds for a neighbour above it does not wait for the switch's other ports above.
 */
function egressesOf({ fabric }: States, held: Port): Port[] {
  const at = fabric.ports[held.peer]!
  const tierOf = (name: string): number => fabric.devices.get(name)!.tier
  const tier = tierOf(at.device)
  const isFromAbove = tierOf(held.device) > tier
  const isBelow = ({ peer }: Port): boolean => tierOf(fabric.ports[peer]!.device) < tier
  const others = fabric.devices.get(at.device)!.ports.filter((id) => id !== at.id)
  return others.map((id) => fabric.ports[id]!).filter((port) => !isFromAbove || isBelow(port))
}

/** Whether frames wait at a held port: it sends some, or it may not send any. */
function hasWaiting(states: States, port: Port): boolean {
  const sent = states.useOfPriority(port)
  if (sent === undefined || sent > 0) return true
  return states.hold(port)?.isStopped === true && states.queueBytes(port) !== 0
}

interface Candidate {
  readonly to: End | number
  /** Share of the interval that it is held, or its use where it is full. */
  readonly use: number
  readonly queueBytes: number | undefined
}

function weighed(candidates: readonly Candidate[]): Cause[] {
  const queues = candidates.map(({ queueBytes }) => queueBytes ?? NaN)
  const longest = mostOf(queues)
  if (longest > 0) {
    // The bytes that wait tell best who waits: a short queue, whoever holds it, is no reason to hold anybody.
    return normalized(candidates, (_, i) => (queues[i]! < QUEUE_SHARE * longest ? 0 : queues[i]!))
  }
  const heldMost = mostOf(candidates.map(({ to, use }) => (typeof to === 'number' ? use : 0)))
  // A full egress explains only what a held one leaves to explain.
  const full = leastOf([1, 1 - heldMost])
  return normalized(candidates, ({ to, use }) => (typeof to === 'number' ? use : full * use))
}

function normalized(candidates: readonly Candidate[], weightOf: (one: Candidate, i: number) => number): Cause[] {
  const weights = candidates.map(weightOf)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  assert(sum > 0 && weights.every((weight) => weight >= 0), 'localiser: causes of a pause have no weight')
  return candidates.flatMap(({ to }, i) => (weights[i]! > 0 ? [{ weight: weights[i]! / sum, to }] : []))
}

/** The port with the longest queue, or, where no queue is known, the one that is used most. */
function longestOf(states: States, ports: readonly Port[]): Port | undefined {
  const most = (valueOf: (port: Port) => number | undefined): Port | undefined => {
    const known = ports.filter((port) => (valueOf(port) ?? 0) > 0)
    return known.toSorted((a, b) => valueOf(b)! - valueOf(a)!)[0]
  }
  return most((port) => states.queueBytes(port)) ?? most((port) => states.use(port))
}
