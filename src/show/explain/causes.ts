/**
 * Causes: what made the slowest flows slow, by the time that they waited for it, as findings, the longest first. Where waits
 * begin comes from the autopsy (waits.ts); what kind of cause it is, from the network, its settings and the other flows.
 * Units: picoseconds.
 */
import {
  causeFindings as kinds,
  type Finding,
  foundAt,
  type Held,
  type Loud,
  runFindings,
  type Subject,
} from '../../core/findings/index.ts'
import { completionsOf, isExplained, numbersOf, type Result, tableOfKind } from '../../core/results/index.ts'
import type { NetworkGraph, ScenarioFacts } from '../reported-run.ts'
import { type Crowd, crowdsOf } from './crowd.ts'
import { type OriginWaits, Waits } from './waits.ts'

/** Drops on links that are up. */
const BIT_ERRORS = ['link loss', 'FCS error']
/** A slowdown from which a flow is slow: faster ones are not asked what held them. */
export const SLOW = 2
/** Share of the slowest flows' waiting from which a cause is named. */
const NAMED = 0.05
/** Share of the waits for a host that makes a storm of it. */
const STORM = 0.25
/** Flows that are looked at: the slowest hundredth, but no fewer, and all that did not finish. */
const SLOWEST_SHARE = 0.01
const SLOWEST_LEAST = 10
/** Rate of a switch towards lower tiers over that towards higher ones, from which the links up are too few. */
const OVERSUBSCRIBED = 1.5
/**
 * A host is loud that sends one receiver this share of what the receiver in the middle gets from all, this many times what
 * goes from one host to another in the middle, and not by the chance of a few large messages: (sum of sizes)^2 / sum of
 * squares, which is the number of messages if they are equal, is this or more.
 */
const LOUD = 0.5
const LOUD_PAIR = 2
const LOUD_MESSAGES = 4

/** Switches that pause each other for good, which holds everything up. */
export function circleOf({ pauseCircle }: Result): Finding[] {
  if (pauseCircle === null) return []
  const { nodes, trafficClass, sincePs, hosts = null, pairs = null } = pauseCircle
  return [foundAt(runFindings.deadlock, { trafficClass }, { nodes, trafficClass, sincePs, hosts, pairs })]
}

/** @param facts null: the network is not known: ports have no causes */
export function slowCauses(result: Result, facts: ScenarioFacts | null): Finding[] {
  if (!isExplained(result)) return []
  const waits = new Waits(result)
  const search = new Search(result, facts)
  const found = new Map<string, Finding>()
  for (const [whose, victims] of slowestFlows(result)) {
    const allPs = waits.of(victims)
    // The longest first.
    for (const origin of victims.size === 0 ? [] : hostsJoined(waits.origins(victims))) {
      const cause = origin.spanPs < NAMED * allPs ? undefined : search.causeOf(origin, whose, allPs)
      const key = JSON.stringify([cause?.id, cause?.subject])
      if (cause !== undefined && !found.has(key)) found.set(key, cause)
    }
  }
  return [...found.values()]
}

/**
 * The slowest measured flows, if they are slow at all, and those that did not finish: apart, as these wait up to the end and
 * would bury the others.
 */
function slowestFlows(result: Result): (readonly [Held['whose'], ReadonlySet<number>])[] {
  const { slowdown, completionPs } = completionsOf(result)
  const measured = numbersOf(result.flows, 'measured')
  const rows = [...slowdown.keys()].filter((row) => measured[row] === 1)
  const unfinished = rows.filter((row) => Number.isNaN(completionPs[row]))
  const finished = rows.filter((row) => slowdown[row]! > 0).toSorted((a, b) => slowdown[b]! - slowdown[a]!)
  const count = Math.max(SLOWEST_LEAST, Math.ceil(SLOWEST_SHARE * finished.length))
  const slow = finished.slice(0, count).filter((row) => slowdown[row]! >= SLOW)
  return [
    ['unfinished', new Set(unfinished)],
    ['slowest', new Set(slow)],
  ]
}

/** A host is one cause: a storm, if a quarter of the waits for it or more are of one. The longest first. */
function hostsJoined(origins: readonly OriginWaits[]): OriginWaits[] {
  const byHost = new Map<string, OriginWaits[]>()
  const others = origins.filter((origin) => {
    if (origin.kind !== 'host' && origin.kind !== 'storm') return true
    byHost.set(origin.name, [...(byHost.get(origin.name) ?? []), origin])
    return false
  })
  const hosts = [...byHost.values()].map((both): OriginWaits => {
    const parts = new Map<string, number>()
    for (const one of both) for (const [part, partPs] of one.parts) parts.set(part, (parts.get(part) ?? 0) + partPs)
    const spanPs = both.reduce((sum, one) => sum + one.spanPs, 0)
    const isStorm = both.some((one) => one.kind === 'storm' && one.spanPs >= STORM * spanPs)
    const flows = new Set(both.flatMap((one) => [...one.flows]))
    return { ...both[0]!, kind: isStorm ? 'storm' : 'host', spanPs, flows, parts }
  })
  return [...hosts, ...others].toSorted((a, b) => b.spanPs - a.spanPs)
}

/** A host that is loud to a receiver: what it sends to that one, what it sends, and what that one gets. */
interface LoudPair {
  readonly source: number
  readonly destination: number
  readonly bytes: number
  readonly sent: number
  readonly received: number
}

class Search {
  readonly #result: Result
  readonly #facts: ScenarioFacts | null
  readonly #startPs: Float64Array
  #crowds: Map<number, Crowd> | undefined

  constructor(result: Result, facts: ScenarioFacts | null) {
    this.#result = result
    this.#facts = facts
    this.#startPs = numbersOf(result.flows, 'startPs')
  }

  /** Undefined: packets wait there, and nobody is accused. */
  causeOf(origin: OriginWaits, whose: Held['whose'], allPs: number): Finding | undefined {
    return this.#findingOf(origin, heldBy(origin, whose, this.#startPs, allPs))
  }

  #findingOf(origin: OriginWaits, held: Held): Finding | undefined {
    const { kind, name } = origin
    if (kind === 'host') return foundAt(kinds.slowReceiver, { device: name }, held)
    if (kind === 'storm') return foundAt(kinds.storm, { device: name }, held)
    const graph = this.#facts?.graph
    const device = graph?.names[origin.node] ?? name
    const peer = peerOf(origin, graph)
    const port = peer === undefined ? undefined : graph!.names[peer]!
    if (kind === 'link') {
      const { drops } = this.#result.counters
      const isLossy = BIT_ERRORS.some((reason) => (drops[reason] ?? 0) > 0)
      const isDown = held.parts[0]?.part === 'linkDownPs' || !isLossy
      return foundAt(
        isDown ? kinds.linkDown : kinds.lossyLink,
        { device, ...(port === undefined ? {} : { port }) },
        held,
      )
    }
    if (kind === 'switch') return this.#portCause(origin, held, device, peer)
    if (port === undefined) return undefined
    return this.#busyPort({ device, port }, { ...held, useShare: null }, this.#loudAt('source', origin.node))
  }

  /** Who fills the port of a host, or the port to one: loud hosts and their receivers, by their share of it, the largest first. */
  #loudAt(end: 'source' | 'destination', node: number): Loud[] {
    const { hostNodes, hostTitles } = this.#facts!.graph!
    const here = hostNodes.findIndex((nodes) => nodes.includes(node))
    const titleOf = (host: number): string => hostTitles[host] ?? `host ${host}`
    return this.#loud()
      .filter((pair) => pair[end] === here)
      .map(({ source, destination, bytes, sent, received }) => ({
        from: titleOf(source),
        to: titleOf(destination),
        share: bytes / (end === 'source' ? sent : received),
      }))
      .toSorted((a, b) => b.share - a.share)
  }

  /** Hosts that are loud to a receiver. */
  #loud(): LoudPair[] {
    const { flows } = this.#result
    const [source, destination] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
    const [sent, received] = [new Map<number, number>(), new Map<number, number>()]
    const pairs = new Map<string, { source: number; destination: number; bytes: number; squares: number }>()
    numbersOf(flows, 'sizeBytes').forEach((bytes, row) => {
      const [from, to] = [source[row]!, destination[row]!]
      sent.set(from, (sent.get(from) ?? 0) + bytes)
      received.set(to, (received.get(to) ?? 0) + bytes)
      const pair = pairs.get(`${from} ${to}`) ?? { source: from, destination: to, bytes: 0, squares: 0 }
      pairs.set(`${from} ${to}`, pair)
      pair.bytes += bytes
      pair.squares += bytes ** 2
    })
    const usualBytes = middleOf([...pairs.values()].map(({ bytes }) => bytes))
    const least = Math.max(LOUD * middleOf(received.values()), LOUD_PAIR * usualBytes)
    return [...pairs.values()]
      .filter(({ bytes, squares }) => bytes >= least && bytes ** 2 >= LOUD_MESSAGES * squares)
      .map((pair) => ({ ...pair, sent: sent.get(pair.source)!, received: received.get(pair.destination)! }))
  }

  #busyPort(at: Subject, held: Held & { useShare: number | null }, loud: readonly Loud[]): Finding | undefined {
    return loud.length === 0 ? undefined : foundAt(kinds.busyPort, at, { ...held, loud })
  }

  /** Why packets wait at a port of a switch. */
  #portCause(origin: OriginWaits, held: Held, device: string, peer: number | undefined): Finding | undefined {
    const graph = this.#facts?.graph
    const of = totalsOf(this.#result, origin)
    if (peer === undefined) return undefined
    const at = { device, port: graph!.names[peer]! }
    const useShare = of('sentPs') / Math.max(1, of('lastPs') - of('firstPs'))
    if (graph!.tiers[peer] === 0) {
      this.#crowds ??= crowdsOf(this.#result)
      const crowd = this.#crowds.get(graph!.hostNodes.findIndex((nodes) => nodes.includes(peer)))
      return crowd === undefined
        ? this.#busyPort(at, { ...held, useShare }, this.#loudAt('destination', peer))
        : foundAt(kinds.incast, { device: at.port }, { ...held, ...crowd })
    }
    const ratio = ratioOf(graph!.tiers[peer]! > graph!.tiers[origin.node]! ? origin.node : peer, graph!)
    if ((ratio ?? 0) < OVERSUBSCRIBED) return undefined
    return foundAt(kinds.oversubscribed, at, { ...held, useShare, downOverUp: ratio })
  }
}

/** Common values of a cause. */
function heldBy(
  { flows, spanPs, parts }: OriginWaits,
  whose: Held['whose'],
  startPs: Float64Array,
  allPs: number,
): Held {
  return {
    whose,
    flows: flows.size,
    heldPs: spanPs,
    sincePs: [...flows].reduce((least, flow) => Math.min(least, startPs[flow]!), Infinity),
    share: spanPs / allPs,
    parts: [...parts].toSorted((a, b) => b[1] - a[1]).map(([part, partPs]) => ({ part, spanPs: partPs })),
  }
}

function middleOf(values: Iterable<number>): number {
  const sorted = [...values].toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function peerOf({ node, port }: OriginWaits, graph: NetworkGraph | undefined): number | undefined {
  return graph?.ports.find((one) => one.node === node && one.port === port)?.peerNode
}

/** Rate towards lower tiers over that towards higher ones; null: a switch at the top. */
function ratioOf(node: number, { tiers, ports }: NetworkGraph): number | null {
  const own = ports.filter((port) => port.node === node)
  const rateTo = (isUp: boolean): number =>
    own.reduce((sum, { peerNode, rateBps }) => sum + (tiers[peerNode]! > tiers[node]! === isUp ? rateBps : 0), 0)
  return rateTo(true) === 0 ? null : rateTo(false) / rateTo(true)
}

/** A value of a port over the whole run, by its column; 0 where the port is not known. */
function totalsOf(result: Result, { node, port }: OriginWaits): (column: string) => number {
  const table = tableOfKind(result, 'autopsy/ports')
  if (table === undefined) return () => 0
  const ports = numbersOf(table, 'port')
  const row = numbersOf(table, 'node').findIndex((at, i) => at === node && ports[i] === port)
  return (column) => (row < 0 ? 0 : numbersOf(table, column)[row]!)
}
