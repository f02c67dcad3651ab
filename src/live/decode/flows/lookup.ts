/**
 * Lookup: directions by the bytes of a packet's addresses and its queue pair, without making text. It holds those of the latest
 * packets; each has one slot, where a later one may take over. It grows with their number.
 */
import type { DissectedRoce } from '../../../core/wire/index.ts'
import type { Direction } from './direction.ts'

/** Powers of two. */
const [SLOTS_MIN, SLOTS_MAX] = [64, 2 ** 16]
/** Two addresses of IPv6, and their length. */
const ADDRESSES_BYTES = 33
/** The prime of FNV-1a. */
const [FNV_START, FNV_PRIME] = [0x811c9dc5, 0x01000193]

export class Lookup {
  #slots = SLOTS_MIN
  #known: (Direction | undefined)[] = Array.from({ length: SLOTS_MIN })
  /** Length of the addresses, source, destination of each slot. */
  #addresses = new Uint8Array(SLOTS_MIN * ADDRESSES_BYTES)
  #notes = 0

  find(roce: DissectedRoce): Direction | null {
    const slot = slotOf(roce, this.#slots)
    const known = this.#known[slot]
    if (known === undefined || known.destinationQp !== roce.bth.destinationQp || !known.isOpen) return null
    return this.#isAt(slot, roce) ? known : null
  }

  note(roce: DissectedRoce, direction: Direction): void {
    if (++this.#notes > this.#slots / 2 && this.#slots < SLOTS_MAX) this.#grow()
    const { source, destination } = roce.ip
    const slot = slotOf(roce, this.#slots)
    const at = slot * ADDRESSES_BYTES
    this.#known[slot] = direction
    this.#addresses[at] = source.length
    this.#addresses.set(source, at + 1)
    this.#addresses.set(destination, at + 1 + source.length)
  }

  /** Starts anew with more slots. */
  #grow(): void {
    this.#slots *= 4
    this.#known = Array.from({ length: this.#slots })
    this.#addresses = new Uint8Array(this.#slots * ADDRESSES_BYTES)
    this.#notes = 0
  }

  #isAt(slot: number, { ip: { source, destination } }: DissectedRoce): boolean {
    let at = slot * ADDRESSES_BYTES
    const addresses = this.#addresses
    if (addresses[at++] !== source.length) return false
    for (let i = 0; i < source.length; i++) if (addresses[at++] !== source[i]) return false
    for (let i = 0; i < destination.length; i++) if (addresses[at++] !== destination[i]) return false
    return true
  }
}

function slotOf({ ip: { source, destination }, bth }: DissectedRoce, slots: number): number {
  let hash = FNV_START ^ bth.destinationQp
  for (let i = 0; i < source.length; i++) hash = Math.imul(hash ^ source[i]!, FNV_PRIME)
  for (let i = 0; i < destination.length; i++) hash = Math.imul(hash ^ destination[i]!, FNV_PRIME)
  return (hash ^ (hash >>> 16)) & (slots - 1)
}
