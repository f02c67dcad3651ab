/**
 * HOT. Pair ports: the ports that a queue pair uses where a host has several, and which of them its next packet takes.
 * bound: one, its home, or another while that is down. spray: each packet the next one, round robin. least-queue: a NIC keeps
 * no packets queued at its ports, so the port that is free first takes the next packet. While no port is usable, data wait.
 * Shapes: by port of the sending host (`forward`) and of the receiving one (`back`): destination endpoint of packets
 * from that port, or -1 where there is none.
 * A queue pair has an entry in the round robin of each port, which is not ready while another port is due.
 */
import { NEVER_PS } from '../../base/params.ts'
import type { PacketSpace } from '../../transport/send/packet-space.ts'
import type { HostPort, PortsOfPair, PortTables, QueuePair, Lane } from '../pairs/queue-pair.ts'
import type { RoundRobinEntry } from '../pairs/round-robin-entry.ts'

type PortChoice = 'bound' | 'spray' | 'least-queue'

export class PortEntry implements RoundRobinEntry {
  readonly pair: QueuePair
  readonly sender: PacketSpace
  readonly trafficClass: number
  index = -1

  constructor(pair: QueuePair) {
    this.pair = pair
    this.sender = pair.sender
    this.trafficClass = pair.trafficClass
  }
}

export class PairPorts implements PortsOfPair {
  readonly choice: PortChoice
  /** Port of the sending host that it is bound to while that port is usable. */
  readonly home: number
  private readonly pair: QueuePair
  private readonly nics: readonly HostPort[]
  private readonly backNics: readonly HostPort[]
  private readonly entries: readonly PortEntry[]
  private tables: PortTables
  /** Port of the next packet; least-queue: any. */
  private due: number

  /**
   * @param nics of the sending host, by port.
   * @param backNics of the receiving host, by port.
   */
  constructor(
    pair: QueuePair,
    options: {
      readonly choice: PortChoice
      readonly home: number
      readonly nics: readonly HostPort[]
      readonly backNics: readonly HostPort[]
      readonly tables: PortTables
    },
  ) {
    this.pair = pair
    this.choice = options.choice
    this.home = options.home
    this.nics = options.nics
    this.backNics = options.backNics
    this.tables = options.tables
    this.entries = options.nics.map(() => new PortEntry(pair))
    this.due = options.home
    this.settle(this.home)
  }

  /** An entry of it is ready at some port. */
  get isWaiting(): boolean {
    return this.entries.some(({ index }) => index >= 0)
  }

  /** Lanes that its next data packet may take; none while no port is usable. For checkers. */
  nextLanes(): Lane[] {
    const due = this.nics.filter(({ local }) => this.isDue(local))
    return due.map(({ position, local }) => ({ from: position, to: this.endpointFrom(local, 0) }))
  }

  /** Endpoint that a packet from this port of its host goes to; where no path leads on from there, the one it would go to. */
  endpointFrom(port: number, isBack: 0 | 1): number {
    const endpoint = isBack === 0 ? this.tables.forward[port]! : this.tables.back[port]!
    if (endpoint >= 0) return endpoint
    const others = isBack === 0 ? this.backNics : this.nics
    return others[port % others.length]!.position
  }

  /** The NIC that sends a control packet: this one, if its port is usable. */
  nicFor(nic: HostPort, isBack: 0 | 1): HostPort {
    const endpoints = isBack === 0 ? this.tables.forward : this.tables.back
    if (endpoints[nic.local]! >= 0) return nic
    const usable = endpoints.findIndex((endpoint) => endpoint >= 0)
    return usable < 0 ? nic : (isBack === 0 ? this.nics : this.backNics)[usable]!
  }

  /** Has its ports look for a packet to send. */
  kick(): void {
    const { nics, entries } = this
    for (let port = 0; port < entries.length; port++) if (entries[port]!.index >= 0) nics[port]!.kick()
  }

  /** Brings its entries up to date. */
  refresh(): void {
    const { entries } = this
    for (let port = 0; port < entries.length; port++) this.entry(port)
  }

  /** A packet of it is about to leave by a port. */
  afterSend(): void {
    if (this.choice === 'spray') this.due = this.nextUsable(this.due + 1)
    this.refresh()
  }

  /** Ports have gone down or come back. @param stays it keeps its present port while that is usable. */
  move(tables: PortTables, stays: boolean): void {
    this.tables = tables
    this.settle(stays ? this.due : this.home)
    this.refresh()
    this.kick()
  }

  private settle(wanted: number): void {
    this.due = this.nextUsable(wanted)
    const { pair } = this
    const from = this.nics[this.due]!
    pair.source = from.position
    pair.destination = this.endpointFrom(this.due, 0)
  }

  /** The first usable port from `wanted` on, wrapping around; `wanted` where none is usable. */
  private nextUsable(wanted: number): number {
    const ports = this.entries.length
    for (let i = 0; i < ports; i++) {
      const port = (wanted + i) % ports
      if (this.tables.forward[port]! >= 0) return port
    }
    return wanted % ports
  }

  /** A path leads on from the port, and it is the next packet's, or may be. */
  private isDue(port: number): boolean {
    return this.tables.forward[port]! >= 0 && (this.choice === 'least-queue' || port === this.due)
  }

  private entry(port: number): void {
    const entry = this.entries[port]!
    const nic = this.nics[port]!
    if (this.isDue(port)) {
      nic.updateEntry(entry)
      return
    }
    if (entry.index < 0) return
    // An entry that is done leaves; any other waits until the port is due.
    if (entry.sender.isIdle || entry.sender.isFailed) nic.updateEntry(entry)
    else nic.putOff(entry, NEVER_PS)
  }
}
