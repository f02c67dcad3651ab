/**
 * Buffer circle: a cyclic buffer dependency. Where the packets for several hosts make links wait for each other in a
 * circle (buffer-dependencies.ts), pauses may never end, however large the buffers. Up-down routes of Clos networks have
 * none; switches that flood packets for dead hosts may add the missing dependencies ([MS-Scale 4.2]).
 * Source: Dally and Seitz 1987 (a graph of channels without circles cannot lock); Guo et al. 2016, 4.2.
 */
import { findCircle } from '../base/circle.ts'
import { BufferDependencies, type FloodPorts } from './buffer-dependencies.ts'
import type { Routes } from './routes.ts'
import type { Topology } from './topology.ts'
import { isUpDown } from './up-down.ts'

/** A port of the circle, and what makes it wait for the next one. */
export interface CircleStep {
  readonly node: number
  readonly nodeName: string
  /** From 1, as in the topology. */
  readonly port: number
  /** The switch at the other end, whose port is the next step's. */
  readonly peer: number
  readonly peerName: string
  readonly peerPort: number
  /** Node of a host: packets for it leave by this port and then by the next one. */
  readonly host: number
  readonly hostName: string
  /** By the next port go copies of them, which the switch at the other end floods. */
  readonly isFlooded: boolean
}

export interface BufferCircle {
  /** From the switch of the lowest number on, in the order in which packets go round; the last step leads to the first. */
  readonly steps: readonly CircleStep[]
}

/** Links of the first circle found, from each of which a shorter one is looked for. */
const STARTS_MAX = 64

/**
 * A short circle of the links that wait for each other; null: there is none, whatever the traffic.
 * @param floods none: switches flood nothing
 */
export function bufferCircle(topology: Topology, routes: Routes, floods?: FloodPorts): BufferCircle | null {
  if ((floods?.size ?? 0) === 0 && isUpDown(topology, routes)) return null
  const dependencies = new BufferDependencies(topology, routes, floods)
  const links = Array.from({ length: dependencies.links }, (_, link) => link)
  const found = findCircle(links, (link) => dependencies.nextOf(link))
  if (found === null) return null
  let shortest = found
  for (const link of found.slice(0, STARTS_MAX)) {
    const circle = shortestThrough(link, dependencies, shortest.length)
    if (circle !== null) shortest = circle
  }
  return { steps: stepsOf(topology, dependencies, shortest) }
}

/** The shortest circle through a link with fewer links than `below`; null: there is none. */
function shortestThrough(first: number, dependencies: BufferDependencies, below: number): number[] | null {
  const before = new Map<number, number>()
  let front = [first]
  for (let length = 1; length < below && front.length > 0; length++) {
    const next: number[] = []
    for (const link of front) {
      for (const onward of dependencies.nextOf(link)) {
        if (onward === first) return pathTo(link, first, before)
        if (before.has(onward)) continue
        before.set(onward, link)
        next.push(onward)
      }
    }
    front = next
  }
  return null
}

function pathTo(last: number, first: number, before: ReadonlyMap<number, number>): number[] {
  const path = [last]
  while (path[0] !== first) path.unshift(before.get(path[0]!)!)
  return path
}

function stepsOf({ names }: Topology, dependencies: BufferDependencies, circle: readonly number[]): CircleStep[] {
  const { start, neighbor, neighborPort } = dependencies.adjacency
  const senderOf = (link: number): number => neighbor[start[neighbor[link]!]! + neighborPort[link]! - 1]!
  // The numbers of links ascend with those of their switches.
  const first = circle.indexOf(circle.reduce((least, link) => (link < least ? link : least)))
  const links = [...circle.slice(first), ...circle.slice(0, first)]
  const witnesses = dependencies.witnesses(links.map((link, k) => [link, links[(k + 1) % links.length]!]))
  return links.map((link, k) => {
    const [node, peer] = [senderOf(link), neighbor[link]!]
    const { host, isFlooded } = witnesses[k]!
    return {
      node,
      nodeName: names[node]!,
      port: link - start[node]! + 1,
      peer,
      peerName: names[peer]!,
      peerPort: neighborPort[link]!,
      host,
      hostName: names[host]!,
      isFlooded,
    }
  })
}
