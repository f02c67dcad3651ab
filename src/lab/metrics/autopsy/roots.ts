/**
 * Roots: where the waits of packets in the queues of switches began. While PFC pauses a port, at the origin of the pause.
 * Else packets are ahead: of these, as many as the port could not send in pauses since its queue was last empty are owed to
 * those pauses, and the rest to the port itself, where more arrives than leaves.
 * Units: picoseconds.
 */
import type { Network } from '../../../core/fabric/network.ts'
import { NO_ORIGIN, type Origins } from '../pauses/origins.ts'
import { CLASSES } from '../pauses/classes.ts'
import type { Wait } from './copies.ts'
import type { Spans } from './spans.ts'
import { Weights } from './blame.ts'

/** Fields of a row: when the last packet that left was out; since when there has been no gap; time that data took; when the first began. */
const END_PS = 0
const BUSY_FROM_PS = 1
const SENT_PS = 2
const FIRST_PS = 3
const WIDTH = 4

/** Time that a port sent data, when the first began, and when the last ended. */
export interface Sent {
  readonly sentPs: number
  readonly firstPs: number
  readonly lastPs: number
}

export class Roots {
  private readonly network: Network
  private readonly origins: Origins
  /** By port and class. */
  private readonly pauses: readonly (Spans | undefined)[]
  /** By port and class. */
  private readonly rows: Float64Array
  private readonly portOrigins: Int32Array
  private readonly before = new Weights()
  private readonly roots = new Weights()

  constructor(network: Network, origins: Origins, pauses: readonly (Spans | undefined)[]) {
    this.network = network
    this.origins = origins
    this.pauses = pauses
    this.portOrigins = new Int32Array(network.ports.length).fill(NO_ORIGIN)
    this.rows = new Float64Array(network.ports.length * CLASSES * WIDTH)
  }

  /** A packet leaves a switch's port. @returns since when the queue has not been empty */
  leave(portAndClass: number, queuedPs: number, startPs: number, endPs: number, isData: boolean): number {
    const rows = this.rows
    const at = portAndClass * WIDTH
    if (queuedPs >= rows[at + END_PS]!) rows[at + BUSY_FROM_PS] = queuedPs
    rows[at + END_PS] = endPs
    if (isData) {
      if (rows[at + SENT_PS] === 0) rows[at + FIRST_PS] = startPs
      rows[at + SENT_PS]! += endPs - startPs
    }
    return rows[at + BUSY_FROM_PS]!
  }

  /** Data that a port of a switch sent, in all classes. */
  sentOf(port: number): Sent {
    const rows = this.rows
    const sent = { sentPs: 0, firstPs: Infinity, lastPs: 0 }
    for (let trafficClass = 0; trafficClass < CLASSES; trafficClass++) {
      const at = (port * CLASSES + trafficClass) * WIDTH
      if (rows[at + SENT_PS] === 0) continue
      sent.sentPs += rows[at + SENT_PS]!
      sent.firstPs = Math.min(sent.firstPs, rows[at + FIRST_PS]!)
      sent.lastPs = Math.max(sent.lastPs, rows[at + END_PS]!)
    }
    return sent
  }

  /** Time between the two times, since a packet left its host that is in the network, in which a port's class was paused. */
  pausedPs(portAndClass: number, fromPs: number, toPs: number): number {
    return this.pauses[portAndClass]?.recentWithin(fromPs, toPs) ?? 0
  }

  /** Adds the time between the two times in which a port's class was paused, by its origins. @returns that time */
  addPauses(portAndClass: number, fromPs: number, toPs: number, roots: Weights): number {
    return this.pauses[portAndClass]?.addWithin(fromPs, toPs, roots) ?? 0
  }

  /** Adds `aheadPs`, the time that a packet waited for those before it. */
  addQueue(hop: Wait, aheadPs: number, roots: Weights): void {
    if (aheadPs <= 0) return
    const before = this.before
    before.clear()
    const pausedPs = this.addPauses(hop.port * CLASSES + hop.trafficClass, hop.busyFromPs, hop.queuedPs, before)
    const owedPs = Math.min(pausedPs, aheadPs)
    for (let i = 0; i < before.count; i++) roots.add(before.originAt(i), (before.amountAt(i) * owedPs) / pausedPs)
    if (owedPs < aheadPs) roots.add(this.portOrigin(hop.port), aheadPs - owedPs)
  }

  /** Origin of most pauses that the queue of a port is owed to; NO_ORIGIN: less than half of it is. */
  owedTo(port: number, trafficClass: number, nowPs: number): number {
    const at = this.network.ports[port]!
    const portAndClass = port * CLASSES + trafficClass
    const before = this.before
    before.clear()
    const pausedPs = this.addPauses(portAndClass, this.rows[portAndClass * WIDTH + BUSY_FROM_PS]!, nowPs, before)
    const queuePs = (at.queue.bytesOf(trafficClass) * 8e12) / at.rateBps
    return pausedPs >= queuePs / 2 ? before.most : NO_ORIGIN
  }

  /** A port at which packets wait for others: of a switch, or of a host. */
  portOrigin(port: number): number {
    const known = this.portOrigins[port]!
    if (known !== NO_ORIGIN) return known
    const { node, index } = this.network.ports[port]!
    const isHost = (this.network.switches[node] ?? null) === null
    return (this.portOrigins[port] = this.origins.numberOf(isHost ? 'nic' : 'switch', node, index))
  }

  /** Whether a port's class has ever been paused: else the root of each wait there is the port. */
  isPausable(portAndClass: number): boolean {
    return this.pauses[portAndClass] !== undefined
  }

  /** Where most of a wait began. */
  rootOf(hop: Wait): number {
    const { port, trafficClass, startPs, queuedPs, busyFromPs } = hop
    const spans = this.pauses[port * CLASSES + trafficClass]
    if (spans === undefined || spans.within(busyFromPs, startPs) === 0) return this.portOrigin(port)
    const roots = this.roots
    roots.clear()
    const pausedPs = this.addPauses(port * CLASSES + trafficClass, queuedPs, startPs, roots)
    this.addQueue(hop, startPs - queuedPs - pausedPs, roots)
    const origin = roots.most
    return origin === NO_ORIGIN ? this.portOrigin(port) : origin
  }
}
