/**
 * Circles in a directed graph that is given by its successors.
 */

/**
 * Nodes of one circle in order, beginning with the one that a depth-first search from `starts` reaches again; null: there
 * is none. Every node is visited once, without recursion, as paths may be long.
 */
export function findCircle<N>(starts: readonly N[], nextOf: (node: N) => readonly N[]): N[] | null {
  const done = new Set<N>()
  const onPath = new Set<N>()
  const path: { readonly node: N; readonly next: Iterator<N> }[] = []
  const enter = (node: N): void => {
    onPath.add(node)
    path.push({ node, next: nextOf(node)[Symbol.iterator]() })
  }
  for (const start of starts) {
    if (done.has(start)) continue
    enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const step = top.next.next()
      if (step.done === true) {
        path.pop()
        onPath.delete(top.node)
        done.add(top.node)
      } else if (onPath.has(step.value)) {
        const nodes = path.map(({ node }) => node)
        return nodes.slice(nodes.indexOf(step.value))
      } else if (!done.has(step.value)) enter(step.value)
    }
  }
  return null
}

/**
 * Strong parts of a graph of nodes 0 to count - 1 that have a circle: sets of nodes of which each reaches all others.
 * Nodes ascend within a part, and the parts by their first nodes. A node that is its own successor is a part.
 */
export function circularParts(count: number, nextOf: (node: number) => readonly number[]): number[][] {
  /** Tarjan 1972, without recursion. 0: not entered yet. */
  const entered = new Int32Array(count)
  const lowest = new Int32Array(count)
  const isOpen = new Uint8Array(count)
  const open: number[] = []
  const path: { readonly node: number; readonly next: readonly number[]; at: number }[] = []
  const parts: number[][] = []
  let clock = 0
  const enter = (node: number): void => {
    entered[node] = lowest[node] = ++clock
    isOpen[node] = 1
    open.push(node)
    path.push({ node, next: nextOf(node), at: 0 })
  }
  const leave = (node: number, next: readonly number[]): void => {
    path.pop()
    const before = path.at(-1)
    if (before !== undefined) lowest[before.node] = Math.min(lowest[before.node]!, lowest[node]!)
    if (lowest[node] !== entered[node]) return
    const part = open.splice(open.lastIndexOf(node))
    for (const member of part) isOpen[member] = 0
    if (part.length > 1 || next.includes(node)) parts.push(part.sort((a, b) => a - b))
  }
  for (let start = 0; start < count; start++) {
    if (entered[start]! > 0) continue
    enter(start)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.next[top.at++]
      if (next === undefined) leave(top.node, top.next)
      else if (entered[next] === 0) enter(next)
      else if (isOpen[next] === 1) lowest[top.node] = Math.min(lowest[top.node]!, entered[next]!)
    }
  }
  return parts.sort((a, b) => a[0]! - b[0]!)
}
