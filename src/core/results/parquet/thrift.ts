/**
 * Thrift's compact protocol, as far as Parquet uses it, from bytes that may be anybody's: nothing is read beyond their end,
 * and no list is longer than what is left of them. Source: Apache Thrift, "Thrift Compact protocol encoding".
 */

/** Fields by number. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>
type ThriftValue = number | boolean | Uint8Array | readonly ThriftValue[] | ThriftStruct

const TRUE = 1
const FALSE = 2
const BYTE = 3
const I16 = 4
const I32 = 5
const I64 = 6
const DOUBLE = 7
const BINARY = 8
const LIST = 9
const SET = 10
const STRUCT = 12

/** Parquet's structures are half as deep. */
const DEPTH_MAX = 16
/** Bytes of the longest number, of 64 bits. */
const VARINT_BYTES_MAX = 10

/** Bytes and the place of the next. */
export class ByteReader {
  readonly bytes: Uint8Array
  readonly end: number
  at: number

  constructor(bytes: Uint8Array, at: number, end: number) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  byte(): number {
    if (this.at >= this.end) throw new Error('it ends too early')
    return this.bytes[this.at++]!
  }

  /** The next bytes, which are not copied. */
  take(length: number): Uint8Array {
    if (!(length >= 0 && length <= this.end - this.at)) throw new Error('it ends too early')
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  /** An unsigned number of up to 53 bits. */
  varint(): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < VARINT_BYTES_MAX; i++) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break
        return value
      }
      scale *= 128
    }
    throw new Error('a number is too large')
  }
}

/** The structure that begins where the reader is. Throws an Error for anything else. */
export function readStruct(reader: ByteReader, depth = 0): ThriftStruct {
  if (depth > DEPTH_MAX) throw new Error('its structures are nested too deep')
  const fields = new Map<number, ThriftValue>()
  let field = 0
  for (;;) {
    const head = reader.byte()
    if (head === 0) return fields
    field = head >> 4 === 0 ? signed(reader.varint()) : field + (head >> 4)
    if (fields.has(field)) throw new Error('a field stands twice')
    fields.set(field, readValue(reader, head & 0xf, depth))
  }
}

function readValue(reader: ByteReader, type: number, depth: number): ThriftValue {
  switch (type) {
    case TRUE:
      return true
    case FALSE:
      return false
    case BYTE:
      return reader.byte()
    case I16:
    case I32:
    case I64:
      return signed(reader.varint())
    case DOUBLE: {
      const bytes = reader.take(8)
      return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true)
    }
    case BINARY:
      return reader.take(reader.varint())
    case LIST:
    case SET:
      return readList(reader, depth)
    case STRUCT:
      return readStruct(reader, depth + 1)
    default:
      throw new Error('a field has a type that Parquet does not use')
  }
}

function readList(reader: ByteReader, depth: number): readonly ThriftValue[] {
  if (depth > DEPTH_MAX) throw new Error('its structures are nested too deep')
  const head = reader.byte()
  const type = head & 0xf
  const length = head >> 4 === 15 ? reader.varint() : head >> 4
  // Each item has a byte or more.
  if (length > reader.end - reader.at) throw new Error('a list is longer than the file')
  const items: ThriftValue[] = []
  for (let i = 0; i < length; i++) {
    // In a list a truth value is a byte of its own.
    items.push(type === TRUE || type === FALSE ? reader.byte() === TRUE : readValue(reader, type, depth + 1))
  }
  return items
}

/** Zigzag: signs are in the lowest bit. */
function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

/** A number of a structure, from 0. */
export function countOf(struct: ThriftStruct, field: number): number {
  const value = struct.get(field)
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Error('a number is missing')
  return value
}

/** The same, or 0 where there is none. */
export function countOrZero(struct: ThriftStruct, field: number): number {
  return struct.has(field) ? countOf(struct, field) : 0
}

export function structOf(struct: ThriftStruct, field: number): ThriftStruct {
  const value = struct.get(field)
  if (!(value instanceof Map)) throw new Error('a structure is missing')
  return value as ThriftStruct
}

/** Structures of a list; none where there is no list. */
export function structsOf(struct: ThriftStruct, field: number): readonly ThriftStruct[] {
  const list = struct.get(field) ?? []
  if (!Array.isArray(list) || !list.every((one) => one instanceof Map)) throw new Error('a list is missing')
  return list as readonly ThriftStruct[]
}

export function textOf(struct: ThriftStruct, field: number): string {
  const value = struct.get(field)
  if (!(value instanceof Uint8Array)) throw new Error('a text is missing')
  return decoder.decode(value)
}

/** Refuses bytes that are not UTF-8, and keeps a byte-order mark, which a text may begin with. */
export const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
