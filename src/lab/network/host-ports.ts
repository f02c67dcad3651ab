/**
 * Host ports: which ports the queue pairs between two hosts use, where hosts have several, and where they move when the
 * link of a port goes down or comes back.
 * The i-th queue pair that a host opens has port i modulo the number of its ports as home. From port i packets go to port
 * i of the other host; where that is down, or on another fabric, to the next one that can be reached. A queue pair that is
 * bound to its home has one port at each end, both ways.
 * Port states are read when routes are recomputed: `converge` after a link went down or came back. Lanes and line rates
 * are those of the network as built, with all links up.
 */
import { leastOf, mostOf } from '../../core/base/extremes.ts'
import type { Network } from '../../core/fabric/network.ts'
import { PairPorts } from '../../core/fabric/nic/pair-ports.ts'
import type { PortTables } from '../../core/fabric/pairs/queue-pair.ts'
import type { PortNic } from '../../core/fabric/nic/port-nic.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Routes } from '../../core/topology/routes.ts'
import type { Topology } from '../../core/topology/topology.ts'

/** Hosts and home port of a queue pair, by index. */
export interface Ends {
  readonly source: number
  readonly destination: number
  /** Port of the host that opened the queue pair. */
  readonly home: number
  /** The other host opened it: these data go back to that one's port. Absent: the source did. */
  readonly isAnswer?: boolean
}

/** Endpoints at both ends of a lane, and the one that answers to its packets go to; -1 where no path exists. */
export interface Lane {
  readonly from: number
  readonly to: number
  readonly answer: number
}

export class HostPorts {
  readonly isSeveral: boolean
  /** Host of each endpoint. */
  readonly hostOf: Int32Array
  readonly #network: Network
  readonly #topology: Topology
  readonly #nic: Scenario['nic']
  #routes: Routes
  readonly #builtRoutes: Routes
  /** Number of queue pairs that each host has opened. */
  readonly #opened: number[]
  readonly #hosts = new Map<QueuePair, Ends>()
  /** By source host * hosts + destination host; emptied when routes change. */
  readonly #tables = new Map<number, PortTables>()
  /** The same with all links up. */
  readonly #builtTables = new Map<number, PortTables>()

  constructor(nic: Scenario['nic'], network: Network, topology: Topology, routes: Routes) {
    this.#nic = nic
    this.#network = network
    this.#topology = topology
    this.#routes = routes
    this.#builtRoutes = routes
    this.isSeveral = topology.hostPorts.some((ports) => ports.length > 1)
    this.#opened = topology.hostPorts.map(() => 0)
    if (this.isSeveral) network.pairs.onRelease.push((pair) => this.#hosts.delete(pair))
    this.hostOf = new Int32Array(topology.endpoints.length)
    topology.hostPorts.forEach((ports, host) => {
      for (const endpoint of ports) this.hostOf[endpoint] = host
    })
  }

  /** How a queue pair chooses among its host's ports; one port leaves no choice. */
  get portChoice(): Scenario['nic']['portChoice'] {
    return this.isSeveral ? this.#nic.portChoice : 'bound'
  }

  /** Whether packets of one queue pair take several ports. */
  get isSpread(): boolean {
    return this.portChoice !== 'bound'
  }

  /** Home port of the next queue pair that a host opens. */
  nextHome(host: number): number {
    return this.#opened[host]!++ % this.portCount(host)
  }

  /** Home port of a queue pair that a host opens for this port; -1: for none. */
  homeOf(host: number, port: number): number {
    return port < 0 ? this.nextHome(host) : port % this.portCount(host)
  }

  portCount(host: number): number {
    return this.#topology.hostPorts[host]!.length
  }

  /** Endpoint of a host's port, modulo the number of its ports. */
  endpoint(host: number, port: number): number {
    const ports = this.#topology.hostPorts[host]!
    return ports[port % ports.length]!
  }

  /** Whether packets go from one endpoint to another while all links are up. */
  isUsed(from: number, to: number): boolean {
    if (!this.isSeveral) return true
    const [source, destination] = [this.hostOf[from]!, this.hostOf[to]!]
    const { forward, back } = this.#builtTablesOf(source, destination)
    const portOf = (host: number, endpoint: number): number => this.#topology.hostPorts[host]!.indexOf(endpoint)
    return source !== destination && (forward[portOf(source, from)] === to || back[portOf(destination, to)] === from)
  }

  /** Whether a path joins two endpoints, by the routes in use. */
  isJoined(from: number, to: number): boolean {
    return this.#hasPath(this.#routes, from, to)
  }

  /**
   * Line rate of a queue pair: the fastest that the ports of its lanes let it send. `spray` takes them in turn and waits for
   * each, so that all carry what the slowest does; `least-queue` fills each.
   */
  rateBps(ends: Ends): number {
    // Asked for with each queue pair.
    if (!this.isSeveral) return this.#network.nics[this.endpoint(ends.source, 0)]!.port.rateBps
    const ratesBps = this.lanes(ends).map(({ from }) => this.#network.nics[from]!.port.rateBps)
    return lineRateBps(ratesBps, this.portChoice)
  }

  /** Sum of the rates of a host's ports. */
  hostRateBps(host: number): number {
    return this.#topology.hostPorts[host]!.reduce((sum, at) => sum + this.#network.nics[at]!.port.rateBps, 0)
  }

  /** Most that all queue pairs of a host send together. */
  mostBps(host: number): number {
    const { nics } = this.#network
    const ratesBps = this.#topology.hostPorts[host]!.map((at) => nics[at]!.port.rateBps)
    return this.portChoice === 'spray' ? mostLineRateBps(ratesBps, 'spray') : this.hostRateBps(host)
  }

  /**
   * Lanes that data between two hosts may take, with all links up: from the home port, or from every port. `to` is -1 where
   * no path exists.
   */
  lanes(ends: Ends): Lane[] {
    const { source, destination } = ends
    const { forward, back, home } = this.#bound(ends, (from, to) => this.#builtTablesOf(from, to))
    const ports = this.#topology.hostPorts
    const lanes = [...forward].map((to, port): Lane => {
      const answer = to < 0 ? -1 : back[ports[destination]!.indexOf(to)]!
      return { from: this.endpoint(source, port), to, answer }
    })
    if (this.isSpread) {
      const usable = lanes.filter(({ to }) => to >= 0)
      if (usable.length > 0) return usable
    }
    const count = lanes.length
    for (let i = 0; i < count; i++) {
      const lane = lanes[(home + i) % count]!
      if (lane.to >= 0) return [lane]
    }
    return [lanes[home % count]!]
  }

  /** Gives a new queue pair its ports. */
  attach(pair: QueuePair, ends: Ends): void {
    if (!this.isSeveral) return
    const nicsOf = (host: number): PortNic[] =>
      this.#topology.hostPorts[host]!.map((endpoint) => this.#network.nics[endpoint] as PortNic)
    pair.ports = new PairPorts(pair, {
      choice: this.#nic.portChoice,
      home: this.#bound(ends, (from, to) => this.#builtTablesOf(from, to)).home,
      nics: nicsOf(ends.source),
      backNics: nicsOf(ends.destination),
      tables: this.#bound(ends, (from, to) => this.#tablesOf(from, to)),
    })
    this.#hosts.set(pair, ends)
  }

  /** Moves queue pairs after routes have changed. @param onMove called for each of them */
  onRoutes(routes: Routes, onMove: (pair: QueuePair) => void): void {
    this.#routes = routes
    if (!this.isSeveral || this.#nic.portDown === 'stay') return
    this.#tables.clear()
    for (const [pair, ends] of this.#hosts) {
      const tables = this.#bound(ends, (from, to) => this.#tablesOf(from, to))
      pair.ports!.move(tables, this.#nic.portUp === 'stay')
      onMove(pair)
    }
    for (const nic of this.#network.nics) if (!nic.port.isUp) (nic as PortNic).moveControl()
  }

  /** Hosts and home port of a queue pair, where a host has several; undefined: none has. */
  endsOf(pair: QueuePair): Ends | undefined {
    return this.#hosts.get(pair)
  }

  /** Tables of a queue pair, and its home port at the source of its data: bound to a port, what comes back comes back to that. */
  #bound(ends: Ends, tablesOf: (from: number, to: number) => PortTables): PortTables & { readonly home: number } {
    const { source, destination, isAnswer = false } = ends
    const [opener, peer] = isAnswer ? [destination, source] : [source, destination]
    const { forward, back } = tablesOf(opener, peer)
    const count = this.portCount(opener)
    const wanted = ends.home % count
    const used = [...forward.keys()].map((i) => (wanted + i) % count).find((port) => forward[port]! >= 0)
    if (this.isSpread || used === undefined)
      return isAnswer
        ? { forward: back, back: forward, home: wanted % this.portCount(peer) }
        : { forward, back, home: wanted }
    const port = this.#topology.hostPorts[peer]!.indexOf(forward[used]!)
    // Without a path back packets go where they would.
    const returning = back[port]! < 0 ? back : back.with(port, this.endpoint(opener, used))
    return isAnswer ? { forward: returning, back: forward, home: port } : { forward, back: returning, home: wanted }
  }

  #tablesOf(source: number, destination: number): PortTables {
    return this.#known(this.#tables, source, destination, (from, to) => this.#isUsable(from, to))
  }

  #builtTablesOf(source: number, destination: number): PortTables {
    return this.#known(this.#builtTables, source, destination, (from, to) => this.#hasPath(this.#builtRoutes, from, to))
  }

  #known(tables: Map<number, PortTables>, source: number, destination: number, isJoined: Joined): PortTables {
    const key = source * this.#opened.length + destination
    let found = tables.get(key)
    if (found === undefined) {
      const forward = this.#endpointsFrom(source, destination, isJoined)
      found = { forward, back: this.#endpointsFrom(destination, source, isJoined) }
      tables.set(key, found)
    }
    return found
  }

  /** By port of `host`: the endpoint of `other` that packets from there go to, or -1. */
  #endpointsFrom(host: number, other: number, isJoined: Joined): Int32Array {
    const { hostPorts } = this.#topology
    const others = hostPorts[other]!
    return Int32Array.from(hostPorts[host]!, (endpoint, port) => {
      const there = others.map((_, i) => others[(port + i) % others.length]!)
      return there.find((to) => isJoined(endpoint, to)) ?? -1
    })
  }

  /** Both ports are up, and a path joins them; queue pairs that stay look at neither, and use the ports of the whole network. */
  #isUsable(from: number, to: number): boolean {
    if (this.#nic.portDown === 'stay') return this.#hasPath(this.#builtRoutes, from, to)
    const { nics } = this.#network
    return nics[from]!.port.isUp && nics[to]!.port.isUp && this.isJoined(from, to)
  }

  #hasPath(routes: Routes, from: number, to: number): boolean {
    return routes.listAt(this.#topology.endpoints[from]!, to) >= 0
  }
}

/** Whether packets from one endpoint reach another. */
type Joined = (from: number, to: number) => boolean

/** Line rate of a queue pair with lanes from ports of these rates. */
export function lineRateBps(ratesBps: readonly number[], choice: Scenario['nic']['portChoice']): number {
  if (choice === 'spray') return ratesBps.length * leastOf(ratesBps)
  return ratesBps.reduce((sum, rateBps) => sum + rateBps, 0)
}

/** Highest line rate of a queue pair of a host with such ports, of which some may not reach its peer. */
export function mostLineRateBps(ratesBps: readonly number[], choice: Scenario['nic']['portChoice']): number {
  const fastest = ratesBps.toSorted((a, b) => b - a)
  if (choice === 'bound') return fastest[0]!
  return mostOf(fastest.map((_, i) => lineRateBps(fastest.slice(0, i + 1), choice)))
}
