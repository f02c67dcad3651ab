/**
 * Sending costs: from a scenario's `nic.send` to the gaps between messages and the payload reads of its NICs, and to
 * the cores of its hosts that post.
 * Units: bit/s, picoseconds.
 */
import type { Network } from '../../../core/fabric/network.ts'
import { type LastStarts, MessageGaps } from '../../../core/fabric/nic/send/message-gaps.ts'
import { PayloadReads, ReadPath } from '../../../core/fabric/nic/send/payload-reads.ts'
import { PostingCore } from '../../../core/fabric/nic/send/posting-core.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { Topology } from '../../../core/topology/topology.ts'
import type { DeviceValues } from '../device-values.ts'

/** Gaps between messages of a NIC; null: none. @param starts of all NICs */
export function messageGapsOf({ nic: { send } }: Scenario, network: Network, starts: LastStarts): MessageGaps | null {
  return send.workRequestGap === 0 ? null : new MessageGaps(network.fabric.queue, starts, send.workRequestGap)
}

/** Gives payload reads to each NIC whose reads take time. */
export function addReads(network: Network, values: DeviceValues): void {
  const bridges = new Map<string, ReadPath>()
  for (const nic of network.nics) {
    const { readRate, readBridge, messageGap } = values.of(nic.node).nic.send
    if (readRate === null && messageGap === 0) continue
    const name = `${network.hostOf[nic.position]}/${readBridge ?? ''}`
    const path = (readBridge === null ? undefined : bridges.get(name)) ?? new ReadPath()
    bridges.set(name, path)
    const reads = new PayloadReads(network, nic, path, readRate === null ? 0 : 8e12 / readRate, messageGap)
    network.reads[nic.position] = reads
    nic.transmitter = reads
    network.fabric.transmitter.setNic(nic.port.id, reads)
  }
}

/** The parts of a network that posting needs. */
interface PostingSite {
  readonly network: Network
  readonly topology: Topology
  readonly values: DeviceValues
}

/** The core of each host that posts; null: posting takes no time. */
export function postingCores({ network, topology, values }: PostingSite): (PostingCore | null)[] {
  return topology.hostPorts.map(([first]) => {
    const { postTime } = values.of(network.nics[first!]!.node).nic.send
    return postTime === 0 ? null : new PostingCore(network, postTime)
  })
}
