/**
 * Climb: from all held ports of an interval to the ends that hold them in the end, with the blame of each end: paused time of
 * its victims, times the shares of the causes on the path.
 * Source: docs/models/localiser.md, "Climb", "Circles".
 */
import { assert } from '../../../core/base/assert.ts'
import { circularParts } from '../../../core/base/circle.ts'
import { mostOf } from '../../../core/base/extremes.ts'
import { type Cause, causesOf, type End, endKey } from './causes.ts'
import type { Port } from './fabric.ts'
import { SILENT_SHARE } from './limits.ts'
import type { States } from './states.ts'

/** An end in one interval. */
export interface Blamed {
  readonly end: End
  /** Nanoseconds of pauses; those of intervals that readings hardly cover count half. */
  readonly blameNs: number
  /** Paused time that it is to blame for, by port. */
  readonly victims: ReadonlyMap<number, number>
  /** Held ports from a victim far away to the end. */
  readonly path: readonly number[]
  /** The largest share of the interval that the end's device held a neighbour. */
  readonly upstreamShare: number
}

export interface Climbed {
  readonly ends: readonly Blamed[]
  /** The largest share that any port was held. */
  readonly largestShare: number
}

export function climb(states: States): Climbed {
  const { ports } = states.fabric
  const held = ports.filter((port) => states.hold(port) !== undefined)
  const shareOf = (id: number): number => states.hold(ports[id]!)?.share ?? 0
  const causes = withoutCircles(states, held, new Map(held.map((port) => [port.id, causesOf(states, port)])))
  const order = topological(held, causes)
  assert(order.length === held.length, 'localiser: ports that wait for each other are no end')
  const inflow = new Map(
    held.map((port) => {
      const hold = states.hold(port)!
      return [port.id, hold.share * hold.weight * states.series.intervalNs]
    }),
  )
  const ends = new Map<string, { readonly end: End; blameNs: number }>()
  for (const id of order) {
    for (const { weight, to } of causes.get(id)!) {
      const ns = inflow.get(id)! * weight
      if (typeof to === 'number') inflow.set(to, inflow.get(to)! + ns)
      else {
        const known = ends.get(endKey(to))
        if (known === undefined) ends.set(endKey(to), { end: to, blameNs: ns })
        else known.blameNs += ns
      }
    }
  }
  const largestShare = mostOf(held.map(({ id }) => shareOf(id)))
  const blamed = [...ends.values()].map(({ end, blameNs }): Blamed => {
    const shares = sharesOf(end, order, causes)
    const victims = new Map([...shares].map(([id, share]) => [id, share * shareOf(id) * states.series.intervalNs]))
    const intoDevice = held.filter((port) => states.peerOf(port).device === end.device && shares.has(port.id))
    const upstreamShare = mostOf([0, ...intoDevice.map(({ id }) => shareOf(id))])
    return { end, blameNs, victims, path: pathTo(states, victims, shares, causes), upstreamShare }
  })
  return { ends: blamed, largestShare: Math.max(0, largestShare) }
}

/** Share of each port's pause that an end is to blame for; only ports with one. */
function sharesOf(
  end: End,
  order: readonly number[],
  causes: ReadonlyMap<number, readonly Cause[]>,
): Map<number, number> {
  const key = endKey(end)
  const shares = new Map<number, number>()
  for (const id of order.toReversed()) {
    let share = 0
    for (const { weight, to } of causes.get(id)!)
      share += weight * (typeof to === 'number' ? (shares.get(to) ?? 0) : endKey(to) === key ? 1 : 0)
    assert(share <= 1 + 1e-9, 'localiser: an end is to blame for more than all of a pause')
    if (share > 0) shares.set(id, share)
  }
  return shares
}

/** From the host furthest away, or else the port, by the largest shares to the end. */
function pathTo(
  { fabric }: States,
  victims: ReadonlyMap<number, number>,
  shares: ReadonlyMap<number, number>,
  causes: ReadonlyMap<number, readonly Cause[]>,
): number[] {
  const nextOf = new Map<number, number>()
  const steps = new Map<number, number>()
  // Shares are in an order in which the next port comes first.
  for (const id of shares.keys()) {
    const next = causes
      .get(id)!
      .flatMap(({ weight, to }) =>
        typeof to === 'number' && shares.has(to) ? [{ to, share: weight * shares.get(to)! }] : [],
      )
    const best: number | undefined = next.sort((a, b) => b.share - a.share || a.to - b.to)[0]?.to
    if (best !== undefined) nextOf.set(id, best)
    steps.set(id, best === undefined ? 1 : (steps.get(best) ?? 0) + 1)
  }
  const rankOf = (id: number): number => (fabric.devices.get(fabric.ports[id]!.device)!.isHost ? 1 : 0)
  const [start] = [...victims].sort(
    ([a, nsA], [b, nsB]) => rankOf(b) - rankOf(a) || steps.get(b)! - steps.get(a)! || nsB - nsA || a - b,
  )
  const path: number[] = []
  for (let at: number | undefined = start?.[0]; at !== undefined; at = nextOf.get(at)) path.push(at)
  return path
}

/** Ports so that each comes before those that it waits for; there are no circles. */
function topological(held: readonly Port[], causes: ReadonlyMap<number, readonly Cause[]>): number[] {
  const waiting = new Map(held.map(({ id }) => [id, 0]))
  const nextOf = (id: number): number[] => causes.get(id)!.flatMap(({ to }) => (typeof to === 'number' ? [to] : []))
  for (const { id } of held) for (const to of nextOf(id)) waiting.set(to, waiting.get(to)! + 1)
  const order = held.map(({ id }) => id).filter((id) => waiting.get(id) === 0)
  // The list grows while it is walked.
  for (const id of order) {
    for (const to of nextOf(id)) {
      waiting.set(to, waiting.get(to)! - 1)
      if (waiting.get(to) === 0) order.push(to)
    }
  }
  return order
}

/**
 * The causes, with deadlocks as ends, and without those that lead back to their own port. A circle of ports that send nothing
 * is a deadlock, unless a host that holds its switch without end explains it.
 */
function withoutCircles(
  states: States,
  held: readonly Port[],
  causes: ReadonlyMap<number, readonly Cause[]>,
): Map<number, readonly Cause[]> {
  const found = new Map(causes)
  for (const circle of deadlocks(states, held)) {
    if (circle.some((id) => isFedByHost(states, id, causes))) continue
    const end: End = { kind: 'circle', device: states.fabric.ports[circle[0]!]!.device, port: circle[0]!, circle }
    for (const id of circle) found.set(id, [{ weight: 1, to: end }])
  }
  for (const part of partsOf(held, (id) => found.get(id)!.flatMap(({ to }) => (typeof to === 'number' ? [to] : [])))) {
    const members = new Set(part)
    for (const id of part) {
      const out = found.get(id)!.filter(({ to }) => typeof to !== 'number' || !members.has(to))
      const sum = out.reduce((total, { weight }) => total + weight, 0)
      const holder = states.peerOf(states.fabric.ports[id]!)
      const unknown: End = { kind: 'switch', device: holder.device, port: -1, circle: [] }
      found.set(
        id,
        sum === 0 ? [{ weight: 1, to: unknown }] : out.map(({ weight, to }) => ({ weight: weight / sum, to })),
      )
    }
  }
  return found
}

/** Circles of ports that are held without end and send nothing, whatever way frames should take. */
function deadlocks(states: States, held: readonly Port[]): number[][] {
  const { fabric } = states
  const isStuck = (port: Port): boolean => {
    const sent = states.useOfPriority(port)
    return states.hold(port)?.isStopped === true && sent !== undefined && sent < SILENT_SHARE
  }
  const stuck = new Set(held.filter(isStuck).map(({ id }) => id))
  const nextOf = (id: number): number[] => {
    const at = fabric.ports[fabric.ports[id]!.peer]!
    return fabric.devices.get(at.device)!.ports.filter((other) => other !== at.id && stuck.has(other))
  }
  return partsOf(
    held.filter(({ id }) => stuck.has(id)),
    nextOf,
  )
}

function isFedByHost(states: States, from: number, causes: ReadonlyMap<number, readonly Cause[]>): boolean {
  const seen = new Set([from])
  for (const id of seen) {
    for (const { to } of causes.get(id)!) {
      if (typeof to === 'number') seen.add(to)
      else if (to.kind === 'host' && states.hold(states.fabric.ports[id]!)?.isStopped === true) return true
    }
  }
  return false
}

/** Circular parts of a graph of ports. */
function partsOf(ports: readonly Port[], nextOf: (id: number) => readonly number[]): number[][] {
  const index = new Map(ports.map(({ id }, i) => [id, i]))
  const parts = circularParts(ports.length, (i) => nextOf(ports[i]!.id).flatMap((id) => index.get(id) ?? []))
  return parts.map((part) => part.map((i) => ports[i]!.id))
}
