/**
 * A circle in a directed graph that is given by its successors.
 */

/**
 * Nodes of one circle in their order, the first the one that a walk from `starts` comes upon again; null: there is none.
 * Every node that is reached is looked at once. A walk without recursion, as paths may be long.
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
