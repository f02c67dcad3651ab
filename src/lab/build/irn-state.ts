/**
 * IRN state: what IRN would add to the NICs of a scenario, a queue pair, as [IRN] 6.1 counts it: the bitmaps are as long as
 * the cap of the fastest hosts, and that is as long as the network's longest path fills, up to a power of two. A host whose
 * queue pairs take several ports is as fast as all of them.
 * Units: packets; bits, and bytes, of NicState.
 */
import { mostOf } from '../../base/extremes.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { Topology } from '../../topology/topology.ts'
import { bdpPackets } from '../../transport/congestion/congestion.ts'
import { dataFrameBytes } from '../../transport/endpoint.ts'
import { PsnBitmap } from '../../transport/psn-bitmap.ts'
import { type NicState, nicStateFor } from '../../verbs/index.ts'
import { frameSizes } from './frames.ts'

export interface IrnState {
  /** Most packets in flight of a queue pair. */
  readonly capPackets: number
  /** What each of the bitmaps holds. */
  readonly bitmapPackets: number
  readonly state: NicState
}

/** Least that a bitmap holds: what [IRN] 6.1 counts. */
const LEAST_PACKETS = 128

/**
 * null: the scenario's loss recovery is not IRN, or one of its ablations that has no bitmaps or no bound to them.
 * @param longestRttPs of an idle network
 */
export function irnStateOf(scenario: Scenario, topology: Topology, longestRttPs: number): IrnState | null {
  const { recovery } = scenario
  if (recovery.kind !== 'irn' || recovery.resend === 'go-back-n' || !recovery.bdpFlowControl) return null
  const frames = frameSizes(scenario)
  const fastestBps = mostOf(pairRatesBps(scenario, topology))
  const rttPs = Number.isNaN(longestRttPs) ? 0 : longestRttPs
  const fullBytes = dataFrameBytes(frames, frames.payloadBytes, 0)
  const capPackets = recovery.cap ?? bdpPackets(fastestBps, rttPs, fullBytes)
  const bitmapPackets = new PsnBitmap(Math.max(LEAST_PACKETS, capPackets)).size
  return { capPackets, bitmapPackets, state: nicStateFor(bitmapPackets) }
}

/** What a queue pair can send at, by host: at the rate of its fastest port, or of all that its packets take. */
function pairRatesBps({ nic }: Scenario, { endpoints, hostPorts, links }: Topology): number[] {
  const rateOf = new Map<number, number>()
  for (const { a, b, rateBps } of links) {
    rateOf.set(a, rateBps)
    rateOf.set(b, rateBps)
  }
  return hostPorts.map((ports) => {
    const ratesBps = ports.map((endpoint) => rateOf.get(endpoints[endpoint]!)!)
    return nic.portChoice === 'bound' ? mostOf(ratesBps) : ratesBps.reduce((sum, rateBps) => sum + rateBps, 0)
  })
}
