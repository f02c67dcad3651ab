/**
 * Hosts with several links in the HPCC family: each link is a port of its host, as in rocelab. The simulators choose the
 * port of a queue pair by other rules, and the notes of an import say how.
 * Source: GetNicIdxOfQp, GetNicIdxOfRxQp and RedistributeQp of RdmaHw, CalculateRoute; those of SimAI also distinguish GPUs of one server.
 * Deviates: the hash of the simulators is not reproduced, as its candidates are in the order of heap addresses.
 */
import { idName } from '../../base/device-names.ts'
import type { Ns3Flow } from './flows.ts'
import { neighboursOf, type Ns3Topology } from './topology.ts'
import { plural, type Findings } from '../text-input.ts'

/** Hosts with more than one link, ascending. */
export function hostsOfSeveralPorts(topology: Ns3Topology): number[] {
  const neighbours = neighboursOf(topology)
  return topology.hosts.filter((host) => neighbours[host]!.length > 1)
}

/** Notes how the links of hosts with several are used. @param flows undefined if the file defines none */
export function noteHostPorts(topology: Ns3Topology, flows: readonly Ns3Flow[] | undefined, findings: Findings): void {
  noteNvlinks(topology, flows, findings)
  const several = hostsOfSeveralPorts(topology)
  if (several.length === 0) return
  const which = several.length === 1 ? idName(several[0]!) : `${idName(several[0]!)} to ${idName(several.at(-1)!)}`
  findings.note(
    `${plural(several.length, 'host')} with several links (${which}), each of which is a port: in that simulator a QP takes one of ` +
      'the ports that begin a shortest path, by a hash of its addresses and UDP ports, its ACKs likewise, and switches ' +
      'send its packets to any port of the other host; in rocelab the QPs of a host take its ports in turn (nic.portChoice: ' +
      'bound), to the port of the same number at the other host, or the next one that can be reached, and ACKs follow ' +
      'the same rule from the port at which their packet came in',
  )
  findings.note(
    'a host with several ports has one address in that simulator, and one for each port in rocelab: ECMP hashes differ for all but its first port',
  )
  if (flows === undefined) {
    findings.note(
      'if the ports of a host are not equally far from another host, that simulator uses only the nearest, and rocelab all',
    )
    return
  }
  const longer = flowsOnDetours(topology, flows)
  if (longer > 0)
    findings.note(
      `${plural(longer, 'flow')} of ${flows.length} ${longer === 1 ? 'takes' : 'take'} a longer path in rocelab: no shortest path joins the ports that ${longer === 1 ? 'its QP has' : 'their QPs have'}`,
    )
}

/**
 * SimAI: a QP within a server takes a link to an NVSwitch, any other QP one to the network (GetNicIdxOfQp). No choice of
 * ports in rocelab depends on the other host, so that the NVLinks of hosts on the network are left out.
 */
function noteNvlinks(
  { file, nvlinksLeft, gpusPerServer }: Ns3Topology,
  flows: readonly Ns3Flow[] | undefined,
  findings: Findings,
): void {
  if (nvlinksLeft === 0) return
  const serverOf = (node: number): number => Math.floor(node / gpusPerServer)
  const within = flows?.filter(({ sourceId, destinationId }) => serverOf(sourceId) === serverOf(destinationId)).length
  const rest =
    within === undefined
      ? 'flows within a server use the network'
      : within === 0
        ? `none of the ${plural(flows!.length, 'flow')} is within a server, so no NVLink would be used`
        : `${plural(within, 'flow')} of ${flows!.length} within a server ${within === 1 ? 'uses' : 'use'} the network, at its rates and delays`
  findings.note(
    `${file}: ${plural(nvlinksLeft, 'link')} to NVSwitches left out, as the hosts also have links to the network: in that simulator flows ` +
      `between the ${gpusPerServer} GPUs of a server use the NVSwitch and all others the network, while in rocelab the QPs of a host take its ports in ` +
      `turn, whatever their destination; ${rest}`,
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
