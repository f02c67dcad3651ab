/**
 * Reaction of a peer to a PFC frame: bounds in quanta of 512 bit times, by the speed of its port.
 * Units: quanta, bytes, bit/s, picoseconds. Source: IEEE 802.3 31B.3.7, as SONiC's dynamic buffer model has them.
 */
import { formatQuantity, formatRounded } from '../../base/units.ts'
import { type HeadroomTerm, wireBytes } from './terms.ts'

/** Bytes of a quantum: 512 bits. */
const QUANTUM_BYTES = 64

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
function reactionQuanta(rateBps: number): number {
  const row = BOUNDS.find(([gbps]) => rateBps <= gbps * 1e9) ?? BOUNDS.at(-1)!
  return row[1]
}

const NAME = "peer's reaction"

/** Bytes that a peer sends until the standard's bound. */
export function standardReaction(rateBps: number): HeadroomTerm {
  const quanta = reactionQuanta(rateBps)
  return {
    name: NAME,
    bytes: quanta * QUANTUM_BYTES,
    formula: `${quanta} quanta x ${QUANTUM_BYTES}: the bound at ${formatRounded('rate', rateBps)}`,
    source: '802.3 31B.3.7',
  }
}

/** Bytes that a vendor counts, whatever the rate. */
export function fixedReaction(bytes: number, source: string): HeadroomTerm {
  return { name: NAME, bytes, formula: `${Math.round(bytes)}: the same at any rate`, source }
}

/** Bytes that a simulated peer sends. */
export function simulatedReaction(rateBps: number, reactionPs: number): HeadroomTerm {
  const formula = `${formatQuantity('duration', reactionPs)} x ${formatRounded('rate', rateBps)} / 8`
  return { name: NAME, bytes: wireBytes(rateBps, reactionPs), formula, source: 'pfc.reactionTime' }
}
