/**
 * Pause origins: where each pause that is in force began, kept up to date from pause to pause. A pause begins at the device
 * that asked for it if that may send itself: at a host, or at the port of a switch that most of the packets wait for which
 * came by the paused link. Otherwise it has the origin of the pause that keeps that device from sending; of several the
 * one nearest to its origin, of these the one that has most of the bytes: the rule of the pause tree (pause-tree.ts).
 * Queues are looked at when a pause begins, but not within 20 us of the last time, as pauses come and go faster than
 * queues; bytes are those of the first packets of each queue, and where none of them came by the link, the longest queue counts.
 * Pauses in a circle keep the origin that the first of them had.
 */
import type { Network } from '../../../core/fabric/network.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import type { ReceivePipeline } from '../../../core/fabric/nic/receive/pipeline.ts'
import type { Switch } from '../../../core/fabric/switch/switch.ts'
import { NO_ORIGIN, type Origins } from './origins.ts'
import { CLASSES } from './classes.ts'

const NONE = NO_ORIGIN
/** Packets of a queue that are looked at. */
const FIRST_PACKETS = 128
/** Queues are looked at again after this time. */
const LOOK_PS = 20e6
/** More than the pauses of any path. */
const LAST_DEPTH = 1e9

/** A pause has begun with this origin, has another now, or is over (origin -1). */
export type OriginChange = (nowPs: number, port: number, trafficClass: number, origin: number) => void

interface InputBytes {
  readonly port: Port
  /** Frame bytes by input port. */
  readonly byInput: Float64Array
}

interface Look {
  readonly timePs: number
  readonly queues: readonly InputBytes[]
}

export class PauseOrigins {
  readonly #network: Network
  readonly #list: Origins
  readonly #owedTo: (port: number, trafficClass: number) => number
  readonly #onChange: OriginChange
  /** By port and class: number of the origin, -1 where there is no pause. */
  readonly #origins: Int32Array
  /** Number of pauses from the origin to this one, itself included; port and class of the pause above it, or -1. */
  readonly #depths: Int32Array
  readonly #above: Int32Array
  /** Queues by node and class, as last looked at. */
  readonly #queues: (Look | undefined)[] = []

  /**
   * @param list gets the origins
   * @param owedTo origin of the pauses that a queue is owed to, although its port may send now; NO_ORIGIN: of none
   */
  constructor(
    network: Network,
    list: Origins,
    owedTo: (port: number, trafficClass: number) => number,
    onChange: OriginChange,
  ) {
    this.#owedTo = owedTo
    this.#network = network
    this.#list = list
    this.#onChange = onChange
    const length = network.ports.length * CLASSES
    this.#origins = new Int32Array(length).fill(NONE)
    this.#depths = new Int32Array(length)
    this.#above = new Int32Array(length).fill(NONE)
  }

  /** The pause state of a port's class has changed. */
  onPauseChanged(nowPs: number, portId: number, trafficClass: number, isPaused: boolean): void {
    const port = this.#network.ports[portId]!
    const key = portId * CLASSES + trafficClass
    if (isPaused) this.#settle(nowPs, port, trafficClass)
    else {
      this.#origins[key] = NONE
      this.#onChange(nowPs, portId, trafficClass, NONE)
    }
    // Those that began at this switch may be under the new pause now, those under the old one are not any more.
    const moved = isPaused ? NONE : key
    for (const other of this.#askedBy(port.node, trafficClass)) {
      if (this.#above[other.id * CLASSES + trafficClass] === moved && this.#settle(nowPs, other, trafficClass))
        this.#follow(nowPs, other, trafficClass)
    }
  }

  /** The origin of a pause has changed: those under it have the new one too. */
  #follow(nowPs: number, changed: Port, trafficClass: number): void {
    const changes = [changed]
    for (const port of changes) {
      const key = port.id * CLASSES + trafficClass
      for (const other of this.#askedBy(port.node, trafficClass)) {
        const below = other.id * CLASSES + trafficClass
        if (this.#above[below] !== key || this.#origins[below] === this.#origins[key]) continue
        this.#depths[below] = this.#depths[key]! + 1
        this.#origins[below] = this.#origins[key]!
        this.#onChange(nowPs, other.id, trafficClass, this.#origins[key]!)
        changes.push(other)
      }
    }
  }

  /** Ports whose pauses in force a switch asked for. */
  #askedBy(node: number, trafficClass: number): Port[] {
    const at = this.#network.switches[node] ?? null
    if (at === null || at.xoffCount === 0) return []
    const bit = 1 << trafficClass
    return at.ports.flatMap((port) => {
      if (port === undefined || (port.xoffSent & bit) === 0) return []
      return this.#origins[port.peer.id * CLASSES + trafficClass] === NONE ? [] : [port.peer]
    })
  }

  /** Finds the origin of a pause. @returns whether it has changed */
  #settle(nowPs: number, port: Port, trafficClass: number): boolean {
    const { peer } = port
    const key = port.id * CLASSES + trafficClass
    const asking = this.#network.switches[peer.node] ?? null
    const waitsFor = asking === null ? null : this.#waitingAt(nowPs, asking, peer.index, trafficClass)
    const next = waitsFor === null ? NONE : waitsFor.id * CLASSES + trafficClass
    const above = next === NONE || this.#origins[next] === NONE || this.#isUnder(next, key) ? NONE : next
    const origin = above === NONE ? this.#originOf(peer, waitsFor, trafficClass) : this.#origins[above]!
    this.#above[key] = above
    this.#depths[key] = above === NONE ? 1 : this.#depths[above]! + 1
    if (this.#origins[key] === origin) return false
    this.#origins[key] = origin
    this.#onChange(nowPs, port.id, trafficClass, origin)
    return true
  }

  /** The port of a switch that packets wait for which came by this input; null: none wait. */
  #waitingAt(nowPs: number, at: Switch, input: number, trafficClass: number): Port | null {
    let best: Port | null = null
    let leastDepth = Infinity
    let most = -1
    for (const { port, byInput } of this.#look(nowPs, at, trafficClass)) {
      const bytes = byInput[input]!
      const key = port.id * CLASSES + trafficClass
      // A paused port before one that may send, and one without such packets last.
      const isFree = this.#origins[key] === NONE
      const depth = bytes === 0 ? 2 * LAST_DEPTH : isFree ? LAST_DEPTH : this.#depths[key]!
      const rank = bytes === 0 ? port.queue.bytesOf(trafficClass) : bytes
      if (depth > leastDepth || (depth === leastDepth && rank <= most)) continue
      best = port
      leastDepth = depth
      most = rank
    }
    return best
  }

  /** The queues of a switch that hold packets of a class, not older than LOOK_PS. */
  #look(nowPs: number, at: Switch, trafficClass: number): readonly InputBytes[] {
    const key = at.node * CLASSES + trafficClass
    const known = this.#queues[key]
    if (known !== undefined && nowPs - known.timePs < LOOK_PS) return known.queues
    const queues: InputBytes[] = []
    for (const port of at.ports) {
      if (port === undefined || port.queue.bytesOf(trafficClass) === 0) continue
      const byInput = new Float64Array(at.ports.length)
      const look = (input: number, sizeBytes: number): void => {
        byInput[input]! += sizeBytes
      }
      port.queue.visit(trafficClass, look, FIRST_PACKETS)
      queues.push({ port, byInput })
    }
    this.#queues[key] = { timePs: nowPs, queues }
    return queues
  }

  /** Whether a pause is another one, or under it. */
  #isUnder(pause: number, other: number): boolean {
    for (let key = pause; key !== NONE; key = this.#origins[key] === NONE ? NONE : this.#above[key]!)
      if (key === other) return true
    return false
  }

  /** Where the pauses begin that a port's device asks for. */
  #originOf({ id, node }: Port, longest: Port | null, trafficClass: number): number {
    const owedTo = longest === null ? NONE : this.#owedTo(longest.id, trafficClass)
    if (owedTo !== NONE) return owedTo
    const { nics, receives, switches } = this.#network
    if ((switches[node] ?? null) !== null) return this.#list.numberOf('switch', node, longest?.index ?? -1)
    const endpoint = nics.findIndex(({ port }) => port.id === id)
    return this.#list.numberOf(isStanding(receives[endpoint]) ? 'storm' : 'host', node, -1)
  }
}

/** A host takes nothing, or has nothing left to take, when it pauses its link. */
function isStanding(receive: ReceivePipeline | undefined): boolean {
  return receive !== undefined && (receive.isStanding || !receive.isBacklogged)
}
