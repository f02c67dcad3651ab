/**
 * Hosts with several links in the HPCC family: each link is a port of its host, as in rocelab. The simulators choose the
 * port of a queue pair by other rules, and the notes of an import say how.
 * Source: GetNicIdxOfQp, GetNicIdxOfRxQp and RedistributeQp of RdmaHw, CalculateRoute; those of SimAI also distinguish GPUs of one server.
 * Deviates: the hash of the simulators is not reproduced, as its candidates are in the order of heap addresses.
 */
import { idName } from '../../core/base/device-names.ts'
import { importFindings } from '../../core/findings/index.ts'
import type { Ns3Flow } from './flows.ts'
import { neighboursOf, type Ns3Topology } from './topology.ts'
import type { ImportLog } from '../text-input.ts'

/** Hosts with more than one link, ascending. */
export function hostsOfSeveralPorts(topology: Ns3Topology): number[] {
  const neighbours = neighboursOf(topology)
  return topology.hosts.filter((host) => neighbours[host]!.length > 1)
}

/** Notes how the links of hosts with several are used. @param flows undefined if the file defines none */
export function noteHostPorts(topology: Ns3Topology, flows: readonly Ns3Flow[] | undefined, log: ImportLog): void {
  noteNvlinks(topology, flows, log)
  const several = hostsOfSeveralPorts(topology)
  if (several.length === 0) return
  log.note(
    importFindings.differs('host-ports', {
      hosts: several.length,
      first: idName(several[0]!),
      last: idName(several.at(-1)!),
    }),
  )
  log.note(importFindings.differs('host-addresses', {}))
  if (flows === undefined) {
    log.note(importFindings.differs('nearest-ports', {}))
    return
  }
  const longer = flowsOnDetours(topology, flows)
  if (longer > 0) log.note(importFindings.differs('longer-paths', { flows: longer, of: flows.length }))
}

/**
 * SimAI: a QP within a server takes a link to an NVSwitch, any other QP one to the network (GetNicIdxOfQp). No choice of
 * ports in rocelab depends on the other host, so that the NVLinks of hosts on the network are left out.
 */
function noteNvlinks(
  { file, nvlinksLeft, gpusPerServer }: Ns3Topology,
  flows: readonly Ns3Flow[] | undefined,
  log: ImportLog,
): void {
  if (nvlinksLeft === 0) return
  const serverOf = (node: number): number => Math.floor(node / gpusPerServer)
  const within = flows?.filter(({ sourceId, destinationId }) => serverOf(sourceId) === serverOf(destinationId)).length
  log.note(
    importFindings.differs(
      'nvlinks',
      { links: nvlinksLeft, gpusPerServer, flows: flows?.length ?? null, flowsWithin: within ?? null },
      { file },
    ),
  )
}

/** Number of flows whose port is not on a shortest path between their hosts. */
function flowsOnDetours(topology: Ns3Topology, flows: readonly Ns3Flow[]): number {
  const hops = new PortHops(topology)
  const opened = new Map<number, number>()
  let longer = 0
  for (const { sourceId, destinationId } of flows) {
    const ordinal = opened.get(sourceId) ?? 0
    opened.set(sourceId, ordinal + 1)
    const taken = hops.taken(sourceId, destinationId, ordinal)
    if (taken > hops.shortest(sourceId, destinationId)) longer++
  }
  return longer
}

/** Number of links on the shortest path between a port of one host and a port of another; Infinity if there is none. */
class PortHops {
  readonly #isSwitch: ReadonlySet<number>
  readonly #neighbours: readonly (readonly number[])[]
  /** Per switch, number of links from there to each node. */
  readonly #from = new Map<number, Float64Array>()

  constructor(topology: Ns3Topology) {
    this.#isSwitch = new Set(topology.switches)
    this.#neighbours = neighboursOf(topology)
  }

  shortest(source: number, destination: number): number {
    let least = Infinity
    for (let port = 0; port < this.#neighbours[source]!.length; port++) {
      for (let far = 0; far < this.#neighbours[destination]!.length; far++)
        least = Math.min(least, this.#between(source, port, destination, far))
    }
    return least
  }

  /** Path as rocelab chooses ports: the `ordinal`-th QP of a host starts at that port, and takes the first that reaches. */
  taken(source: number, destination: number, ordinal: number): number {
    const ports = this.#neighbours[source]!.length
    const others = this.#neighbours[destination]!.length
    for (let i = 0; i < ports; i++) {
      const port = (ordinal + i) % ports
      for (let j = 0; j < others; j++) {
        const links = this.#between(source, port, destination, (port + j) % others)
        if (links < Infinity) return links
      }
    }
    return Infinity
  }

  #between(source: number, port: number, destination: number, far: number): number {
    const near = this.#neighbours[source]![port]!
    const last = this.#neighbours[destination]![far]!
    if (near === destination && last === source) return 1
    if (!this.#isSwitch.has(near) || !this.#isSwitch.has(last)) return Infinity
    return 2 + this.#linksFrom(near)[last]!
  }

  /** Breadth first over switches: hosts do not forward. */
  #linksFrom(start: number): Float64Array {
    const known = this.#from.get(start)
    if (known !== undefined) return known
    const links = new Float64Array(this.#neighbours.length).fill(Infinity)
    links[start] = 0
    const queue = [start]
    for (const node of queue) {
      for (const next of this.#neighbours[node]!) {
        if (links[next]! < Infinity || !this.#isSwitch.has(next)) continue
        links[next] = links[node]! + 1
        queue.push(next)
      }
    }
    this.#from.set(start, links)
    return links
  }
}
