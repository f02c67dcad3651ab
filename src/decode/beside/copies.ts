/** Copies: the same packet at another interface of the capture, known by its ICRC, PSN and queue pair within 10 ms. */
import type { Packet } from '../packet.ts'
import { Sightings } from './sightings.ts'

/** Packets that are remembered as long as there is one interface; a power of two. */
const EARLY = 2 ** 16
/** Bits of PSN and queue pair beside the 32 of the ICRC. */
const REST_BITS = 21

export class Copies {
  /** null: there is one interface. */
  #seen: Sightings | null = null
  #firstPort: number | null = null
  /** The latest packets of the first interface: most files have no other, and need no more than this. */
  readonly #early = { keys: new Float64Array(EARLY), timesPs: new Float64Array(EARLY), isMarked: new Uint8Array(EARLY) }
  #earlyCount = 0
  joined = 0

  /** `marked`: a copy that is marked CE, as the first to be so. */
  look(packet: Packet): 'first' | 'copy' | 'marked' {
    const { record, roce, timePs } = packet
    const { port } = record
    this.#firstPort ??= port
    const key = keyOf(packet)
    if (key === null) return 'first'
    const isMarked = roce.ip.ecn === 3
    if (this.#seen === null && port === this.#firstPort) {
      const at = this.#earlyCount++ & (EARLY - 1)
      this.#early.keys[at] = key
      this.#early.timesPs[at] = timePs
      this.#early.isMarked[at] = isMarked ? 1 : 0
      return 'first'
    }
    this.#seen ??= this.#remembered(this.#firstPort)
    const seen = this.#seen.look(key, timePs, port, isMarked)
    if (seen !== 'first') this.joined++
    return seen
  }

  #remembered(port: number): Sightings {
    const seen = new Sightings()
    const { keys, timesPs, isMarked } = this.#early
    for (let count = Math.max(0, this.#earlyCount - EARLY); count < this.#earlyCount; count++) {
      const at = count & (EARLY - 1)
      seen.look(keys[at]!, timesPs[at]!, port, isMarked[at] === 1)
    }
    return seen
  }
}

/** null: the capture cut the packet. */
function keyOf({ roce, record: { bytes }, psn }: Packet): number | null {
  if (roce.icrc === 'cut' || roce.packet.buffer !== bytes.buffer) return null
  const at = roce.packet.byteOffset - bytes.byteOffset + roce.packet.length
  const icrc = ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  const rest = (psn ^ Math.imul(roce.bth.destinationQp, 2053)) & (2 ** REST_BITS - 1)
  return icrc * 2 ** REST_BITS + rest
}
