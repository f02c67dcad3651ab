/**
 * Routes in the form that switches read: the ports towards each host. Equal lists are shared.
 */
export interface RouteTable {
  /** [node * hostCount + host position]: list id, or -1 without a route. */
  readonly listOf: Int32Array
  /** Per list id: index of its first port in `ports`, and number of ports. */
  readonly listStart: Int32Array
  readonly listLength: Int32Array
  /** Local port numbers, from 1. */
  readonly ports: Int32Array
}

/** The list of several ports by which a node whose entries begin at `base` reaches most hosts, or -1. */
export function commonList(routes: RouteTable, base: number, hostCount: number): number {
  const counts = new Map<number, number>()
  let best = -1
  for (let host = 0; host < hostCount; host++) {
    const list = routes.listOf[base + host]!
    if (list < 0 || routes.listLength[list]! < 2) continue
    const count = (counts.get(list) ?? 0) + 1
    counts.set(list, count)
    if (best < 0 || count > counts.get(best)!) best = list
  }
  return best
}
