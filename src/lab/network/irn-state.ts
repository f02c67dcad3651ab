/**
 * IRN state: state that IRN would add to the NICs of a scenario per queue pair, counted as in [IRN] 6.1: bitmaps hold the
 * cap of the fastest hosts, by default the BDP of the network's longest path, rounded up to a power of two. A host whose
 * queue pairs use several ports has the line rate of those.
 * Units: packets; bits, and bytes, of NicState.
 */
import { mostOf } from '../../core/base/extremes.ts'
import { quirksOf } from '../scenario/compat.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Topology } from '../../core/topology/topology.ts'
import { bdpPackets } from '../../core/transport/congestion/congestion.ts'
import { dataFrameBytes } from '../../core/transport/endpoint.ts'
import { PsnBitmap } from '../../core/transport/psn-bitmap.ts'
import { type NicState, nicStateFor } from '../../core/verbs/index.ts'
import { frameSizes } from './frames.ts'
import { mostLineRateBps } from './host-ports.ts'

export interface IrnState {
  /** Most packets in flight of a queue pair. */
  readonly capPackets: number
  /** Packets that each bitmap holds. */
  readonly bitmapPackets: number
  readonly state: NicState
}

/** Least packets of a bitmap, as in [IRN] 6.1. */
const LEAST_PACKETS = 128

/**
 * null: the scenario's loss recovery is not IRN, or is an ablation without bitmaps or without a cap.
 * @param longestRttPs longest round trip of the idle network
 */
export function irnStateOf(scenario: Scenario, topology: Topology, longestRttPs: number): IrnState | null {
  const { recovery } = scenario
  if (recovery.kind !== 'irn' || !recovery.bdpFlowControl) return null
  if (recovery.resend === 'go-back-n' && !quirksOf(scenario).rewinds) return null
  const frames = frameSizes(scenario)
  const fastestBps = mostOf(pairRatesBps(scenario, topology))
  const rttPs = Number.isNaN(longestRttPs) ? 0 : longestRttPs
  const fullBytes = dataFrameBytes(frames, frames.payloadBytes, 0)
  const capPackets = recovery.cap ?? bdpPackets(fastestBps, rttPs, fullBytes)
  const bitmapPackets = new PsnBitmap(Math.max(LEAST_PACKETS, capPackets)).size
  return { capPackets, bitmapPackets, state: nicStateFor(bitmapPackets) }
}

/** Line rate of a queue pair, by host: that of its fastest port, or the highest of any of its ports together. */
function pairRatesBps({ nic }: Scenario, { endpoints, hostPorts, links }: Topology): number[] {
  const rateOf = new Map<number, number>()
  for (const { a, b, rateBps } of links) {
    rateOf.set(a, rateBps)
    rateOf.set(b, rateBps)
  }
  return hostPorts.map((ports) => {
    const ratesBps = ports.map((endpoint) => rateOf.get(endpoints[endpoint]!)!)
    return mostLineRateBps(ratesBps, nic.portChoice)
  })
}
