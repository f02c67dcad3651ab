/**
 * Pause tree of an instant: each pause under the one that it waits for, down to the device where it begins. Such a root
 * pauses others and is not kept from sending itself: a host (a NIC that storms, a slow receiver), a switch (more arrives
 * than one of its ports can send), or a circle of pauses, which has no beginning.
 * A pause that waits for several is under one of the nearest to a root, of these under the one that has to send most of
 * its bytes first. Depth 1: the root asked for it itself.
 * Source: the spread of a storm from NIC to ToR, leaves, spines and back to all servers, [MS-Scale 4.3], figure 5.
 */
import { circularParts } from '../../../core/base/circle.ts'
import type { Network } from '../../../core/fabric/network.ts'
import { hostsAmong, type PauseGraph } from './pause-graph.ts'

export type RootKind = 'host' | 'switch' | 'circle'

export interface TreePause {
  /** Index of the pause above it; -1: a root asked for it. */
  readonly parent: number
  readonly depth: number
  /** Index in PauseTree.roots. */
  readonly root: number
}

export interface PauseRoot {
  readonly kind: RootKind
  /** Node that asks for the first pauses; of a circle that of its first member. */
  readonly node: number
  /** Number of pauses that begin here. */
  readonly pauses: number
  readonly depth: number
  /** Hosts that may not send because of it; ascending. */
  readonly hosts: readonly number[]
}

export interface PauseTree {
  readonly graph: PauseGraph
  /** By index of the pause in the graph. */
  readonly pauses: readonly TreePause[]
  /** By the first of their pauses. */
  readonly roots: readonly PauseRoot[]
}

const UNKNOWN = -2

export function pauseTreeOf(network: Network, graph: PauseGraph): PauseTree {
  const { pauses } = graph
  const parent = new Int32Array(pauses.length).fill(UNKNOWN)
  const depth = new Int32Array(pauses.length)
  const root = new Int32Array(pauses.length).fill(-1)
  const begins: { readonly kind: RootKind; readonly node: number }[] = []
  const rootOf = new Map<string, number>()
  const begin = (index: number, kind: RootKind, key: string): void => {
    parent[index] = -1
    depth[index] = 1
    const { node } = pauses[index]!.port.peer
    if (!rootOf.has(key)) rootOf.set(key, begins.push({ kind, node }) - 1)
    root[index] = rootOf.get(key)!
  }
  pauses.forEach(({ port, waitsFor }, index) => {
    const { peer } = port
    if (waitsFor.length === 0) begin(index, peer.at === null ? 'host' : 'switch', `${peer.node}`)
  })
  grow()
  // The rest waits for circles, of which those count that wait for no other.
  const isReached = (index: number): boolean => parent[index] !== UNKNOWN
  const nextOf = (index: number): number[] => pauses[index]!.waitsFor.map(({ pause }) => pause)
  const parts = circularParts(pauses.length, nextOf).filter((part) => !isReached(part[0]!))
  for (const part of parts) {
    const inside = new Set(part)
    const isLast = part.every((index) => nextOf(index).every((next) => inside.has(next)))
    if (isLast) for (const index of part) begin(index, 'circle', `circle ${part[0]!}`)
  }
  grow()
  return {
    graph,
    pauses: pauses.map((_, index) => ({ parent: parent[index]!, depth: depth[index]!, root: root[index]! })),
    roots: rootsOf(),
  }

  /** Level after level: those that wait for a pause of the level before. */
  function grow(): void {
    for (let level = 2; ; level++) {
      const found: number[] = []
      pauses.forEach(({ waitsFor }, index) => {
        if (parent[index] !== UNKNOWN) return
        // Most bytes first.
        const above = waitsFor.find(({ pause }) => depth[pause] === level - 1)
        if (above !== undefined) found.push(index)
      })
      if (found.length === 0) {
        // A second start may begin below levels that are there.
        if (!depth.some((at) => at >= level)) return
        continue
      }
      for (const index of found) {
        const above = pauses[index]!.waitsFor.find(({ pause }) => depth[pause] === level - 1)!
        parent[index] = above.pause
      }
      for (const index of found) {
        depth[index] = level
        root[index] = root[parent[index]!]!
      }
    }
  }

  function rootsOf(): PauseRoot[] {
    const members: number[][] = begins.map(() => [])
    root.forEach((of, index) => members[of]!.push(index))
    return begins.map(({ kind, node }, at) => ({
      kind,
      node,
      pauses: members[at]!.filter((index) => parent[index] === -1).length,
      depth: members[at]!.reduce((most, index) => Math.max(most, depth[index]!), 0),
      hosts: hostsAmong(network, graph, members[at]!),
    }))
  }
}
