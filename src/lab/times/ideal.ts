/**
 * Ideal: how long a message takes alone in an empty network at line rate, same headers; the latency of each switch
 * counts. Switches store and forward, or cut through (ideal-cut-through.ts).
 * Source: [IRN] 4.1 (denominator of slowdown).
 */
import type { Port } from '../../fabric/link/port.ts'
import type { Routes } from '../../topology/routes.ts'
import { dataFrameBytes, type FrameSizes } from '../../transport/endpoint.ts'
import { RETH, SEND } from '../../transport/segment.ts'
import { type Operation, plainOf } from '../../workload/workload.ts'
import { cutThroughPs } from './ideal-cut-through.ts'

/** The ports a packet leaves by from source to destination, first candidates all the way; null: no route. */
export function firstPath(
  source: Port,
  destination: number,
  routes: Routes,
  portOf: (node: number, index: number) => Port,
): Port[] | null {
  const path = [source]
  let node = source.peer.node
  while (routes.hostIndexOf[node]! < 0) {
    const list = routes.listAt(node, destination)
    if (list < 0 || path.length > routes.hostIndexOf.length) return null
    const port = portOf(node, routes.ports[routes.listStart[list]!]!)
    path.push(port)
    node = port.peer.node
  }
  return node === path[path.length - 1]!.peer.node ? path : null
}

/** Time of a frame on a path without its transmissions: propagation, and the latency of switches. */
function betweenPs(path: readonly Port[]): number {
  return path.reduce((sum, port) => sum + port.delayPs + (port.at === null ? 0 : port.at.latencyPs), 0)
}

/** Transmission times of one frame on each link of a path. */
function times(path: readonly Port[], frameBytes: number): number[] {
  return path.map((port) => port.transmitPs[frameBytes]!)
}

/**
 * Time of the data, from the first bit sent to the last bit received. Switches wait for `headerBytes` of a frame; 0: they
 * store and forward. Then all packets but the first (RETH) and the last (short) are equal, so the longest path through
 * the grid of packets and hops has a closed form: the first packet up to hop a, the equal ones from a to c with all but
 * one of them at the slowest link between, the last from c on.
 */
export function idealPs(
  path: readonly Port[],
  sizeBytes: number,
  operation: Operation,
  frames: FrameSizes,
  headerBytes: number,
): number {
  const packets = sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / frames.payloadBytes)
  const lastPayload = sizeBytes - (packets - 1) * frames.payloadBytes
  const plain = plainOf(operation)
  const flags = plain === 'send' ? SEND : 0
  const firstFlags = plain === 'write' ? RETH : flags
  const lastBytes = dataFrameBytes(frames, lastPayload, packets === 1 ? firstFlags : flags)
  const firstBytes = dataFrameBytes(frames, frames.payloadBytes, firstFlags)
  const fullBytes = dataFrameBytes(frames, frames.payloadBytes, flags)
  if (headerBytes > 0) return cutThroughPs(path, { packets, firstBytes, fullBytes, lastBytes }, headerBytes)
  const last = times(path, lastBytes)
  const delayPs = betweenPs(path)
  if (packets === 1) return delayPs + last.reduce((sum, t) => sum + t, 0)
  return delayPs + longestPathPs(packets, times(path, firstBytes), times(path, fullBytes), last)
}

/** Longest path through the grid of two packets or more: sum of transmission times. */
function longestPathPs(
  packets: number,
  first: readonly number[],
  full: readonly number[],
  last: readonly number[],
): number {
  const hops = last.length
  let longest = 0
  let head = 0
  for (let a = 0; a < hops; a++) {
    head += first[a]!
    let middle = 0
    let slowest = 0
    for (let c = a; c < hops; c++) {
      middle += full[c]!
      slowest = Math.max(slowest, full[c]!)
      let tail = 0
      for (let h = c; h < hops; h++) tail += last[h]!
      if (packets === 2) {
        if (c === a) longest = Math.max(longest, head + tail)
      } else longest = Math.max(longest, head + middle + (packets - 3) * slowest + tail)
    }
  }
  return longest
}

/**
 * The same over several paths, one per port: packets take the ports round robin, as they do where all ports are alike and
 * idle. The message ends with the last packet of any port.
 */
export function idealOverPs(
  paths: readonly (readonly Port[])[],
  sizeBytes: number,
  operation: Operation,
  frames: FrameSizes,
  headerBytes: number,
): number {
  const [first] = paths
  if (paths.length === 1) return idealPs(first!, sizeBytes, operation, frames, headerBytes)
  const { payloadBytes } = frames
  const packets = Math.max(1, Math.ceil(sizeBytes / payloadBytes))
  // The RETH of a WRITE is in its first packet alone.
  const later = plainOf(operation) === 'write' ? 'read' : operation
  let longestPs = 0
  for (let lane = 0; lane < Math.min(paths.length, packets); lane++) {
    const own = Math.ceil((packets - lane) / paths.length)
    const hasLast = (packets - 1) % paths.length === lane
    const bytes = hasLast ? (own - 1) * payloadBytes + sizeBytes - (packets - 1) * payloadBytes : own * payloadBytes
    longestPs = Math.max(longestPs, idealPs(paths[lane]!, bytes, lane === 0 ? operation : later, frames, headerBytes))
  }
  return longestPs
}

/** Time of one control frame, an ACK or a READ request, on the path back. */
export function idealBackPs(path: readonly Port[], frameBytes: number, headerBytes: number): number {
  if (headerBytes > 0) {
    const back = path.map(({ peer }) => peer).toReversed()
    const frame = { packets: 1, firstBytes: frameBytes, fullBytes: frameBytes, lastBytes: frameBytes }
    return cutThroughPs(back, frame, headerBytes)
  }
  return path.reduce((sum, port) => sum + port.peer.transmitPs[frameBytes]!, betweenPs(path))
}
