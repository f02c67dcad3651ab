/**
 * Run counters: the counters of a result, from those of the fabric and of queue pairs, released ones included.
 */
import { DROP_REASONS, type FabricCounters } from '../../core/fabric/counters.ts'
import type { Result } from '../../core/results/result.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { deliveredBytes } from './window-count.ts'

/** @param timeouts timeouts by cause */
export function runCounters(
  built: BuiltNetwork,
  nowPs: number,
  timeouts: Readonly<Record<string, number>>,
): Result['counters'] {
  const { network } = built
  const { counters } = network.fabric
  const { released } = network.pairs
  return {
    packetHops: counters.packetHops,
    events: network.events,
    dataPacketsSent: counters.dataSent,
    controlPacketsSent: counters.controlSent,
    payloadBytesDelivered: deliveredBytes(network),
    drops: named(DROP_REASONS, counters.drops),
    dataPacketsDropped: counters.dataDrops,
    pauseFrames: counters.pauseFrames,
    resumeFrames: counters.resumeFrames,
    pausedPs: pausedByTier(built, nowPs),
    ecnMarks: counters.ecnMarks,
    cnps: released.cnps + network.pairs.sum(({ receiver }) => receiver.cnpsSent),
    cnms: counters.cnms,
    rnrNaks: released.rnrNaks + network.pairs.sum(({ receiver }) => receiver.rnrNaksSent),
    trimmed: counters.trimmed,
    trimmedBytes: counters.trimmedBytes,
    ...layer2Counters(counters),
    retransmissions: released.retransmissions + network.pairs.sum(({ sender }) => sender.retransmissions),
    timeouts,
  }
}

function layer2Counters(counters: FabricCounters): Pick<Result['counters'], 'layer2'> {
  const values = {
    incomplete: counters.incomplete,
    floods: counters.floods,
    copies: counters.floodCopies,
    'to CPU': counters.punts,
    'refused by CPU': counters.puntsRefused,
    'ARP requests': counters.arpRequests,
    'broadcasts received': counters.broadcastsReceived,
  }
  const layer2 = Object.fromEntries(Object.entries(values).filter(([, n]) => n !== 0))
  return Object.keys(layer2).length === 0 ? {} : { layer2 }
}

/** The values that are not 0, by name. */
export function named(names: readonly string[], values: Float64Array): Record<string, number> {
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]).filter(([, n]) => n !== 0))
}

function pausedByTier({ network, topology }: BuiltNetwork, nowPs: number): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const port of network.ports) {
    const pausedPs = port.pausedPs(nowPs)
    if (pausedPs === 0) continue
    const tier = topology.tiers[network.nodeOf(port.id)]!
    const name = tier === 0 ? 'host' : `tier ${tier}`
    sums[name] = (sums[name] ?? 0) + pausedPs
  }
  return sums
}
