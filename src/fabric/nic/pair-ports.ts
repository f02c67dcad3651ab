/**
 * HOT. Pair ports: the ports that a queue pair uses where a host has several, and which of them its next packet takes.
 * bound: one, its home, or another while that is down. spray: each packet the next one in turn. least-queue: a NIC keeps
 * no packets queued at its ports, so the port that is free first takes the next packet.
 * Shapes: by port of the sending host (`forward`) and of the receiving one (`back`): the endpoint at the other host that
 * packets from there go to, or -1 where there is none.
 * A seat is the queue pair's entry in the turn of one port: it is ready there or, while another port is due, not.
 */
import { NEVER_PS } from '../../base/params.ts'
import type { PacketSpace } from '../../transport/send/packet-space.ts'
import type { HostPort, PortsOfPair, PortTables, QueuePair } from './queue-pair.ts'
import type { RoundRobinEntry } from './round-robin.ts'

export type PortChoice = 'bound' | 'spray' | 'least-queue'

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
  /** Port of the sending host that it is bound to while that can be used. */
  readonly home: number
  private readonly pair: QueuePair
  private readonly nics: readonly HostPort[]
  private readonly backNics: readonly HostPort[]
  private readonly seats: readonly PortEntry[]
  private tables: PortTables
  /** Port that the next packet takes; least-queue: any. */
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
    this.seats = options.nics.map(() => new PortEntry(pair))
    this.due = options.home
    this.settle(this.home)
  }

  /** It has something to send. */
  get isWaiting(): boolean {
    return this.seats.some(({ index }) => index >= 0)
  }

  /** Port of the sending host that its next packet takes. */
  get duePort(): number {
    return this.due
  }

  /** Whether packets may leave the sending host by a port. */
  isUsable(port: number): boolean {
    return this.tables.forward[port]! >= 0
  }

  /** Endpoint that a packet from this port of its host goes to. */
  endpointFrom(port: number, isBack: 0 | 1): number {
    const endpoint = isBack === 0 ? this.tables.forward[port]! : this.tables.back[port]!
    return endpoint >= 0 ? endpoint : isBack === 0 ? this.pair.destination : this.pair.source
  }

  /** The NIC that a control packet leaves by: this one, if it can. */
  nicFor(nic: HostPort, isBack: 0 | 1): HostPort {
    const endpoints = isBack === 0 ? this.tables.forward : this.tables.back
    if (endpoints[nic.local]! >= 0) return nic
    const usable = endpoints.findIndex((endpoint) => endpoint >= 0)
    return usable < 0 ? nic : (isBack === 0 ? this.nics : this.backNics)[usable]!
  }

  /** The ports look whether there is something to send. */
  kick(): void {
    const { nics, seats } = this
    for (let port = 0; port < seats.length; port++) if (seats[port]!.index >= 0) nics[port]!.kick()
  }

  /** Brings its seats up to date. */
  refresh(): void {
    const { seats } = this
    for (let port = 0; port < seats.length; port++) this.entry(port)
  }

  /** A packet of it is about to leave by a port. */
  afterSend(): void {
    if (this.choice === 'spray') this.due = this.nextUsable(this.due + 1)
    this.refresh()
  }

  /** Ports have gone down or come back. @param stays it keeps the port that it has while it can. */
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

  /** The first port from this one on, going round, that can be used; the wanted one where none can. */
  private nextUsable(wanted: number): number {
    const ports = this.seats.length
    for (let i = 0; i < ports; i++) {
      const port = (wanted + i) % ports
      if (this.tables.forward[port]! >= 0) return port
    }
    return wanted % ports
  }

  private entry(port: number): void {
    const entry = this.seats[port]!
    const nic = this.nics[port]!
    const isDue = this.choice === 'least-queue' ? this.tables.forward[port]! >= 0 : port === this.due
    if (isDue) {
      nic.updateEntry(entry)
      return
    }
    if (entry.index < 0) return
    // One that is done leaves; another waits until the port is due.
    if (entry.sender.isIdle || entry.sender.isFailed) nic.updateEntry(entry)
    else nic.putOff(entry, NEVER_PS)
  }
}
