/**
 * NCCL's rings: the order in which a channel goes through the GPUs of each server, and the NIC by which it leaves. Channel c
 * enters a server at the GPU of NIC c, goes through all its GPUs and leaves for the next server by the same NIC (over the NVLink
 * of its GPU, PXN), or, where a GPU cannot use the NIC of another one, by that of its neighbour, which every second server swaps.
 * So each NIC carries one channel both ways, and rails never mix.
 * Source: NCCL, src/graph/search.cc and connect.cc (5067397); docs/models/collectives.md.
 */
import type { Issue } from '../../base/issue.ts'

export interface NcclRings {
  /** By channel: the position of the group at each position of the ring. */
  readonly orders: readonly Int32Array[]
  /** NIC of the server by which a channel enters and leaves; null: each rank leaves by its own. */
  readonly railOf: ((channel: number) => number) | null
}

/**
 * Rings over the ranks of a group, of which each server has equally many in a row.
 * @param hostOf server of each rank @param isCrossing whether channels leave by the neighbour's NIC
 * @param issues gets what stands against it @returns null then
 */
export function ncclRings(
  hostOf: readonly number[],
  channels: number,
  isCrossing: boolean,
  issues: Issue[],
): NcclRings | null {
  const gpus = Math.max(
    1,
    hostOf.findIndex((host) => host !== hostOf[0]),
  )
  const perServer = hostOf.every((host) => host === hostOf[0]) ? hostOf.length : gpus
  const servers = new Set(hostOf).size
  const isEven = hostOf.every((host, rank) => host === hostOf[Math.floor(rank / perServer) * perServer])
  const problem = (expected: string, received: string): null => {
    issues.push({ path: 'channelsBy', expected, received, hint: 'list the ports of whole servers in `group`' })
    return null
  }
  if (servers * perServer !== hostOf.length || !isEven)
    return problem('as many ranks in a row on every server', 'other numbers')
  if (isCrossing && perServer % 2 === 1 && perServer > 1)
    return problem('an even number of NICs a server, of which neighbours swap', `${perServer}`)
  // Channels of one NIC share an order.
  const byNic = Array.from({ length: Math.min(channels, perServer) }, (_, nic) =>
    Int32Array.from({ length: hostOf.length }, (_each, at) => {
      const server = Math.floor(at / perServer)
      return server * perServer + gpuAt(nic, perServer, at % perServer, isCrossing ? server : null)
    }),
  )
  const orders = Array.from({ length: channels }, (_, channel) => byNic[channel % perServer]!)
  return { orders, railOf: isCrossing ? null : (channel) => channel % perServer }
}

/** GPU at a position of a server's part of a ring. @param server null: the first GPU is that of the channel's NIC on all */
function gpuAt(nic: number, gpus: number, at: number, server: number | null): number {
  if (server === null || gpus === 1) return (nic + at) % gpus
  // Even servers are entered at the NIC of the channel and left by its neighbour's, odd ones the other way round.
  const [first, last] = server % 2 === 0 ? [nic, nic ^ 1] : [nic ^ 1, nic]
  if (at === 0) return first
  if (at === gpus - 1) return last
  let found = first
  for (let left = at; left > 0;) {
    found = (found + 1) % gpus
    if (found !== last && found !== first) left--
  }
  return found
}
