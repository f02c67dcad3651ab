/**
 * Reaction of a peer to a PFC frame: bounds in quanta of 512 bit times, by the speed of its port.
 * Source: IEEE 802.3 31B.3.7, as SONiC's dynamic buffer model has them.
 */

/** Bytes of a quantum: 512 bits. */
export const QUANTUM_BYTES = 64

/** Quanta by rate in Gb/s, ascending. */
const BOUNDS: readonly (readonly [gbps: number, quanta: number])[] = [
  [10, 67],
  [25, 80],
  [40, 118],
  [50, 147],
  [100, 394],
  [200, 453],
  [400, 905],
  [800, 905],
]

/** Quanta after which a peer has stopped, at the latest; a rate between two listed ones has those of the next, a higher one the last. */
export function reactionQuanta(rateBps: number): number {
  const row = BOUNDS.find(([gbps]) => rateBps <= gbps * 1e9) ?? BOUNDS.at(-1)!
  return row[1]
}
