/**
 * Order of a rank's nodes: by id, but every node behind those that it waits for. Collectives meet in this order, whatever ids
 * the ranks have given.
 */
import type { TraceNode } from './node.ts'

/** Mistakes in the nodes of a file. */
export type OrderProblem =
  | { readonly kind: 'twice'; readonly node: TraceNode }
  | { readonly kind: 'absent'; readonly node: TraceNode; readonly id: number }
  | { readonly kind: 'cycle'; readonly nodes: readonly TraceNode[] }

export interface OrderedNode {
  readonly node: TraceNode
  /** Nodes that it waits for, each once. */
  readonly after: readonly TraceNode[]
}

export interface Order {
  readonly nodes: readonly OrderedNode[]
  readonly problems: readonly OrderProblem[]
  /** Control dependencies on nodes that are not there, and those that are not used. */
  readonly absent: number
  readonly unused: number
}

/** @param areControlsBound control dependencies bind as those of data do */
export function orderOf(nodes: readonly TraceNode[], areControlsBound: boolean): Order {
  const problems: OrderProblem[] = []
  const byId = new Map<number, TraceNode>()
  for (const node of nodes) {
    if (byId.has(node.id)) problems.push({ kind: 'twice', node })
    else byId.set(node.id, node)
  }
  const after = new Map<TraceNode, TraceNode[]>()
  let [absent, unused] = [0, 0]
  for (const node of byId.values()) {
    const others = new Set<TraceNode>()
    for (const id of node.dataDeps) {
      const other = byId.get(id)
      if (other === undefined) problems.push({ kind: 'absent', node, id })
      else others.add(other)
    }
    for (const id of node.controlDeps) {
      const other = byId.get(id)
      if (other === undefined) absent++
      else if (areControlsBound) others.add(other)
      else unused++
    }
    after.set(node, [...others])
  }
  const { ordered, cycle } = sorted([...byId.values()], after)
  if (cycle.length > 0) problems.push({ kind: 'cycle', nodes: cycle })
  return { nodes: ordered.map((node) => ({ node, after: after.get(node)! })), problems, absent, unused }
}

/** Depth first from the smallest id on; no recursion, since chains may be as long as the file. */
function sorted(nodes: TraceNode[], after: ReadonlyMap<TraceNode, readonly TraceNode[]>) {
  const ordered: TraceNode[] = []
  const state = new Map<TraceNode, 'open' | 'done'>()
  for (const root of nodes.toSorted((a, b) => a.id - b.id)) {
    if (state.has(root)) continue
    const path = [{ node: root, next: 0 }]
    state.set(root, 'open')
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const other = after.get(top.node)![top.next++]
      if (other === undefined) {
        state.set(top.node, 'done')
        ordered.push(top.node)
        path.pop()
      } else if (state.get(other) === 'open') {
        const from = path.findIndex(({ node }) => node === other)
        return { ordered, cycle: path.slice(from).map(({ node }) => node) }
      } else if (!state.has(other)) {
        state.set(other, 'open')
        path.push({ node: other, next: 0 })
      }
    }
  }
  return { ordered, cycle: [] }
}
