/**
 * PFC frames: their packets, and the times that they wait at either end of the link.
 * Units: bytes, quanta, picoseconds.
 */
import { INTS } from '../../base/memory.ts'
import { EVENT_FORWARD } from '../event-codes.ts'
import type { LinkFabric } from './link-fabric.ts'
import type { PortStats } from './port-stats.ts'
import { AT, DESTINATION, DIRECTION, KIND, OUT, PFC, SIZE } from '../packets.ts'

const ints = INTS

/** A PFC frame waits before it is sent. */
export const WAITS_TO_LEAVE = 1
/** It has arrived and waits before it takes effect. */
const WAITS_TO_ACT = 0

/** A port that counts what it sends. */
export interface PfcSender {
  readonly fabric: LinkFabric
  readonly stats: PortStats | null
}

/** Makes a frame that pauses (`quanta` above 0) or resumes (0) the classes in `vector`, and counts it. */
export function makePfc(from: PfcSender, vector: number, quanta: number, sizeBytes: number): number {
  // alloc(), not make(): PSN and ECN keep their old values, which enter the digests of all recorded runs with PFC.
  const packet = from.fabric.packets.alloc()
  ints[packet | KIND] = PFC
  ints[packet | SIZE] = sizeBytes
  ints[packet | DIRECTION] = vector
  ints[packet | DESTINATION] = quanta
  count(from, packet, 1)
  return packet
}

/** A frame that was made is not sent. */
export function cancelPfc(from: PfcSender, packet: number): void {
  count(from, packet, -1)
  from.fabric.packets.free(packet)
}

function count({ fabric, stats }: PfcSender, packet: number, frames: number): void {
  const quanta = ints[packet | DESTINATION]!
  fabric.counters.countPfc(quanta, frames)
  if (stats !== null) stats.onSent(fabric.queue.nowPs, ints[packet | DIRECTION]!, quanta, frames)
}

/** Keeps a frame for a time, then hands it to its port. @param port id of the port */
export function holdPfc(fabric: LinkFabric, packet: number, port: number, timePs: number, isLeaving: boolean): void {
  ints[packet | AT] = port
  ints[packet | OUT] = isLeaving ? WAITS_TO_LEAVE : WAITS_TO_ACT
  fabric.inPipeline++
  fabric.queue.enterAfter(packet, timePs, packet | EVENT_FORWARD)
}
