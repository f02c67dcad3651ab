/**
 * A circle in a directed graph that is given by its successors.
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
