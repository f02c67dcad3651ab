/**
 * The pause tree of an instant, by devices: each device that is paused under the one that pauses it, nearest to a root.
 */
import { kindOfName } from '../../../core/base/device-names.ts'
import { numberColumns, numbersOf, type Table, textColumns } from '../../../core/results/index.ts'

export interface Vertex {
  readonly label: string
  /** "tor": what its siblings are counted as. */
  readonly kind: string
  readonly tier: number
  /** Its ports that may not send; 0 for a root. */
  readonly ports: number
  /** Start of the first of these pauses; NaN for a root. */
  readonly sincePs: number
  /** Hosts at or below it that may not send. */
  readonly hosts: number
  /** Most hosts first, then most ports, then in the order of the table. */
  readonly children: readonly Vertex[]
}

export interface TreeOfInstant {
  readonly timePs: number
  readonly pauses: number
  readonly hosts: number
  readonly roots: readonly Vertex[]
}

/** The tree of the sample with the most hosts paused, of these with the most pauses, the first; undefined: none has any. */
export function fullestTree(table: Table): TreeOfInstant | undefined {
  const [timePs, tier, node] = [numbersOf(table, 'timePs'), numbersOf(table, 'tier'), numbersOf(table, 'node')]
  let best: { readonly from: number; readonly to: number; readonly hosts: number } | undefined
  for (let from = 0; from < table.rowCount;) {
    let to = from
    const hosts = new Set<number>()
    for (; to < table.rowCount && timePs[to] === timePs[from]; to++) if (tier[to] === 0) hosts.add(node[to]!)
    const isFuller =
      best === undefined || hosts.size > best.hosts || (hosts.size === best.hosts && to - from > best.to - best.from)
    if (isFuller) best = { from, to, hosts: hosts.size }
    from = to
  }
  if (best === undefined) return undefined
  const { from, to, hosts } = best
  return { timePs: timePs[from]!, pauses: to - from, hosts, roots: verticesOf(table, from, to) }
}

interface Device {
  readonly label: string
  readonly tier: number
  ports: number
  sincePs: number
  depth: number
  /** Key of the device above it, or of its root. */
  parent: string
}

function verticesOf(table: Table, from: number, to: number): Vertex[] {
  const names = ['depth', 'rootNode', 'peerNode', 'node', 'tier', 'sincePs'] as const
  const [depth, rootNode, peerNode, node, tier, sincePs] = numberColumns(table, names)
  const [rootKind, rootName, nodeName] = textColumns(table, ['rootKind', 'rootName', 'nodeName'])
  const roots = new Map<string, { readonly label: string; readonly kind: string }>()
  const devices = new Map<string, Device>()
  for (let row = from; row < to; row++) {
    const root = `${rootNode[row]!} ${rootKind[row]!}`
    const isCircle = rootKind[row] === 'circle'
    roots.set(root, { label: isCircle ? 'pause circle' : rootName[row]!, kind: rootKind[row]! })
    const key = `${root} ${node[row]!}`
    const parent = depth[row] === 1 ? root : `${root} ${peerNode[row]!}`
    const known = devices.get(key)
    if (known === undefined) {
      const { [row]: label } = nodeName
      devices.set(key, {
        label: label!,
        tier: tier[row]!,
        ports: 1,
        sincePs: sincePs[row]!,
        depth: depth[row]!,
        parent,
      })
      continue
    }
    known.ports++
    known.sincePs = Math.min(known.sincePs, sincePs[row]!)
    if (depth[row]! < known.depth) Object.assign(known, { depth: depth[row]!, parent })
  }
  const below = new Map<string, [string, Device][]>()
  for (const [key, device] of devices) {
    const known = below.get(device.parent)
    if (known === undefined) below.set(device.parent, [[key, device]])
    else known.push([key, device])
  }
  const childrenOf = (key: string): Vertex[] =>
    (below.get(key) ?? [])
      .map(([at, { label, tier: of, ports, sincePs: since }]): Vertex => {
        const children = childrenOf(at)
        const hosts = (of === 0 ? 1 : 0) + sumOf(children)
        return { label, kind: kindOfName(label), tier: of, ports, sincePs: since, hosts, children }
      })
      .sort(byReach)
  return [...roots]
    .map(([key, { label, kind }]): Vertex => {
      const children = childrenOf(key)
      return { label, kind, tier: -1, ports: 0, sincePs: NaN, hosts: sumOf(children), children }
    })
    .sort(byReach)
}

const sumOf = (vertices: readonly Vertex[]): number => vertices.reduce((sum, { hosts }) => sum + hosts, 0)

const byReach = (a: Vertex, b: Vertex): number => b.hosts - a.hosts || b.ports - a.ports
