/**
 * Units of classic pcap files: a header of 24 bytes, then records with a header of 16. One interface; times in microseconds or
 * nanoseconds; either byte order. The upper bits of the link type may say that frames end with an FCS.
 * Source: draft-ietf-opsawg-pcap.
 */
import { Clock } from './clock.ts'
import type { CapturingInterface, RawPacket } from './raw-packet.ts'
import type { Units } from './units.ts'

const HEADER_BYTES = 24
const RECORD_BYTES = 16
const HAS_FCS_BYTES = 0x0400_0000

/** Counts per second by the first four bytes, in the order of the bytes of numbers. */
const MAGICS: readonly (readonly [number, bigint])[] = [
  [0xa1b2c3d4, 1_000_000n],
  [0xa1b23c4d, 1_000_000_000n],
]

interface PcapStart {
  readonly isLittle: boolean
  readonly perSecond: bigint
}

/** The kind of pcap file that begins with these four bytes; null: none. */
export function pcapStart(view: DataView): PcapStart | null {
  for (const isLittle of [true, false])
    for (const [magic, perSecond] of MAGICS) if (view.getUint32(0, isLittle) === magic) return { isLittle, perSecond }
  return null
}

export class PcapRecords implements Units {
  readonly #isLittle: boolean
  readonly #clock: Clock
  readonly #onPacket: (packet: RawPacket<CapturingInterface>) => void
  /** null: the header is not read yet. */
  #from: CapturingInterface | null = null

  constructor({ isLittle, perSecond }: PcapStart, onPacket: (packet: RawPacket<CapturingInterface>) => void) {
    this.#isLittle = isLittle
    this.#clock = new Clock({ perSecond, perHigh: perSecond, offsetSeconds: 0n })
    this.#onPacket = onPacket
  }

  lengthAt(view: DataView, at: number): number {
    if (this.#from === null) return HEADER_BYTES
    return RECORD_BYTES + (view.byteLength - at < RECORD_BYTES ? 0 : view.getUint32(at + 8, this.#isLittle))
  }

  take(bytes: Uint8Array, view: DataView, at: number, length: number): void {
    const isLittle = this.#isLittle
    if (this.#from === null) {
      const type = view.getUint32(at + 20, isLittle)
      // In words of 16 bits.
      const fcsBytes = (type & HAS_FCS_BYTES) === 0 ? 0 : 2 * (type >>> 28)
      this.#from = { port: 0, name: '', linkType: type & 0xffff, clock: this.#clock, fcsBytes, rateBps: 0 }
      return
    }
    this.#onPacket({
      from: this.#from,
      time: { high: view.getUint32(at, isLittle), low: view.getUint32(at + 4, isLittle) },
      restPs: 0,
      sizeBytes: view.getUint32(at + 12, isLittle),
      keptBytes: length - RECORD_BYTES,
      bytes,
      at: at + RECORD_BYTES,
      flags: 0,
      comment: '',
    })
  }
}
