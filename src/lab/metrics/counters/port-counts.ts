/**
 * HOT (onStart). Port counts: packets and bytes that each port sends and receives by class, and what it drops.
 * Sent: when the first bit leaves. Received: when the last bit is in, after the link's faults and before the device decides:
 * what the other end has sent, without what was lost on the way or is on the link, so that nothing is done per arrival. Only
 * where switches have different maps of classes, so that a packet may arrive in another class than it left in, is each
 * arrival counted.
 * Shape: doubles by port and class, [port * 8 + class], and FIELDS of ports.
 */
import { INTS } from '../../../core/base/memory.ts'
import { DROP_BUFFER, DROP_FCS, DROP_LINK_DOWN, DROP_LOSS, DROP_NIC, DROP_WRED } from '../../../core/fabric/counters.ts'
import type { Departures } from '../../../core/fabric/link/departures.ts'
import type { Network } from '../../../core/fabric/network.ts'
import { AT, DIRECTION, ECN, isOnLink, KIND, PFC, SIZE } from '../../../core/fabric/packets.ts'
import type { FrameWatch, Watch, WatchdogEvent, WatchdogRow } from '../../../core/fabric/watch.ts'
import { CE, CNP, DATA, NAK, RNR_NAK } from '../../../core/transport/segment.ts'
import { CLASSES } from '../pauses/classes.ts'

const ints = INTS

/** Fields of a port. */
export const CRC_ERRORS = 0
export const DROP_IN_PORT = 1
export const LINK_DOWNS = 2
/** Only at hosts: marked packets, CNPs, NAKs and RNR NAKs that were sent to it, and CNPs that it sent. */
export const ECN_SEEN = 3
export const CNP_RECEIVED = 4
export const NAKS_RECEIVED = 5
export const RNR_NAKS_RECEIVED = 6
export const CNP_SENT = 7
const FIELD_BITS = 3

/** Drops on arrival that no counter of a device has (a lost frame), or that are not on arrival. */
const UNCOUNTED: readonly number[] = [DROP_LOSS, DROP_FCS, DROP_LINK_DOWN, DROP_WRED]

interface ArrivalPort {
  readonly id: number
}

/** Packets and bytes by port and class. */
class Amounts {
  readonly packets: Float64Array
  readonly bytes: Float64Array

  constructor(ports: number) {
    this.packets = new Float64Array(ports * CLASSES)
    this.bytes = new Float64Array(ports * CLASSES)
  }

  add(port: number, trafficClass: number, packet: number): void {
    const at = port * CLASSES + trafficClass
    this.packets[at]! += 1
    this.bytes[at]! += ints[packet | SIZE]!
  }
}

export class PortCounts implements FrameWatch, Watch {
  readonly sent: Departures
  readonly dropIn: Float64Array
  readonly dropOut: Float64Array
  readonly storms: Float64Array
  readonly restores: Float64Array
  readonly #byPort: Float64Array
  readonly #network: Network
  /** By port: 1 at a host. */
  readonly #isHost: Uint8Array
  readonly #otherEnd: Int32Array
  /** By port that they were on their way to, in the class in which they were sent. */
  readonly #lost: Amounts
  readonly #onLink: Amounts
  /** Counted one by one; null: all switches have one map. */
  readonly #arrived: Amounts | null

  constructor(network: Network) {
    const { ports, fabric } = network
    const table = (): Float64Array => new Float64Array(ports.length * CLASSES)
    this.#network = network
    this.sent = fabric.openDepartures()
    this.dropIn = table()
    this.dropOut = table()
    this.storms = table()
    this.restores = table()
    this.#byPort = new Float64Array(ports.length << FIELD_BITS)
    this.#isHost = Uint8Array.from(ports, ({ nic }) => (nic === null ? 0 : 1))
    this.#otherEnd = Int32Array.from(ports, ({ peer }) => peer.id)
    this.#lost = new Amounts(ports.length)
    this.#onLink = new Amounts(ports.length)
    this.#arrived = hasOneMap(network) ? null : new Amounts(ports.length)
    for (const at of network.switches) at?.countDepartures()
    for (const port of ports) {
      port.openStats()
      // Hosts count nothing themselves, and what a host receives is known when it leaves its switch.
      if (port.nic !== null || port.peer.nic !== null) fabric.transmitter.watch(port.id, this)
      if (this.#arrived !== null) port.addIntake(this, true)
    }
    if (this.#arrived !== null) network.recordTargets()
  }

  ofPort(port: number, field: number): number {
    return this.#byPort[(port << FIELD_BITS) | field]!
  }

  /** Finds what is on the links now, for `received`. */
  read(): void {
    const { fabric } = this.#network
    this.#onLink.packets.fill(0)
    this.#onLink.bytes.fill(0)
    if (this.#arrived !== null) return
    for (const packet of fabric.packets.living()) {
      if (ints[packet | KIND] === PFC || !isOnLink(packet, fabric.queue.nowPs, fabric.queue.currentOrder)) continue
      const port = ints[packet | AT]!
      this.#onLink.add(port, this.#classSent(this.#otherEnd[port]!, packet), packet)
    }
  }

  /** Packets or bytes that a port had received at the last `read`. */
  received(port: number, trafficClass: number, unit: 'packets' | 'bytes'): number {
    const at = port * CLASSES + trafficClass
    if (this.#arrived !== null) return this.#arrived[unit][at]!
    const from = this.#otherEnd[port]! * CLASSES + trafficClass
    return this.sent[unit][from]! - this.#lost[unit][at]! - this.#onLink[unit][at]!
  }

  /** A host sends a frame, or a switch sends one to a host. */
  onStart(_nowPs: number, port: number, packet: number): void {
    const kind = ints[packet | KIND]!
    if (kind === PFC) return
    if (this.#isHost[port] !== 0) {
      this.sent.count(port, this.#classAtHost(port, packet, kind), packet)
      if (kind === CNP) this.#count(port, CNP_SENT, 1)
    }
    if (kind !== DATA || ints[packet | ECN] === CE) this.#countHeard(this.#otherEnd[port]!, packet, kind, 1)
  }

  /** A frame arrives: it is counted and let through. */
  takes(packet: number, { id }: ArrivalPort): boolean {
    if (ints[packet | KIND] !== PFC) this.#arrived!.add(id, this.#classIn(id, packet), packet)
    return false
  }

  onLinkLoss(port: number, reason: number, packet: number): void {
    if (reason === DROP_FCS) this.#count(port, CRC_ERRORS, 1)
    const kind = ints[packet | KIND]!
    if (kind === PFC) return
    this.#lost.add(port, this.#classSent(this.#otherEnd[port]!, packet), packet)
    if (kind !== DATA || ints[packet | ECN] === CE) this.#countHeard(port, packet, kind, -1)
  }

  onDrop(_nowPs: number, nodeId: number, reason: number, _direction: number, _sizeBytes: number, packet: number): void {
    if (ints[packet | KIND] === PFC) return
    if (reason === DROP_WRED) this.#dropOut(nodeId, packet)
    if (UNCOUNTED.includes(reason)) return
    const input = ints[packet | AT]!
    const isAtSwitch = (this.#network.switches[nodeId] ?? null) !== null
    const trafficClass = this.#classIn(input, packet)
    const isLossless = (this.#network.ports[input]!.lossless & (1 << trafficClass)) !== 0
    if (reason === DROP_BUFFER && isAtSwitch && !isLossless) return this.#dropOut(nodeId, packet)
    this.#count(input, DROP_IN_PORT, 1)
    if (reason === DROP_BUFFER || reason === DROP_NIC) this.dropIn[input * CLASSES + trafficClass]! += 1
  }

  onLink(_nowPs: number, portId: number, isUp: boolean): void {
    if (!isUp) this.#count(portId, LINK_DOWNS, 1)
  }

  onWatchdog(_nowPs: number, event: WatchdogEvent, _rule: string, { port, trafficClass }: WatchdogRow): void {
    if (event === 'storm') this.storms[port * CLASSES + trafficClass]! += 1
    if (event === 'restore') this.restores[port * CLASSES + trafficClass]! += 1
  }

  onPfcReceived(): void {}
  onPauseChanged(): void {}

  #count(port: number, field: number, more: number): void {
    this.#byPort[(port << FIELD_BITS) | field]! += more
  }

  /** A frame for a host: what its transport counts of it. */
  #countHeard(port: number, packet: number, kind: number, more: number): void {
    if (this.#isHost[port] === 0) return
    if (kind === DATA && ints[packet | ECN] === CE) this.#count(port, ECN_SEEN, more)
    else if (kind === CNP) this.#count(port, CNP_RECEIVED, more)
    else if (kind === NAK) this.#count(port, NAKS_RECEIVED, more)
    else if (kind === RNR_NAK) this.#count(port, RNR_NAKS_RECEIVED, more)
  }

  /** A lossy packet finds no room, or is dropped early: the longest queue of its class is taken for the one that it was for. */
  #dropOut(node: number, packet: number): void {
    const at = this.#network.switches[node]!
    const trafficClass = at.trafficClassOf(packet)
    let longest = at.ports[1]!
    for (const port of at.ports)
      if (port !== undefined && port.queue.bytesOf(trafficClass) > longest.queue.bytesOf(trafficClass)) longest = port
    this.dropOut[longest.id * CLASSES + trafficClass]! += 1
  }

  /** Class in which a packet was sent by a port. */
  #classSent(port: number, packet: number): number {
    return this.#isHost[port] === 0
      ? this.#network.ports[port]!.at!.trafficClassOf(packet)
      : this.#classAtHost(port, packet, ints[packet | KIND]!)
  }

  /** Class of a packet that has come in by a port: of hosts, by the map of the switch at the other end. */
  #classIn(port: number, packet: number): number {
    const { at, peer } = this.#network.ports[port]!
    return at !== null ? at.trafficClassOf(packet) : (peer.at?.trafficClassOf(packet) ?? 0)
  }

  /** Class by which a NIC sends a packet, and which pauses hold back there (nic.ts, queueSegment). */
  #classAtHost(port: number, packet: number, kind: number): number {
    const { pairs, nics, ports } = this.#network
    const pair = pairs.byNumber[ints[packet | DIRECTION]! >> 1]
    if (pair === undefined || pair === null) return this.#classIn(port, packet)
    if (kind === DATA) return pair.trafficClass
    const { options } = nics[ports[port]!.nic!.position]!
    if (kind === CNP) return options.cnpClass
    return options.ackClass < 0 ? pair.trafficClass : options.ackClass
  }
}

/** All switches derive the class of packets by one map. */
function hasOneMap({ switches }: Network): boolean {
  const maps = switches.flatMap((at) => (at === null ? [] : [at.classOf]))
  return maps.every((map) => map === maps[0] || map.every((c, codepoint) => c === maps[0]![codepoint]))
}
