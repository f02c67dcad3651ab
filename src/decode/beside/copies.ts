/** Copies: the same packet at another interface of the capture, known by its ICRC, PSN and queue pair within 10 ms. */
import type { Packet } from '../packet.ts'

const WITHIN_PS = 10e9
const KEPT_MAX = 100_000

interface Sighting {
  readonly ports: Set<number>
  readonly timePs: number
  readonly isMarked: boolean
}

export class Copies {
  readonly #seen = new Map<string, Sighting>()
  #firstPort: number | null = null
  #isNeeded = false
  joined = 0

  /** `marked`: a copy that was marked CE since it was seen first. */
  look(packet: Packet): 'first' | 'copy' | 'marked' {
    const { record, roce, timePs } = packet
    const { port } = record
    this.#firstPort ??= port
    this.#isNeeded ||= port !== this.#firstPort
    const key = keyOf(packet)
    if (key === null) return 'first'
    const isMarked = roce.ip.ecn === 3
    const known = this.#seen.get(key)
    if (this.#isNeeded && known !== undefined && !known.ports.has(port) && timePs - known.timePs <= WITHIN_PS) {
      known.ports.add(port)
      this.joined++
      return isMarked && !known.isMarked ? 'marked' : 'copy'
    }
    this.#seen.delete(key)
    this.#seen.set(key, { ports: new Set([port]), timePs, isMarked })
    for (const [old, sighting] of this.#seen) {
      if (this.#seen.size <= KEPT_MAX && timePs - sighting.timePs <= WITHIN_PS) break
      this.#seen.delete(old)
    }
    return 'first'
  }
}

function keyOf({ roce, record, psn }: Packet): string | null {
  if (roce.icrc === 'cut') return null
  const at = roce.packet.byteOffset + roce.packet.length
  if (roce.packet.buffer !== record.bytes.buffer) return null
  const icrc = new DataView(record.bytes.buffer, at, 4).getUint32(0)
  return `${icrc} ${psn} ${roce.bth.destinationQp}`
}
