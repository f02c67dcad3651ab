/** Copies: the same packet at another interface of the capture, known by its ICRC, PSN and queue pair within 10 ms. */
import type { Packet } from '../packet.ts'

const WITHIN_PS = 10e9
const KEPT_MAX = 100_000
/** Packets that are remembered as long as there is one interface; a power of two. */
const EARLY = 2 ** 16
/** Bits of PSN and queue pair beside the 32 of the ICRC. */
const REST_BITS = 21

interface Sighting {
  readonly ports: number[]
  readonly timePs: number
  isMarked: boolean
}

export class Copies {
  readonly #seen = new Map<number, Sighting>()
  #firstPort: number | null = null
  /** A second interface was seen. */
  #isNeeded = false
  /** The latest packets of the first interface: most files have no other, and a map of all packets costs more than the rest. */
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
    if (!this.#isNeeded) {
      if (port === this.#firstPort) {
        const at = this.#earlyCount++ & (EARLY - 1)
        this.#early.keys[at] = key
        this.#early.timesPs[at] = timePs
        this.#early.isMarked[at] = isMarked ? 1 : 0
        return 'first'
      }
      this.#isNeeded = true
      this.#remember(this.#firstPort, timePs)
    }
    const known = this.#seen.get(key)
    if (known !== undefined && !known.ports.includes(port) && timePs - known.timePs <= WITHIN_PS) {
      known.ports.push(port)
      this.joined++
      if (!isMarked || known.isMarked) return 'copy'
      known.isMarked = true
      return 'marked'
    }
    this.#seen.delete(key)
    this.#seen.set(key, { ports: [port], timePs, isMarked })
    for (const [old, sighting] of this.#seen) {
      if (this.#seen.size <= KEPT_MAX && timePs - sighting.timePs <= WITHIN_PS) break
      this.#seen.delete(old)
    }
    return 'first'
  }

  #remember(port: number, nowPs: number): void {
    const { keys, timesPs, isMarked } = this.#early
    for (let count = Math.max(0, this.#earlyCount - EARLY); count < this.#earlyCount; count++) {
      const at = count & (EARLY - 1)
      if (nowPs - timesPs[at]! > WITHIN_PS) continue
      this.#seen.delete(keys[at]!)
      this.#seen.set(keys[at]!, { ports: [port], timePs: timesPs[at]!, isMarked: isMarked[at] === 1 })
    }
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
