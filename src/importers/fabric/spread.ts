/**
 * Spread: one value of a scenario from values of many devices: that of most, and changes where others differ.
 * A change selects ports by the node at their other end. Parallel links to one node are not distinguished.
 */
import type { Branch, Tree } from '../importer.ts'
import type { NetworkPort } from './network.ts'

/** A value at a node, or at one of its ports. */
export interface Held {
  readonly node: string
  /** Null: the node as a whole. */
  readonly port: NetworkPort | null
  readonly value: Tree
}

const textOf = (value: Tree): string => JSON.stringify(value)

/** The most frequent; of those that are as frequent the first. */
function usual(values: readonly Tree[]): Tree | undefined {
  const counts = new Map<string, { value: Tree; count: number }>()
  for (const value of values) {
    const text = textOf(value)
    const known = counts.get(text)
    if (known === undefined) counts.set(text, { value, count: 1 })
    else known.count++
  }
  let most: { value: Tree; count: number } | undefined
  for (const each of counts.values()) if (most === undefined || each.count > most.count) most = each
  return most?.value
}

export class Spread {
  readonly changes: Branch[] = []
  /** Ports that differ from a parallel one, by path. */
  readonly merged: { readonly path: string; readonly port: NetworkPort }[] = []

  /** The value of most; `otherwise` where there is none. The others become changes of `path`. */
  over(path: string, all: readonly Held[], otherwise: Tree, isBase: (value: Tree) => boolean = () => true): Tree {
    const base = usual(all.map(({ value }) => value).filter(isBase)) ?? otherwise
    const nodes = new Map<string, Held[]>()
    for (const held of all) nodes.set(held.node, [...(nodes.get(held.node) ?? []), held])
    const ofNodes = new Map<string, Change>()
    const ofPorts = new Map<string, Change>()
    for (const [node, own] of nodes) {
      const here = usual(own.map(({ value }) => value))!
      if (textOf(here) !== textOf(base)) add(ofNodes, { value: here, ports: 'all', node })
      for (const { value, ports } of this.#odd(path, own, here)) add(ofPorts, { value, ports, node })
    }
    for (const { value, ports, nodes: at } of [...ofNodes.values(), ...ofPorts.values()])
      this.changes.push({ path, value, nodes: at.join(', '), ...(ports === 'all' ? {} : { ports }) })
    return base
  }

  /** Values of the ports of a node that are not as those of most, with the text that selects them. */
  #odd(path: string, own: readonly Held[], here: Tree): { value: Tree; ports: string }[] {
    const byPeer = new Map<string, Tree>()
    const selected = new Map<string, { value: Tree; peers: string[] }>()
    for (const { port, value } of own) {
      if (port === null) continue
      const peer = port.peer.node
      const first = byPeer.get(peer)
      if (first !== undefined) {
        if (textOf(first) !== textOf(value)) this.merged.push({ path, port })
        continue
      }
      byPeer.set(peer, value)
      if (textOf(value) === textOf(here)) continue
      const text = textOf(value)
      selected.set(text, { value, peers: [...(selected.get(text)?.peers ?? []), peer] })
    }
    return [...selected.values()].map(({ value, peers }) => ({ value, ports: peers.join(', ') }))
  }
}

interface Change {
  readonly value: Tree
  readonly ports: string
  readonly nodes: string[]
}

function add(changes: Map<string, Change>, { value, ports, node }: { value: Tree; ports: string; node: string }): void {
  const key = `${textOf(value)} ${ports}`
  const known = changes.get(key)
  if (known === undefined) changes.set(key, { value, ports, nodes: [node] })
  else known.nodes.push(node)
}
