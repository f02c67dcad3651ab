/**
 * Roots: where the waits of packets in the queues of switches began. While PFC pauses a port, at the origin of the pause.
 * Else packets are ahead: of these, as many as the port could not send in pauses since its queue was last empty are owed to
 * those pauses, and the rest to the port itself, where more arrives than leaves.
 * Units: picoseconds.
 */
import type { Network } from '../../fabric/network.ts'
import { NO_ORIGIN, type Origins } from '../pauses/origins.ts'
import { CLASSES } from '../pauses/classes.ts'
import type { Hop } from './copies.ts'
import type { Spans } from './spans.ts'

export class Roots {
  readonly #network: Network
  readonly #origins: Origins
  /** By port and class. */
  readonly #pauses: readonly (Spans | undefined)[]
  /** By port and class: when the last packet that left was out, and since when there has been no gap. */
  readonly #endPs: Float64Array
  readonly #busyFromPs: Float64Array
  readonly #portOrigins: Int32Array
  readonly #before = new Map<number, number>()
  readonly #roots = new Map<number, number>()

  constructor(network: Network, origins: Origins, pauses: readonly (Spans | undefined)[]) {
    this.#network = network
    this.#origins = origins
    this.#pauses = pauses
    this.#portOrigins = new Int32Array(network.ports.length).fill(NO_ORIGIN)
    this.#endPs = new Float64Array(network.ports.length * CLASSES).fill(-1)
    this.#busyFromPs = new Float64Array(network.ports.length * CLASSES)
  }

  /** A packet leaves a switch's port. @returns since when the queue has not been empty */
  leave(portAndClass: number, queuedPs: number, endPs: number): number {
    if (queuedPs >= this.#endPs[portAndClass]!) this.#busyFromPs[portAndClass] = queuedPs
    this.#endPs[portAndClass] = endPs
    return this.#busyFromPs[portAndClass]!
  }

  /** Time between the two times in which a port's class was paused. */
  pausedPs(portAndClass: number, fromPs: number, toPs: number): number {
    return this.#pauses[portAndClass]?.within(fromPs, toPs) ?? 0
  }

  /** Adds the time between the two times in which a port's class was paused, by its origins. @returns that time */
  addPauses(portAndClass: number, fromPs: number, toPs: number, roots: Map<number, number>): number {
    const spans = this.#pauses[portAndClass]
    const pausedPs = spans?.within(fromPs, toPs) ?? 0
    if (pausedPs > 0) spans!.addWithin(fromPs, toPs, roots)
    return pausedPs
  }

  /** Adds `aheadPs`, the time that a packet waited for those before it. */
  addQueue(hop: Hop, aheadPs: number, roots: Map<number, number>): void {
    if (aheadPs <= 0) return
    const before = this.#before
    before.clear()
    const pausedPs = this.addPauses(hop.port * CLASSES + hop.trafficClass, hop.busyFromPs, hop.queuedPs, before)
    const owedPs = Math.min(pausedPs, aheadPs)
    for (const [origin, spanPs] of before) add(roots, origin, (spanPs * owedPs) / pausedPs)
    if (owedPs < aheadPs) add(roots, this.portOrigin(hop.port), aheadPs - owedPs)
  }

  /** Origin of most pauses that the queue of a port is owed to; NO_ORIGIN: less than half of it is. */
  owedTo(port: number, trafficClass: number, nowPs: number): number {
    const at = this.#network.ports[port]!
    const portAndClass = port * CLASSES + trafficClass
    const before = this.#before
    before.clear()
    const pausedPs = this.addPauses(portAndClass, this.#busyFromPs[portAndClass]!, nowPs, before)
    const queuePs = (at.queue.bytesOf(trafficClass) * 8e12) / at.rateBps
    return pausedPs >= queuePs / 2 ? mostOf(before)[0] : NO_ORIGIN
  }

  /** A port at which packets wait for others: of a switch, or of a host. */
  portOrigin(port: number): number {
    const known = this.#portOrigins[port]!
    if (known !== NO_ORIGIN) return known
    const { node, index } = this.#network.ports[port]!
    const isHost = (this.#network.switches[node] ?? null) === null
    return (this.#portOrigins[port] = this.#origins.numberOf(isHost ? 'nic' : 'switch', node, index))
  }

  /** Where most of a wait began. */
  rootOf(hop: Hop): number {
    const { port, trafficClass, startPs, queuedPs, busyFromPs } = hop
    const spans = this.#pauses[port * CLASSES + trafficClass]
    if (spans === undefined || spans.within(busyFromPs, startPs) === 0) return this.portOrigin(port)
    const roots = this.#roots
    roots.clear()
    const pausedPs = this.addPauses(port * CLASSES + trafficClass, queuedPs, startPs, roots)
    this.addQueue(hop, startPs - queuedPs - pausedPs, roots)
    const [origin] = mostOf(roots)
    return origin === NO_ORIGIN ? this.portOrigin(port) : origin
  }
}

/** The cause with the most time, and that time; NO_ORIGIN and 0: there is none. */
export function mostOf(byCause: ReadonlyMap<number, number>): [cause: number, spanPs: number] {
  let most: [number, number] = [NO_ORIGIN, 0]
  for (const [cause, spanPs] of byCause) if (spanPs > most[1]) most = [cause, spanPs]
  return most
}

function add(roots: Map<number, number>, origin: number, spanPs: number): void {
  roots.set(origin, (roots.get(origin) ?? 0) + spanPs)
}
