/**
 * The fabric as ports see it: what all devices share, without queue pairs.
 */
import type { FabricCounters } from '../counters.ts'
import type { Packets } from '../packets.ts'
import type { Watch } from '../watch.ts'
import type { CutThrough, CutThroughFabric } from './cut-through.ts'
import type { Departures } from './departures.ts'
import type { EgressQueues } from './egress-queue.ts'
import type { PortRecords } from './port-records.ts'

export interface LinkFabric extends CutThroughFabric {
  readonly packets: Packets
  readonly counters: FabricCounters
  readonly watch: Watch | null
  readonly records: PortRecords
  readonly queues: EgressQueues
  readonly cutThrough: CutThrough | null
  /** Counts of packets that leave; made when they are first asked for. */
  openDepartures(): Departures
}
