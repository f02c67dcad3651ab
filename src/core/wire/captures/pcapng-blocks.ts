/**
 * Units of pcapng files: blocks of one or more sections, of either byte order. Blocks and options of which nothing is asked
 * here are skipped.
 * Source: draft-ietf-opsawg-pcapng; the Packet Block is its predecessor's.
 */
import { Clock } from './clock.ts'
import { BLOCK, BYTE_ORDER, OPTION, OWN_PROGRAM } from './pcapng.ts'
import type { CapturingInterface, RawPacket } from './raw-packet.ts'
import { Damage, type Units } from './units.ts'

/** Type and length at the front, length at the end. */
const BLOCK_BYTES_MIN = 12
/** Content of a packet block before the packet. */
const PACKET_HEADER_BYTES = 20
/** Decimal places of times where an interface does not say. */
const MICROSECONDS = 6
const DROPS_UNKNOWN = 0xffff

export interface PcapngInterface extends CapturingInterface {
  /** Most bytes kept of a frame; 0: all. */
  readonly snapBytes: number
  /** Frames that the interface has received. */
  seen: number
  /** Frames lost, as the newest statistics say, or the packets' own counts; null: the file says nothing. */
  lost: number | null
  lostBetween: number | null
}

type Visit = (code: number, at: number, length: number) => void

export class PcapngBlocks implements Units {
  /** From all sections. */
  readonly interfaces: PcapngInterface[] = []
  /** In the newest section: the program that made it, and a comment on the whole. */
  application = ''
  comment = ''
  readonly #onPacket: (packet: RawPacket<PcapngInterface>) => void
  readonly #text = new TextDecoder()
  /** A file begins with a section. */
  hasSection = false
  #isLittle = true
  /** Index of the section's first interface. */
  #firstPort = 0
  /** Those of the block that is read. */
  #bytes: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))

  constructor(onPacket: (packet: RawPacket<PcapngInterface>) => void) {
    this.#onPacket = onPacket
  }

  lengthAt(view: DataView, at: number): number {
    if (view.byteLength - at < BLOCK_BYTES_MIN) return BLOCK_BYTES_MIN
    // The type of a section is the same in both byte orders, and its third word says which it has.
    if (view.getUint32(at) === BLOCK.section) {
      this.#isLittle = view.getUint32(at + 8, true) === BYTE_ORDER
      if (!this.#isLittle && view.getUint32(at + 8) !== BYTE_ORDER) throw new Damage('a section without byte order')
    } else if (!this.hasSection) throw new Damage('no section header')
    const length = view.getUint32(at + 4, this.#isLittle)
    if (length < BLOCK_BYTES_MIN || length % 4 !== 0) throw new Damage(`a block of ${length} bytes`)
    return length
  }

  take(bytes: Uint8Array, view: DataView, at: number, length: number): void {
    this.#bytes = bytes
    this.#view = view
    const end = at + length - 4
    if (this.#word(end) !== length) throw new Damage('a block with two different lengths')
    const start = at + 8
    switch (this.#word(at)) {
      case BLOCK.section:
        this.#readSection(start, end)
        break
      case BLOCK.interface:
        this.#readInterface(start, end)
        break
      case BLOCK.packet:
        this.#readPacket(start, end, this.#fields(start, end, PACKET_HEADER_BYTES).#word(start), 0)
        break
      case BLOCK.oldPacket: {
        const port = this.#fields(start, end, PACKET_HEADER_BYTES).#short(start)
        const drops = this.#short(start + 2)
        this.#readPacket(start, end, port, drops === DROPS_UNKNOWN ? 0 : drops)
        break
      }
      case BLOCK.simplePacket:
        this.#readSimplePacket(start, end)
        break
      case BLOCK.statistics:
        this.#readStatistics(start, end)
        break
    }
  }

  #readSection(start: number, end: number): void {
    this.#fields(start, end, 16)
    this.hasSection = true
    this.#firstPort = this.interfaces.length
    this.application = this.comment = ''
    this.#options(start + 16, end, (code, at, length) => {
      if (code === OPTION.application) this.application = this.#textAt(at, length)
      else if (code === OPTION.comment) this.comment = this.#textAt(at, length)
    })
  }

  #readInterface(start: number, end: number): void {
    this.#fields(start, end, 8)
    const facts = { name: '', rateBps: 0, fcsBytes: 0 }
    let resolution = MICROSECONDS
    let offsetSeconds = 0n
    this.#options(start + 8, end, (code, at, length) => {
      if (code === OPTION.name) facts.name = this.#textAt(at, length)
      else if (code === OPTION.speed) facts.rateBps = this.#long(at, length)
      else if (code === OPTION.resolution && length > 0) resolution = this.#bytes[at]!
      else if (code === OPTION.fcsLength && length > 0) facts.fcsBytes = this.#bytes[at]!
      else if (code === OPTION.timeOffset && length === 8) offsetSeconds = this.#view.getBigInt64(at, this.#isLittle)
    })
    // The highest bit says that the rest is a power of two.
    const perSecond = powerOf(resolution >= 0x80 ? 2n : 10n, resolution & 0x7f)
    this.interfaces.push({
      ...facts,
      port: this.interfaces.length,
      linkType: this.#short(start),
      snapBytes: this.#word(start + 4),
      clock: new Clock({ perSecond, perHigh: 2n ** 32n, offsetSeconds }),
      seen: 0,
      lost: null,
      lostBetween: null,
    })
  }

  #readPacket(start: number, end: number, port: number, drops: number): void {
    const from = this.#interface(port)
    const keptBytes = this.#word(start + 12)
    const at = start + PACKET_HEADER_BYTES
    if (keptBytes > end - at) throw new Damage(`a packet of ${keptBytes} bytes in a shorter block`)
    let lost = drops
    let [flags, comment, restPs] = [0, '', 0]
    const isOwn = this.application.startsWith(OWN_PROGRAM)
    const optionsAt = at + ((keptBytes + 3) & ~3)
    if (optionsAt < end)
      this.#options(optionsAt, end, (code, valueAt, length) => {
        if (code === OPTION.flags && length === 4) flags = this.#word(valueAt)
        else if (code === OPTION.flags) throw new Damage(`flags of ${length} bytes`)
        else if (code === OPTION.comment) comment = this.#textAt(valueAt, length)
        else if (code === OPTION.picoseconds && isOwn && length === 2) restPs = this.#short(valueAt)
        else if (code === OPTION.dropCount) lost = this.#long(valueAt, length)
      })
    if (lost > 0) from.lostBetween = (from.lostBetween ?? 0) + lost
    const time = { high: this.#word(start + 4), low: this.#word(start + 8) }
    const bytes = this.#bytes
    this.#onPacket({ from, time, restPs, sizeBytes: this.#word(start + 16), keptBytes, bytes, at, flags, comment })
  }

  /** A packet of the first interface, without time and options. */
  #readSimplePacket(start: number, end: number): void {
    const sizeBytes = this.#fields(start, end, 4).#word(start)
    const from = this.#interface(0)
    const at = start + 4
    const keptBytes = Math.min(sizeBytes, from.snapBytes === 0 ? Infinity : from.snapBytes, end - at)
    this.#onPacket({ from, time: null, restPs: 0, sizeBytes, keptBytes, bytes: this.#bytes, at, flags: 0, comment: '' })
  }

  #readStatistics(start: number, end: number): void {
    const from = this.#interface(this.#fields(start, end, 12).#word(start))
    let lost: number | null = null
    this.#options(start + 12, end, (code, at, length) => {
      if (code === OPTION.received) from.seen = this.#long(at, length)
      else if (code === OPTION.dropped || code === OPTION.droppedBySystem) lost = (lost ?? 0) + this.#long(at, length)
    })
    // They count from the beginning of the capture.
    from.lost = lost ?? from.lost
  }

  #interface(port: number): PcapngInterface {
    const from = this.interfaces[this.#firstPort + port]
    if (from === undefined) throw new Damage(`a record of interface ${port}, which is not described`)
    return from
  }

  /** Checks that a block has the fields that all of its type have. */
  #fields(start: number, end: number, bytes: number): this {
    if (start + bytes > end) throw new Damage('a block that is too short')
    return this
  }

  #options(start: number, end: number, visit: Visit): void {
    for (let at = start; at + 4 <= end;) {
      const code = this.#short(at)
      const length = this.#short(at + 2)
      if (code === OPTION.end) return
      if (at + 4 + length > end) throw new Damage(`an option of ${length} bytes in a shorter block`)
      visit(code, at + 4, length)
      at += 4 + ((length + 3) & ~3)
    }
  }

  #short(at: number): number {
    return this.#view.getUint16(at, this.#isLittle)
  }

  #word(at: number): number {
    return this.#view.getUint32(at, this.#isLittle)
  }

  #long(at: number, length: number): number {
    if (length !== 8) throw new Damage(`a number of ${length} bytes instead of 8`)
    return Number(this.#view.getBigUint64(at, this.#isLittle))
  }

  #textAt(at: number, length: number): string {
    return this.#text.decode(this.#bytes.subarray(at, at + length))
  }
}

function powerOf(base: bigint, exponent: number): bigint {
  let power = 1n
  for (let n = 0; n < exponent; n++) power *= base
  return power
}
