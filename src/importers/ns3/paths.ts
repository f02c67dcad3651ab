/**
 * Window of a pair as the HPCC family computes it: base round-trip time times the rate of the slowest link of a shortest path.
 * Units: ns for times (integers, as in the simulators), bytes for windows. Hosts do not forward.
 * base_rtt = 2 * sum(delay) + sum over hops(payload * 8e9 / rate), each term truncated to whole ns; window = base_rtt * rate / 8e9.
 * Source: HPCC fork. Deviates: of equally short paths with different delays it takes the one whose nodes come first
 * by id, where the simulators follow the order of heap addresses.
 */
import type { Ns3Topology } from './topology.ts'

interface Edge {
  readonly to: number
  readonly rateBps: number
  readonly delayNs: number
}

/** Windows in bytes from one host to every node, indexed by node id; -1 where there is no path. */
export function windowsFrom(topology: Ns3Topology, host: number, payloadBytes: number): Float64Array {
  return new WindowSearch(topology, payloadBytes).from(host)
}

interface LargestPair {
  readonly windowBytes: number
  /** May belong to another pair than the window. */
  readonly roundTripNs: number
}

/** The largest window and the longest round trip of all pairs of hosts; 0 if there is no path. */
export function largestPair(topology: Ns3Topology, payloadBytes: number): LargestPair {
  const search = new WindowSearch(topology, payloadBytes)
  let windowBytes = 0
  let roundTripNs = 0
  for (const host of topology.hosts) {
    const windows = search.from(host)
    for (const other of topology.hosts) {
      if (other === host) continue
      windowBytes = Math.max(windowBytes, windows[other] ?? 0)
      roundTripNs = Math.max(roundTripNs, search.roundTripNs[other] ?? 0)
    }
  }
  return { windowBytes, roundTripNs }
}

class WindowSearch {
  readonly #payloadBytes: number
  readonly #edges: readonly Edge[][]
  /** Round trips of the last search, indexed by node id; 0 where there is no path. */
  roundTripNs = new Float64Array(0)
  readonly #isSwitch: ReadonlySet<number>

  constructor(topology: Ns3Topology, payloadBytes: number) {
    this.#payloadBytes = payloadBytes
    this.#isSwitch = new Set(topology.switches)
    const edges: Edge[][] = Array.from({ length: topology.nodeCount }, () => [])
    for (const { a, b, rateBps, delayPs } of topology.links) {
      edges[a]?.push({ to: b, rateBps, delayNs: delayPs / 1000 })
      edges[b]?.push({ to: a, rateBps, delayNs: delayPs / 1000 })
    }
    this.#edges = edges.map((list) => list.toSorted((x, y) => x.to - y.to))
  }

  from(host: number): Float64Array {
    const count = this.#edges.length
    const reached = new Uint8Array(count)
    const delayNs = new Float64Array(count)
    const sendNs = new Float64Array(count)
    const rateBps = new Float64Array(count).fill(Infinity)
    reached[host] = 1
    const queue = [host]
    for (const node of queue) {
      for (const edge of this.#edges[node] ?? []) {
        if (reached[edge.to] === 1) continue
        reached[edge.to] = 1
        delayNs[edge.to] = (delayNs[node] ?? 0) + edge.delayNs
        sendNs[edge.to] = (sendNs[node] ?? 0) + Math.floor((this.#payloadBytes * 8e9) / edge.rateBps)
        rateBps[edge.to] = Math.min(rateBps[node] ?? 0, edge.rateBps)
        if (this.#isSwitch.has(edge.to)) queue.push(edge.to)
      }
    }
    this.roundTripNs = delayNs.map((ns, node) => 2 * ns + (sendNs[node] ?? 0))
    return rateBps.map((rate, node) => {
      if (reached[node] === 0 || node === host) return -1
      return Number((BigInt(this.roundTripNs[node] ?? 0) * BigInt(rate)) / 8_000_000_000n)
    })
  }
}
