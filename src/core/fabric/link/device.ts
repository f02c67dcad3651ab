/**
 * Devices as their ports see them: the calls that links, ports and cut-through make on the switch or NIC behind a port.
 * Switch and Nic have them; these types stand below both, so that neither side imports the other.
 * Port numbers are those of the fabric, local ones (`input`, `out`) index `ports`. Units: bytes of frames, picoseconds.
 */

/** A port as its transmitter and the device behind it see it. */
export interface DevicePort {
  readonly id: number
  /** Local index at its device. */
  readonly index: number
  readonly rateBps: number
  /** Node of its device. */
  readonly node: number
  /** Serialization time by frame bytes. */
  readonly transmitPs: Float64Array
  /** The switch that it belongs to; null at a host. */
  readonly at: SwitchDevice | null
  /** The first of its PFC frames that wait. */
  takePfc(): number
}

export interface SwitchDevice<P extends DevicePort = DevicePort> {
  readonly node: number
  readonly latencyPs: number
  readonly ports: readonly P[]
  /** Pauses that it has sent and not ended, over ports and classes. */
  xoffCount: number
  /** Bytes charged to the buffer that are not in an egress queue yet. */
  pipelineBytes: number
  /** A port has another scheduler or marking rule now. */
  onPortChange(port: P): void
  /** Packets that leave are counted from now on. */
  countDepartures(): void
  /** A frame has arrived whole. */
  receive(packet: number, input: number): void
  /** A packet has spent the switch's latency. */
  leavePipeline(packet: number): void
  trafficClassOf(packet: number): number
  /** Local port that a packet leaves by, or -1. */
  pathOf(packet: number): number
  /** Charges the buffer. @returns the packet's class from then on; negative: it was dropped. */
  admit(packet: number, input: number, trafficClass: number, out: number): number
  /** Admits a classified packet whose next hop is known and sends it on. */
  take(packet: number, input: number, trafficClass: number, out: number): void
  /** Queues an admitted packet at its port. */
  forward(packet: number, trafficClass: number, out: number): void
  /** Drops an admitted packet. */
  discard(packet: number, port: number, trafficClass: number, reason: number): void
  /** The packet that a free port sends next, or -1. */
  nextPacket(port: number): number
  /** A packet is about to leave by a port. */
  depart(port: number, packet: number, trafficClass: number): void
  /** A transmission has ended. */
  onSent(port: number): void
  /** Whether a transmission's end has to be an event, because something is charged until then. */
  isHolding(port: number): boolean
}

/** The port of a NIC, as the NIC sees it. */
export interface NicPort {
  /** The NIC may have a packet to send. */
  kick(port: number): void
  /** Time on the link of a frame that came in by the port. */
  flightPs(port: number, sizeBytes: number): number
}

export interface NicDevice {
  readonly node: number
  /** Endpoint of its port. */
  readonly position: number
  nextPacket(port: number): number
  /** Whether a packet could be sent, now or later, without another event before. */
  hasWaiting(): boolean
  /** A packet has passed the host stack. */
  leaveStack(packet: number): void
}
