/**
 * Packed frames: frames of a capture as columns of numbers, and their bytes one behind the other: objects of 200,000 frames
 * take 430 MB, this 30. Frames have numbers, from 0 on.
 * Shape: chunks of ROWS rows of integers and doubles, and chunks of bytes.
 */
import type { EncodedFrame, FileFrame } from '../packet-frames.ts'

/** Integers of a row: port, bits, size, kind, queue pair, PSN, bytes of head, zeros and tail, and the chunk of its bytes. */
const PORT = 0
const BITS = 1
const SIZE = 2
const KIND = 3
const PAIR = 4
const PSN = 5
const HEAD = 6
const ZEROS = 7
const TAIL = 8
const CHUNK = 9
const AT = 10
const INTEGERS = 11
const ROWS = 4096
const CHUNK_BYTES = 2 ** 19
/** Bits: it came in; its FCS was wrong. */
const IS_IN = 1
const HAS_CRC_ERROR = 2

/** A frame, and what the table has of it besides. */
export interface PackedFrame extends FileFrame {
  readonly kind: string
  readonly pair: number
  readonly psn: number
  /** Frame bytes, FCS included, as the network counts them. */
  readonly sizeBytes: number
}

/** The part of frames that may still change: bits by frame, and comments. */
interface Notes {
  readonly bits: Uint8Array
  readonly comments: ReadonlyMap<number, string>
}

export class PackedFrames {
  count = 0
  readonly #integers: Int32Array[] = []
  readonly #timesPs: Float64Array[] = []
  readonly #bytes: Uint8Array[] = []
  /** Bytes in use of the last chunk. */
  #usedBytes = 0
  readonly #kinds: string[] = []
  readonly #numberOf = new Map<string, number>()
  readonly #comments = new Map<number, string>()

  /** @returns number of the frame */
  add(frame: EncodedFrame, port: number, timePs: number, direction: 'in' | 'out', sizeBytes: number): number {
    const number = this.count++
    const row = number % ROWS
    if (row === 0) {
      this.#integers.push(new Int32Array(INTEGERS * ROWS))
      this.#timesPs.push(new Float64Array(ROWS))
    }
    const { head, tail, kind } = frame
    const length = head.length + tail.length
    if (this.#usedBytes + length > (this.#bytes.at(-1)?.length ?? 0)) {
      this.#bytes.push(new Uint8Array(Math.max(CHUNK_BYTES, length)))
      this.#usedBytes = 0
    }
    const bytes = this.#bytes.at(-1)!
    bytes.set(head, this.#usedBytes)
    bytes.set(tail, this.#usedBytes + head.length)
    const integers = this.#integers.at(-1)!
    const at = row * INTEGERS
    integers[at + PORT] = port
    integers[at + BITS] = direction === 'in' ? IS_IN : 0
    integers[at + SIZE] = sizeBytes
    integers[at + KIND] = this.#numberOfKind(kind)
    integers[at + PAIR] = frame.pair
    integers[at + PSN] = frame.psn
    integers[at + HEAD] = head.length
    integers[at + ZEROS] = frame.zeroBytes
    integers[at + TAIL] = tail.length
    integers[at + CHUNK] = this.#bytes.length - 1
    integers[at + AT] = this.#usedBytes
    this.#timesPs.at(-1)![row] = timePs
    this.#usedBytes += length
    return number
  }

  /** The FCS of a frame was wrong. */
  damage(number: number): void {
    this.#integers[Math.floor(number / ROWS)]![(number % ROWS) * INTEGERS + BITS]! |= HAS_CRC_ERROR
  }

  comment(number: number, text: string): void {
    const before = this.#comments.get(number)
    this.#comments.set(number, before === undefined ? text : `${before}; ${text}`)
  }

  /** Numbers of the frames by time, those of one instant in the order in which they were added. */
  order(): Uint32Array {
    const order = Uint32Array.from({ length: this.count }, (_, number) => number)
    return order.sort((a, b) => this.#timePs(a) - this.#timePs(b) || a - b)
  }

  /** The part that may still change, of frames up to now. */
  notes(): Notes {
    const bits = Uint8Array.from({ length: this.count }, (_, number) => this.#integer(number, BITS))
    return { bits, comments: new Map(this.#comments) }
  }

  frameOf(number: number, { bits, comments }: Notes): PackedFrame {
    const bytes = this.#bytes[this.#integer(number, CHUNK)]!
    const at = this.#integer(number, AT)
    const tailAt = at + this.#integer(number, HEAD)
    return {
      port: this.#integer(number, PORT),
      timePs: this.#timePs(number),
      direction: (bits[number]! & IS_IN) === 0 ? 'out' : 'in',
      hasCrcError: (bits[number]! & HAS_CRC_ERROR) !== 0,
      comment: comments.get(number) ?? '',
      kind: this.#kinds[this.#integer(number, KIND)]!,
      pair: this.#integer(number, PAIR),
      psn: this.#integer(number, PSN),
      sizeBytes: this.#integer(number, SIZE),
      head: bytes.subarray(at, tailAt),
      zeroBytes: this.#integer(number, ZEROS),
      tail: bytes.subarray(tailAt, tailAt + this.#integer(number, TAIL)),
    }
  }

  #integer(number: number, field: number): number {
    return this.#integers[Math.floor(number / ROWS)]![(number % ROWS) * INTEGERS + field]!
  }

  #timePs(number: number): number {
    return this.#timesPs[Math.floor(number / ROWS)]![number % ROWS]!
  }

  #numberOfKind(kind: string): number {
    const known = this.#numberOf.get(kind)
    if (known !== undefined) return known
    this.#numberOf.set(kind, this.#kinds.length)
    return this.#kinds.push(kind) - 1
  }
}
