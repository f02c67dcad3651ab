/**
 * Path times: how long messages, ACKs and READ requests take between two hosts, alone in the network as it was built, and
 * over how many links. Computed once for each kind of paths, when it is first needed.
 * Units: picoseconds, bytes.
 */
import { leastOf, mostOf } from '../../core/base/extremes.ts'
import { controlFrameBytes, dataFrameBytes, type FrameSizes } from '../../core/transport/endpoint.ts'
import { ACK, READ_REQUEST } from '../../core/transport/segment.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Operation } from '../../core/workload/workload.ts'
import { pathVarietyOf, recoveryOf } from '../network/definitions.ts'
import type { Ends, Lane as Endpoints } from '../network/host-ports.ts'
import { type FrameTrain, plainTrains, type TrainOf } from './frame-train.ts'
import { framePs, type Lane, lanesPs, type LinkFacts } from './ideal.ts'
import { narrowestCut } from './path-flow.ts'
import { PathKinds } from './path-kinds.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/** Times of one pair of hosts; NaN and 0 links where no path joins them. */
export interface PairTimes {
  /** The data of a message, from its first bit sent to its last bit received. */
  readonly idealPs: (sizeBytes: number, operation: Operation) => number
  readonly ackPs: number
  /** The request of a READ or of an atomic. */
  readonly requestPs: (operation: Operation) => number
  readonly links: number
  /** A full packet there and its ACK back. */
  readonly baseRttPs: number
}

const UNCONNECTED: PairTimes = { idealPs: () => NaN, ackPs: NaN, requestPs: () => NaN, links: 0, baseRttPs: NaN }

/** Frames of queue pairs, and how their packets go. */
export interface PathUse {
  readonly frames: FrameSizes
  /** Packets of a message may take several paths. */
  readonly isSeveral: boolean
  readonly trainOf: TrainOf
  readonly ackBytes: number
  readonly requestBytesOf: (operation: Operation) => number
}

/** Plain messages with the schemes of a scenario. */
export function plainUse(scenario: Scenario, frames: FrameSizes): PathUse {
  return {
    frames,
    isSeveral: pathVarietyOf(scenario) === 'several' || recoveryOf(scenario).hasPaths === true,
    trainOf: plainTrains(frames),
    ackBytes: controlFrameBytes(frames, ACK, 0),
    requestBytesOf: () => controlFrameBytes(frames, READ_REQUEST, 0),
  }
}

export class PathTimes {
  readonly #built: BuiltNetwork
  readonly #use: PathUse
  readonly #kinds: PathKinds
  readonly #link: LinkFacts
  /** By pair of hosts and home port, and by kinds of paths. */
  readonly #known = new Map<number, PairTimes>()
  readonly #alike = new Map<string, PairTimes>()
  readonly #mostPorts: number

  /** @param kinds of the best paths, which path times of one network may share. */
  constructor(built: BuiltNetwork, use: PathUse, kinds = new PathKinds(built, 'best')) {
    this.#built = built
    this.#use = use
    this.#kinds = kinds
    this.#link = { headerBytes: built.headerBytes, gapBytes: use.frames.gapBytes }
    this.#mostPorts = mostOf(built.topology.hostPorts.map(({ length }) => length))
  }

  /**
   * Times from host `source` to host `destination`.
   * @param home port of the queue pair at the host that opened it, where hosts have several
   * @param isAnswer the destination opened it
   */
  between(source: number, destination: number, home = 0, isAnswer = false): PairTimes {
    const { topology, hostPorts } = this.#built
    const port = hostPorts.isSpread ? 0 : home % hostPorts.portCount(isAnswer ? destination : source)
    const key = ((source * topology.hostPorts.length + destination) * this.#mostPorts + port) * 2 + (isAnswer ? 1 : 0)
    let found = this.#known.get(key)
    if (found === undefined) {
      found = this.#find({ source, destination, home: port, isAnswer })
      this.#known.set(key, found)
    }
    return found
  }

  #find(ends: Ends): PairTimes {
    const { hostPorts, routes } = this.#built
    const lanes = hostPorts.lanes(ends).filter(({ from, to }) => to >= 0 && this.#kinds.key(from, to) !== null)
    if (lanes.length === 0) return UNCONNECTED
    // Lanes may share links: where several are used, only hosts below the same switches are alike.
    const isShared = this.#use.isSeveral || lanes.length > 1
    const key = lanes
      .map(({ from, to, answer }) => {
        const paths = [this.#kinds.key(from, to), answer < 0 ? '' : this.#kinds.key(to, answer)]
        const first = lanes.findIndex((lane) => lane.to === to)
        return isShared ? [...paths, routes.above[from], routes.above[to], first].join() : paths.join()
      })
      .join(' ')
    let found = this.#alike.get(key)
    if (found === undefined) this.#alike.set(key, (found = this.#make(lanes)))
    return found
  }

  #make(endpoints: readonly Endpoints[]): PairTimes {
    const { frames, trainOf, ackBytes, requestBytesOf } = this.#use
    const link = this.#link
    const { portChoice } = this.#built.hostPorts
    const lanes = endpoints.map((lane): Lane => this.#laneOf(lane))
    const keys = endpoints.map(({ from, to }) => this.#kinds.key(from, to))
    const isAlike = keys.every((key) => key === keys[0])
    // Ports that are alike and taken as they are free are filled evenly, however long the first packet is.
    const isCyclic = portChoice === 'spray' || isAlike
    const sent = (train: FrameTrain): FrameTrain =>
      portChoice === 'least-queue' ? { ...train, firstBytes: Math.min(train.firstBytes, train.fullBytes) } : train
    const use = { isCyclic, cut: lanes.length > 1 ? narrowestCut(this.#built, endpoints) : null }
    const backPs = (bytes: number): number =>
      leastOf(endpoints.map(({ to, answer }) => framePs(this.#kinds.between(to, answer), bytes, link.headerBytes)))
    const ackPs = orNone(backPs(ackBytes))
    const all = lanes.flatMap(({ paths }) => paths)
    return {
      idealPs: (sizeBytes, operation) => lanesPs(lanes, sent(trainOf(sizeBytes, operation)), link, use),
      ackPs,
      baseRttPs: framePs(all, dataFrameBytes(frames, frames.payloadBytes, 0), link.headerBytes) + ackPs,
      requestPs: (operation) => orNone(backPs(requestBytesOf(operation))),
      links: leastOf(all.map(({ length }) => length)),
    }
  }

  #laneOf({ from, to }: Endpoints): Lane {
    const paths = this.#kinds.between(from, to)
    const isSeveral = this.#use.isSeveral && this.#kinds.isChoice(from, to)
    return { paths, isSeveral, cut: isSeveral ? narrowestCut(this.#built, [{ from, to }]) : null }
  }
}

/** NaN in place of the time on no path. */
function orNone(timePs: number): number {
  return timePs === Infinity ? NaN : timePs
}

/**
 * Path times by workload, of plain messages; workloads with the same schemes share one.
 * @param schemesOf the scenario as it holds for each workload
 */
export function pathTimesByWorkload(built: BuiltNetwork, schemesOf: readonly Scenario[]): PathTimes[] {
  const kinds = new PathKinds(built, 'best')
  // Workloads with schemes of their own have frames of their own.
  const known = new Map<FrameSizes, PathTimes>()
  return built.framesOf.map((frames, i) => {
    let times = known.get(frames)
    if (times === undefined) known.set(frames, (times = new PathTimes(built, plainUse(schemesOf[i]!, frames), kinds)))
    return times
  })
}
