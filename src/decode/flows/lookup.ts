/**
 * Lookup: directions by the bytes of a packet's addresses and its queue pair, without making text. It holds those of the latest
 * packets; each has one place, where a later one may take over.
 */
import type { DissectedRoce } from '../../wire/index.ts'
import type { Direction } from './direction.ts'

/** A power of two. */
const PLACES = 2 ** 16
/** Of FNV-1a. */
const [FNV_START, FNV_PRIME] = [0x811c9dc5, 0x01000193]

export class Lookup {
  readonly #known: (Direction | undefined)[] = Array.from({ length: PLACES })

  find({ ip, bth }: DissectedRoce): Direction | null {
    const known = this.#known[placeOf(ip.source, ip.destination, bth.destinationQp)]
    if (known === undefined || known.destinationQp !== bth.destinationQp || !known.isOpen) return null
    const { source, destination } = known.addresses
    return isSame(source, ip.source) && isSame(destination, ip.destination) ? known : null
  }

  note({ ip: { source, destination }, bth }: DissectedRoce, direction: Direction): void {
    this.#known[placeOf(source, destination, bth.destinationQp)] = direction
  }
}

function placeOf(source: Uint8Array, destination: Uint8Array, qp: number): number {
  let hash = FNV_START ^ qp
  for (let i = 0; i < source.length; i++) hash = Math.imul(hash ^ source[i]!, FNV_PRIME)
  for (let i = 0; i < destination.length; i++) hash = Math.imul(hash ^ destination[i]!, FNV_PRIME)
  return (hash ^ (hash >>> 16)) & (PLACES - 1)
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
