/**
 * Fluid: how long rings take on the paths that ECMP's hashes chose, without simulating packets. All edges of a ring have the
 * same rate in the long run, as a rank passes on only what it received, so that the most loaded link holds up the whole
 * ring. Rings share links by max-min fairness; when one has ended, the others have its room.
 * Source: max-min fairness among groups (Bertsekas and Gallager, section 6.5.2).
 */
import type { ConnectionPaths } from '../../lab/index.ts'
import type { Measures } from '../core/point.ts'
import { sharedRatesBps } from '../core/shares.ts'

/** The time of a run over the fluid time of its paths. */
export const overFluid = (m: Measures): number => m['timePs']! / m['fluidPs']!
export const FLUID_BOUND = 'The fluid is a bound; a tenth is for latencies, which it has not.'

/**
 * Time until all rings have ended, ps.
 * @param ringOf number of the ring that a queue pair belongs to.
 * @param bytes on the wire that each edge of a ring carries in all.
 * @param answerShare bits of ACKs on the reverse path for each bit of data.
 */
export function ringsPs(
  { links, connections }: ConnectionPaths,
  ringOf: readonly number[],
  bytes: number,
  answerShare: number,
): number {
  let open = [...new Set(ringOf)].map((ring) => ({ ring, leftBits: bytes * 8 }))
  let seconds = 0
  while (open.length > 0) {
    const isOpen = new Set(open.map(({ ring }) => ring))
    const members = connections.flatMap((connection, c) =>
      isOpen.has(ringOf[c]!) ? [{ connection, ring: ringOf[c]! }] : [],
    )
    const paths = { links, connections: members.map(({ connection }) => connection) }
    const rates = sharedRatesBps(paths, (_, c) => members[c]!.ring, answerShare)
    const rateOf = new Map(members.map(({ ring }, c) => [ring, rates[c]!]))
    const step = Math.min(...open.map(({ ring, leftBits }) => leftBits / rateOf.get(ring)!))
    seconds += step
    open = open
      .map(({ ring, leftBits }) => ({ ring, leftBits: leftBits - step * rateOf.get(ring)! }))
      .filter(({ leftBits }) => leftBits > bytes * 1e-6)
  }
  return seconds * 1e12
}

/** The number of each queue pair among those of its host, from 0: its channel, where a host sends to one other. */
export function channelsOf({ connections }: ConnectionPaths): number[] {
  const counts = new Map<number, number>()
  return connections.map(({ source }) => {
    const channel = counts.get(source) ?? 0
    counts.set(source, channel + 1)
    return channel
  })
}
