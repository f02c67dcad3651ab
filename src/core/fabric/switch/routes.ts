/**
 * Routes in the form that switches read: the ports towards each host. Hosts that all other switches reach by the same ports
 * are one group. Equal lists of ports are shared.
 */
export interface RouteTable {
  /** Per host, by position: its group. */
  readonly groupOf: Int32Array
  readonly groupCount: number
  /** Per node: where its entries begin in `listOf`. */
  readonly rowOf: Int32Array
  /** [row + group]: list id; -1 without a route; -2 at the switch that the hosts of the group hang on. */
  readonly listOf: Int32Array
  /** Per host: its port at that switch. */
  readonly lastPort: Int32Array
  /** Per list id: index of its first port in `ports`, and number of ports. */
  readonly listStart: Int32Array
  readonly listLength: Int32Array
  /** Local port numbers, from 1. */
  readonly ports: Int32Array
}

/** The list of several ports by which a node whose entries begin at `row` reaches most groups of hosts, or -1. */
export function commonList({ listOf, listLength, groupCount }: RouteTable, row: number): number {
  const counts = new Int32Array(listLength.length)
  let best = -1
  for (let at = row; at < row + groupCount; at++) {
    const list = listOf[at]!
    if (list < 0 || listLength[list]! < 2) continue
    const count = ++counts[list]!
    if (best < 0 || count > counts[best]!) best = list
  }
  return best
}
