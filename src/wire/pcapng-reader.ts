/**
 * Reader of pcapng files: one section, of either byte order; blocks and options other than those that pcapng.ts writes are
 * skipped.
 */
import { inputError, type InputError } from '../base/issue.ts'
import {
  BYTE_ORDER,
  type Capture,
  type CapturedFrame,
  type CaptureInterface,
  CRC_ERROR,
  INBOUND,
  INTERFACE,
  OPTION,
  PACKET,
  PICOSECONDS,
  SECTION,
  STATISTICS,
} from './pcapng.ts'

/** Decimal places of times where an interface does not say. */
const MICROSECONDS = 6
/** Type and length at the front, length at the end. */
const BLOCK_BYTES_MIN = 12

/** An interface, and what its times count. */
interface OpenInterface {
  facts: CaptureInterface
  readonly unitPs: number
}

/** @throws InputError where the bytes are no pcapng file, or end too early */
export function readPcapng(bytes: Uint8Array): Capture {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 28 || view.getUint32(0) !== SECTION) throw damaged('a section header', 'other bytes')
  const isLittle = view.getUint32(8, true) === BYTE_ORDER
  if (!isLittle && view.getUint32(8) !== BYTE_ORDER) throw damaged('a section header', 'no byte order')
  const texts = { application: '', comment: '' }
  const interfaces: OpenInterface[] = []
  const frames: CapturedFrame[] = []
  for (let at = 0; at < bytes.length;) {
    const length = at + BLOCK_BYTES_MIN <= bytes.length ? view.getUint32(at + 4, isLittle) : 0
    if (length < BLOCK_BYTES_MIN || length % 4 !== 0 || at + length > bytes.length)
      throw damaged('whole blocks', `a damaged one at byte ${at}`)
    const block = new Block(bytes.subarray(at + 8, at + length - 4), isLittle)
    switch (view.getUint32(at, isLittle)) {
      case SECTION: {
        const options = block.options(16)
        texts.application = textOf(options.get(OPTION.application))
        texts.comment = textOf(options.get(OPTION.comment))
        break
      }
      case INTERFACE:
        interfaces.push(readInterface(block))
        break
      case PACKET:
        frames.push(readFrame(block, interfaces))
        break
      case STATISTICS:
        addStatistics(block, interfaces)
        break
    }
    at += length
  }
  return { ...texts, interfaces: interfaces.map(({ facts }) => facts), frames }
}

function readInterface(block: Block): OpenInterface {
  const options = block.options(8)
  const resolution = options.get(OPTION.resolution)?.[0] ?? MICROSECONDS
  // The highest bit says that the rest is a power of two.
  const unitPs = resolution >= 0x80 ? 1e12 / 2 ** (resolution & 0x7f) : 10 ** (PICOSECONDS - resolution)
  const facts = {
    name: textOf(options.get(OPTION.name)),
    rateBps: block.longOf(options.get(OPTION.speed)),
    snapBytes: block.word(4),
    fcsBytes: options.get(OPTION.fcsLength)?.[0] ?? 0,
    seen: 0,
    leftOut: 0,
  }
  return { facts, unitPs }
}

function readFrame(block: Block, interfaces: readonly OpenInterface[]): CapturedFrame {
  const port = block.word(0)
  const from = interfaces[port]
  if (from === undefined) throw damaged('interfaces before their frames', `a frame of interface ${port}`)
  const keptBytes = block.word(12)
  if (keptBytes > block.bytes.length - 20) throw damaged('whole frames', `one of ${keptBytes} bytes in a shorter block`)
  const options = block.options(20 + ((keptBytes + 3) & ~3))
  const bits = block.wordOf(options.get(OPTION.flags))
  return {
    port,
    timePs: (block.word(4) * 2 ** 32 + block.word(8)) * from.unitPs,
    direction: (bits & 3) === INBOUND ? 'in' : 'out',
    hasCrcError: (bits & CRC_ERROR) !== 0,
    sizeBytes: block.word(16),
    bytes: block.bytes.slice(20, 20 + keptBytes),
    comment: textOf(options.get(OPTION.comment)),
  }
}

function addStatistics(block: Block, interfaces: readonly OpenInterface[]): void {
  const of = interfaces[block.word(0)]
  if (of === undefined) return
  const options = block.options(12)
  const seen = block.longOf(options.get(OPTION.received))
  const leftOut = block.longOf(options.get(OPTION.dropped))
  of.facts = { ...of.facts, seen, leftOut }
}

/** Content of a block, without its type and lengths. */
class Block {
  readonly bytes: Uint8Array
  readonly #isLittle: boolean

  constructor(bytes: Uint8Array, isLittle: boolean) {
    this.bytes = bytes
    this.#isLittle = isLittle
  }

  word(at: number): number {
    if (at + 4 > this.bytes.length) throw damaged('whole blocks', 'one that is too short')
    return this.#wordAt(this.bytes, at)
  }

  /** An option of 32 bits; 0 where there is none. */
  wordOf(bytes: Uint8Array | undefined): number {
    if (bytes === undefined) return 0
    if (bytes.length !== 4) throw damaged('an option of 4 bytes', `${bytes.length}`)
    return this.#wordAt(bytes, 0)
  }

  #wordAt(bytes: Uint8Array, at: number): number {
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, this.#isLittle)
  }

  /** An option of 64 bits; 0 where there is none. */
  longOf(bytes: Uint8Array | undefined): number {
    if (bytes === undefined) return 0
    if (bytes.length !== 8) throw damaged('an option of 8 bytes', `${bytes.length}`)
    const [first, second] = [this.#wordAt(bytes, 0), this.#wordAt(bytes, 4)]
    return this.#isLittle ? second * 2 ** 32 + first : first * 2 ** 32 + second
  }

  /** Options from a place on, by code; the first of each code. */
  options(from: number): Map<number, Uint8Array> {
    const { bytes } = this
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const found = new Map<number, Uint8Array>()
    for (let at = from; at + 4 <= bytes.length;) {
      const code = view.getUint16(at, this.#isLittle)
      const length = view.getUint16(at + 2, this.#isLittle)
      if (code === OPTION.end) break
      if (at + 4 + length > bytes.length) throw damaged('whole options', 'one that is too long')
      if (!found.has(code)) found.set(code, bytes.slice(at + 4, at + 4 + length))
      at += 4 + ((length + 3) & ~3)
    }
    return found
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : new TextDecoder().decode(bytes)
}

function damaged(expected: string, received: string): InputError {
  return inputError('pcapng', expected, received)
}
