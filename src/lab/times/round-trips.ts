/**
 * Round trips: how long a full packet and its ACK take, each pair of hosts alone in the network, on the longest of the paths
 * that routes offer.
 * Units: picoseconds. Hosts below one switch on links of the same rate and delay are alike, so that two of them stand for
 * all, and paths over links of the same rates, delays and latencies are timed once: few are left even of 65,536 hosts.
 */
import { mostOf } from '../../core/base/extremes.ts'
import { dataFrameBytes, type FrameSizes } from '../../core/transport/endpoint.ts'
import { singleFrame } from './frame-train.ts'
import { idealPs } from './ideal.ts'
import { KEYS_MAX, type Path, PathKinds } from './path-kinds.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/** Paths from one endpoint to another, and those back. */
interface Trip {
  readonly there: readonly Path[]
  readonly back: readonly Path[]
}

/** The longest of all pairs of hosts, over the frames of all workloads; NaN: no two are connected. */
export function longestRoundTripPs(built: BuiltNetwork): number {
  const trips = [...differentTrips(built)]
  return mostOf([...new Set([built.frames, ...built.framesOf])].map((frames) => largestOf(trips, built, frames)))
}

/** The same of queue pairs with these frames. */
export function largestRoundTripPs(built: BuiltNetwork, frames: FrameSizes): number {
  return largestOf(differentTrips(built), built, frames)
}

function largestOf(trips: Iterable<Trip>, { headerBytes }: BuiltNetwork, frames: FrameSizes): number {
  const full = singleFrame(dataFrameBytes(frames, frames.payloadBytes, 0))
  const ack = singleFrame(Math.max(frames.ackBytes, frames.minimumBytes))
  let largestPs = NaN
  for (const { there, back } of trips) {
    const roundTripPs =
      mostOf(there.map((path) => idealPs(path, full, headerBytes))) +
      mostOf(back.map((path) => idealPs(path, ack, headerBytes)))
    if (!(roundTripPs <= largestPs)) largestPs = roundTripPs
  }
  return largestPs
}

/** Trips between hosts, one of all that have the same kinds of links in the same order. */
function* differentTrips(built: BuiltNetwork): Generator<Trip> {
  const { hostPorts } = built
  const { sources, destinations } = representatives(built)
  const kinds = new PathKinds(built, 'worst')
  const known = new Set<number>()
  for (const destination of destinations) {
    for (const source of sources) {
      if (source === destination || !hostPorts.isUsed(source, destination)) continue
      const [there, back] = [kinds.key(source, destination), kinds.key(destination, source)]
      if (there === null || back === null) continue
      const key = there * KEYS_MAX + back
      if (known.has(key)) continue
      known.add(key)
      yield { there: kinds.between(source, destination), back: kinds.between(destination, source) }
    }
  }
}

/** Endpoints of which each pair of hosts has one like it: the first of those that are alike, and a second as source. */
function representatives({ network, hostPorts }: BuiltNetwork): {
  readonly sources: readonly number[]
  readonly destinations: readonly number[]
} {
  const alike = new Map<string, number[]>()
  network.nics.forEach(({ port }, position) => {
    const key = `${port.peer.node}/${port.rateBps}/${port.delayPs}`
    const group = alike.get(key)
    if (group === undefined) alike.set(key, [position])
    // Two of each, since they send to each other too.
    else if (group.length < 2) group.push(position)
  })
  const sources = [...alike.values()].flat()
  // Ports of several hosts below one switch differ in whom they send to.
  const destinations = hostPorts.isSeveral ? sources : [...alike.values()].map(([first]) => first!)
  return { sources, destinations }
}
