/**
 * Path times: how long messages, ACKs and READ requests take between two hosts, alone in the network, and over how many
 * links. Worked out once for each pair of hosts that is asked for.
 * Units: picoseconds, bytes.
 */
import { controlFrameBytes, type FrameSizes } from '../transport/endpoint.ts'
import { ACK, READ_REQUEST } from '../transport/segment.ts'
import type { Operation } from '../workload/workload.ts'
import { firstPath, idealBackPs, idealPs } from './ideal.ts'
import type { BuiltNetwork } from './network-builder.ts'

/** Of one pair of hosts; NaN and 0 links where no path joins them. */
export interface PairTimes {
  /** The data of a message, from its first bit sent to its last bit received. */
  readonly idealPs: (sizeBytes: number, operation: Operation) => number
  readonly ackPs: number
  readonly requestPs: number
  readonly links: number
  /** A full packet there and its ACK back. */
  readonly baseRttPs: number
}

const UNCONNECTED: PairTimes = { idealPs: () => NaN, ackPs: NaN, requestPs: NaN, links: 0, baseRttPs: NaN }

export class PathTimes {
  readonly #built: BuiltNetwork
  readonly #frames: FrameSizes
  readonly #known = new Map<number, PairTimes>()

  /** @param frames of the messages; left out: those of the scenario's. */
  constructor(built: BuiltNetwork, frames: FrameSizes = built.frames) {
    this.#built = built
    this.#frames = frames
  }

  /** Of the way from host `source` to host `destination`, positions among the hosts. */
  between(source: number, destination: number): PairTimes {
    const key = source * this.#built.topology.hosts.length + destination
    let found = this.#known.get(key)
    if (found === undefined) {
      found = this.#make(source, destination)
      this.#known.set(key, found)
    }
    return found
  }

  #make(source: number, destination: number): PairTimes {
    const { network, topology, routes } = this.#built
    const frames = this.#frames
    const path = firstPath(
      network.nics[source]!.port,
      destination,
      topology.hosts.length,
      routes,
      (node, index) => network.switches[node]!.ports[index]!,
    )
    if (path === null) return UNCONNECTED
    const ackPs = idealBackPs(path, controlFrameBytes(frames, ACK, 0))
    return {
      idealPs: (sizeBytes, operation) => idealPs(path, sizeBytes, operation, frames),
      ackPs,
      baseRttPs: idealPs(path, frames.payloadBytes, 'read', frames) + ackPs,
      requestPs: idealBackPs(path, controlFrameBytes(frames, READ_REQUEST, 0)),
      links: path.length,
    }
  }
}
