/**
 * Switches that are alike: towards each group of hosts they choose among ports of the same numbers, and port by port lead
 * over links of the same kind to the same host or to switches that are alike. So the paths behind them are of the same kinds.
 * In a fat tree these are the aggregation switches of a pod, and all cores.
 * Switches are parted until nothing parts them (partition refinement, as in Hopcroft's minimisation of automata).
 */
import type { Port } from '../../core/fabric/link/port.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/** By node: the first of the switches that are alike; -1 at a host. */
export function firstAlike({ network, routes }: BuiltNetwork, kindOf: (port: Port) => number): Int32Array {
  const first = Int32Array.from(routes.rowOf, (row) => (row < 0 ? -1 : 0))
  const nodes = [...first.keys()].filter((node) => first[node] === 0)
  const rowAt = (node: number): Int32Array =>
    routes.listOf.subarray(routes.rowOf[node]!, routes.rowOf[node]! + routes.groupCount)
  part(
    nodes,
    first,
    (node) => hashOf(rowAt(node)),
    (a, b) => isEqual(rowAt(a), rowAt(b)),
  )
  const linksOf = (node: number): Int32Array => {
    const links: number[] = []
    for (const port of Object.values(network.switches[node]!.ports)) {
      const next = port.peer.node
      links.push(port.index, kindOf(port), routes.hostIndexOf[next] === -1 ? first[next]! : next)
    }
    return Int32Array.from(links)
  }
  for (let classes = 0; ;) {
    const found = new Map(nodes.map((node) => [node, linksOf(node)]))
    const count = part(
      nodes,
      first,
      (node) => hashOf(found.get(node)!),
      (a, b) => isEqual(found.get(a)!, found.get(b)!),
    )
    if (count === classes) return first
    classes = count
  }
}

/** Parts each class into those that are equal. Returns the number of classes. */
function part(
  nodes: readonly number[],
  first: Int32Array,
  hash: (node: number) => number,
  isAlike: (a: number, b: number) => boolean,
): number {
  const classes = new Map<string, number[]>()
  let count = 0
  const parted = nodes.map((node) => {
    const key = `${first[node]}/${hash(node)}`
    const heads = classes.get(key)
    const known = heads?.find((head) => isAlike(head, node))
    if (known !== undefined) return known
    if (heads === undefined) classes.set(key, [node])
    else heads.push(node)
    count++
    return node
  })
  nodes.forEach((node, i) => (first[node] = parted[i]!))
  return count
}

/** FNV-1a over whole numbers. */
function hashOf(numbers: Int32Array): number {
  let hash = 0x811c9dc5
  for (const number of numbers) hash = Math.imul(hash ^ number, 0x01000193)
  return hash
}

function isEqual(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((number, i) => number === b[i])
}
