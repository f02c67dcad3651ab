/**
 * NCCL's channels: the order in which each goes through the GPUs of each server, and the NIC by which it leaves. Channel c
 * enters a server at the first GPU of NIC c and goes through all. It leaves by the same NIC: from the next GPU of this NIC, or
 * over the NVLink of its only one (PXN). Where a GPU cannot use the NIC of another one it leaves by that of the neighbour, which
 * every second server swaps. So each NIC carries one channel both ways, and rails never mix.
 * In a tree the GPUs are a chain behind the first one. Messages between any two GPUs leave by the NIC of the one that gets
 * them (PXN), or of the one that sends them.
 * Source: NCCL, src/graph/search.cc and connect.cc (5067397); docs/models/nccl.md.
 */
import type { Issue } from '../../base/issue.ts'

/** Host and port of each rank, which is a GPU. */
export interface GpuRanks {
  readonly hostOf: readonly number[]
  readonly portOf: readonly number[]
}

/** How messages go: around the GPUs, around them from the root on, up and down trees, or between any two. */
export type NcclPattern = 'ring' | 'chain' | 'tree' | 'pairs'

/** Pattern of an algorithm of kind collective: all but those of NCCL are between any two. */
export function patternOf(algorithm: string): NcclPattern {
  if (algorithm === 'ring' || algorithm === 'chain') return algorithm
  return algorithm === 'double-binary-tree' ? 'tree' : 'pairs'
}

export interface NcclLayout {
  /** GPUs of a server. */
  readonly gpus: number
  /** By channel: the position of the group at each position of the algorithm; absent: the same. */
  readonly orders?: readonly Int32Array[]
  /** NIC of the server by which a channel leaves for a rank; absent: each rank leaves by its own. */
  readonly railOf?: (channel: number, to: number) => number
}

/** Servers of a group, each with equally many ranks in a row, and equally many in a row for each NIC. */
interface Servers {
  readonly gpus: number
  readonly gpusPerNic: number
  /** Ports of a server. */
  readonly nics: readonly number[]
}

/** @returns null: the servers differ */
function serversOf({ hostOf, portOf }: GpuRanks): Servers | null {
  const next = hostOf.findIndex((host) => host !== hostOf[0])
  const gpus = next < 0 ? Math.max(1, hostOf.length) : next
  const nics = [...new Set(portOf.slice(0, gpus))]
  const gpusPerNic = gpus / nics.length
  const areEven =
    Number.isInteger(gpusPerNic) &&
    new Set(hostOf).size * gpus === hostOf.length &&
    hostOf.every((host, rank) => host === hostOf[rank - (rank % gpus)]) &&
    portOf.every((port, rank) => port === nics[Math.floor((rank % gpus) / gpusPerNic)])
  return areEven ? { gpus, gpusPerNic, nics } : null
}

/** Channels of NCCL's search for an algorithm. */
export function channelsFound(ranks: GpuRanks, pattern: NcclPattern): number {
  return pattern === 'pairs' ? 1 : new Set(ranks.portOf.filter((_, at) => ranks.hostOf[at] === ranks.hostOf[0])).size
}

/**
 * @param isCrossing whether a GPU cannot use the NIC of another one
 * @param issues gets what stands against it @returns null then
 */
export function ncclLayout(
  ranks: GpuRanks,
  channels: number,
  pattern: NcclPattern,
  isCrossing: boolean,
  issues: Issue[],
): NcclLayout | null {
  const servers = serversOf(ranks)
  const problem = (expected: string, received: string): null => {
    issues.push({ path: 'channelsBy', expected, received, hint: 'list the ports of whole servers in `group`' })
    return null
  }
  if (servers === null) return problem('as many ranks in a row on every server and NIC', 'other numbers')
  const { gpus, gpusPerNic, nics } = servers
  if (pattern === 'pairs') return isCrossing ? { gpus } : { gpus, railOf: (_, to) => ranks.portOf[to]! }
  const isSwapped = isCrossing && pattern !== 'tree' && gpusPerNic === 1 && gpus > 1
  if (isSwapped && gpus % 2 === 1)
    return problem('an even number of NICs a server, of which neighbours swap', `${gpus}`)
  // Channels of one NIC share an order.
  const byNic = nics.map((_, nic) => {
    const first = nic * gpusPerNic
    const last = isSwapped ? nic ^ 1 : gpusPerNic > 1 ? first + 1 : (first + gpus - 1) % gpus
    const around = Array.from(ranks.hostOf, (_host, position) => {
      const at = position % gpus
      const server = position - at
      const isOdd = isSwapped && (server / gpus) % 2 === 1
      return server + (isOdd ? gpuAt(last, first, gpus, at) : gpuAt(first, last, gpus, at))
    })
    const root = pattern === 'chain' ? around.indexOf(0) : 0
    return Int32Array.from([...around.slice(root), ...around.slice(0, root)])
  })
  const orders = Array.from({ length: channels }, (_, channel) => byNic[channel % nics.length]!)
  return isSwapped ? { gpus, orders } : { gpus, orders, railOf: (channel) => nics[channel % nics.length]! }
}

/** GPU at a position of a server's part of a channel, which goes from the first to the last in their order. */
function gpuAt(first: number, last: number, gpus: number, at: number): number {
  if (at === gpus - 1) return last
  const gpu = (first + at) % gpus
  const passed = (last - first + gpus) % gpus
  return at < passed ? gpu : (gpu + 1) % gpus
}
