/**
 * Path times: how long messages, ACKs and READ requests take between two hosts, alone in the network, and over how many
 * links. Computed once for each pair of hosts, when it is first needed.
 * Units: picoseconds, bytes.
 */
import { mostOf } from '../../base/extremes.ts'
import { controlFrameBytes, type FrameSizes } from '../../transport/endpoint.ts'
import { ACK, READ_REQUEST } from '../../transport/segment.ts'
import type { Operation } from '../../workload/workload.ts'
import type { Ends } from '../build/host-ports.ts'
import { firstPath, idealBackPs, idealOverPs, idealPs } from './ideal.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'

/** Times of one pair of hosts; NaN and 0 links where no path joins them. */
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
  readonly #mostPorts: number

  /** @param frames frame sizes of the messages; default: the scenario's. */
  constructor(built: BuiltNetwork, frames: FrameSizes = built.frames) {
    this.#built = built
    this.#frames = frames
    this.#mostPorts = mostOf(built.topology.hostPorts.map(({ length }) => length))
  }

  /**
   * Times from host `source` to host `destination`.
   * @param home port of the queue pair, where hosts have several
   */
  between(source: number, destination: number, home = 0): PairTimes {
    const { topology, hostPorts } = this.#built
    const port = hostPorts.isSpread ? 0 : home % hostPorts.portCount(source)
    const key = (source * topology.hostPorts.length + destination) * this.#mostPorts + port
    let found = this.#known.get(key)
    if (found === undefined) {
      found = this.#make({ source, destination, home: port })
      this.#known.set(key, found)
    }
    return found
  }

  #make(ends: Ends): PairTimes {
    const { network, routes, hostPorts, headerBytes } = this.#built
    const frames = this.#frames
    const paths = hostPorts.lanes(ends).flatMap(({ from, to }) => {
      if (to < 0) return []
      const path = firstPath(
        network.nics[from]!.port,
        to,
        routes,
        (node, index) => network.switches[node]!.ports[index]!,
      )
      return path === null ? [] : [path]
    })
    const [path] = paths
    if (path === undefined) return UNCONNECTED
    const ackPs = idealBackPs(path, controlFrameBytes(frames, ACK, 0), headerBytes)
    return {
      idealPs: (sizeBytes, operation) => idealOverPs(paths, sizeBytes, operation, frames, headerBytes),
      ackPs,
      baseRttPs: idealPs(path, frames.payloadBytes, 'read', frames, headerBytes) + ackPs,
      requestPs: idealBackPs(path, controlFrameBytes(frames, READ_REQUEST, 0), headerBytes),
      links: path.length,
    }
  }
}

/** Path times by workload; workloads with the same frames share one. */
export function pathTimesByWorkload(built: BuiltNetwork): PathTimes[] {
  const own = new PathTimes(built)
  return built.framesOf.map((frames) => (frames === built.frames ? own : new PathTimes(built, frames)))
}
