/**
 * Protocol Buffers as bytes: varints, and fields by number and wire type.
 * No generated code: it would bring a package and a schema that must fit, for the dozen fields that an import needs. Here
 * unknown fields are skipped by their wire type, and every length is checked before anything is read or kept.
 * Source: protobuf.dev, "Encoding". Groups, wire types 3 and 4, are refused: nothing has written them since 2008.
 */

/** Bytes that are no message. Thrown by the readers here, for the reader of a file to report. */
export class Damaged extends Error {
  /** Position in the file, from 0. */
  readonly offset: number
  readonly expected: string
  readonly received: string

  constructor(offset: number, expected: string, received: string) {
    super(expected)
    this.name = 'Damaged'
    this.offset = offset
    this.expected = expected
    this.received = received
  }
}

export const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5] as const
const WIRE_TYPES: readonly number[] = [VARINT, FIXED64, BYTES, FIXED32]
const VARINT_BYTES_MAX = 10
const FIELD_MAX = 2 ** 29 - 1
const U32 = 2 ** 32
const DECODER = new TextDecoder()

/** Reads the fields of a message, one by one: `next()`, then the value. A value that is not read is skipped. */
export class MessageReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at: number
  #end: number
  /** Where the value of the current field ends; -1 where that shows only when it is read. */
  #valueEnd = 0
  /** Number and wire type of the current field. */
  field = 0
  wireType = 0
  /** Halves of the varint that was read last. */
  #low = 0
  #high = 0

  /** @param from first byte, and @param end the one behind the last, of the message */
  constructor(bytes: Uint8Array, from: number = 0, end: number = bytes.length) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = this.#valueEnd = from
    this.#end = end
  }

  /** Position in the file. */
  get offset(): number {
    return this.#at
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end
  }

  /** Goes to the next field. @returns false at the end */
  next(): boolean {
    this.#at = this.#valueEnd
    if (this.#at >= this.#end) return false
    const from = this.#at
    this.#readVarint()
    this.wireType = this.#low & 7
    this.field = Math.floor((this.#high * U32 + this.#low) / 8)
    if (this.field < 1 || this.field > FIELD_MAX || !WIRE_TYPES.includes(this.wireType))
      throw new Damaged(from, 'a field of a message', `number ${this.field}, wire type ${this.wireType}`)
    this.#valueEnd = this.#endOfValue()
    return true
  }

  /** The value as a number, for wire types 0, 1 and 5, without a sign. Above 2^53 it is not exact. */
  unsigned(): number {
    this.#readHalves()
    return this.#high * U32 + this.#low
  }

  /** The value in two's complement of 64 bits, or of 32 with wire type 5. */
  signed(): number {
    this.#readHalves()
    if (this.wireType === FIXED32) return this.#low | 0
    return (this.#high | 0) * U32 + this.#low
  }

  /** The value as sint32 and sint64 have it: 0, -1, 1, -2, ... */
  zigzag(): number {
    this.#readHalves()
    const half = Math.floor((this.#high * U32 + this.#low) / 2)
    return (this.#low & 1) === 0 ? half : -half - 1
  }

  /** The value as a float of 4 or 8 bytes. */
  real(): number {
    if (this.wireType === FIXED32) return this.#view.getFloat32(this.#at, true)
    if (this.wireType === FIXED64) return this.#view.getFloat64(this.#at, true)
    throw this.wrong('a float')
  }

  text(): string {
    const { from, end } = this.#span()
    return DECODER.decode(this.#bytes.subarray(from, end))
  }

  /** The message inside this field. */
  message(): MessageReader {
    const { from, end } = this.#span()
    return new MessageReader(this.#bytes, from, end)
  }

  /** Numbers of a repeated field, packed or not, go to `take`. */
  numbers(take: (value: number) => void): void {
    if (this.wireType !== BYTES) return take(this.unsigned())
    const { from, end } = this.#span()
    const packed = new MessageReader(this.#bytes, from, end)
    while (!packed.isAtEnd) take(packed.varint())
  }

  /** A varint without a field before it. */
  varint(bytesMax: number = VARINT_BYTES_MAX): number {
    this.#readVarint(bytesMax)
    this.#valueEnd = this.#at
    return this.#high * U32 + this.#low
  }

  /** A message without a field before it, as records of a file. */
  record(length: number): MessageReader {
    const from = this.#at
    this.#at = this.#valueEnd = from + length
    return new MessageReader(this.#bytes, from, from + length)
  }

  /** Bytes that are left. */
  get left(): number {
    return this.#end - this.#at
  }

  /** For a field with another wire type than its own. */
  wrong(expected: string): Damaged {
    return new Damaged(this.#at, expected, `field ${this.field} with wire type ${this.wireType}`)
  }

  #span(): { from: number; end: number } {
    if (this.wireType !== BYTES) throw this.wrong('a text, a list or a message')
    return { from: this.#at, end: this.#valueEnd }
  }

  /** Afterwards the position is at the first byte of the value. */
  #endOfValue(): number {
    const from = this.#at
    if (this.wireType === VARINT) {
      this.#readVarint()
      const end = this.#at
      this.#at = from
      return end
    }
    if (this.wireType === BYTES) this.#readVarint(5)
    const length = this.wireType === BYTES ? this.#high * U32 + this.#low : this.wireType === FIXED64 ? 8 : 4
    if (length > this.#end - this.#at)
      throw new Damaged(from, `${length} bytes of field ${this.field}`, `${Math.max(0, this.#end - this.#at)}`)
    return this.#at + length
  }

  #readHalves(): void {
    if (this.wireType === BYTES) throw this.wrong('a number')
    if (this.wireType === VARINT) {
      const from = this.#at
      this.#readVarint()
      this.#at = from
      return
    }
    this.#low = this.#view.getUint32(this.#at, true)
    this.#high = this.wireType === FIXED64 ? this.#view.getUint32(this.#at + 4, true) : 0
  }

  #readVarint(bytesMax: number = VARINT_BYTES_MAX): void {
    const from = this.#at
    let [low, high] = [0, 0]
    for (let shift = 0; ; shift += 7) {
      if (this.#at >= this.#end) throw new Damaged(from, 'a varint', 'the end of the message')
      if (this.#at - from >= bytesMax) throw new Damaged(from, `a varint of at most ${bytesMax} bytes`, 'a longer one')
      const byte = this.#bytes[this.#at++]!
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= (bits & 15) << 28
        high |= bits >> 4
      } else high |= bits << (shift - 32)
      if (byte < 0x80) break
    }
    this.#low = low >>> 0
    this.#high = high >>> 0
  }
}
