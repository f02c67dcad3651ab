/**
 * Pages of a Parquet column: its values from bytes that may be anybody's. Sizes and counts are checked before anything is
 * made of them, so that a damaged file is refused and never takes longer than a whole one of its size.
 * Source: Apache Parquet, "Data Pages" and "Encodings".
 */
import { snappyUncompress } from 'hyparquet'
import { ByteReader, countOf, countOrZero, decoder, readStruct, structOf, type ThriftStruct } from './thrift.ts'

/** Physical types, by the numbers of the format. */
export const BOOLEAN = 0
export const INT32 = 1
export const INT64 = 2
export const FLOAT = 4
export const DOUBLE = 5
export const BYTE_ARRAY = 6

const DATA_PAGE = 0
const DICTIONARY_PAGE = 2
const DATA_PAGE_V2 = 3

const PLAIN = 0
const PLAIN_DICTIONARY = 2
const RLE = 3
const RLE_DICTIONARY = 8

export const UNCOMPRESSED = 0
export const SNAPPY = 1

/** Pages of common writers have a megabyte. */
const PAGE_BYTES_MAX = 2 ** 28
/** Snappy makes at most 64 bytes of three. */
const SNAPPY_RATIO_MAX = 22

/** Values of a column. */
type Values = Float64Array | string[]

/** A column of one row group. */
export interface Chunk {
  readonly type: number
  readonly isOptional: boolean
  readonly codec: number
  /** Where its pages are in the file. */
  readonly from: number
  readonly to: number
  readonly rows: number
}

/** A page without its header. */
interface Page {
  readonly rows: number
  readonly encoding: number
  /** By row, 1 where there is a value; undefined: there is one in each. */
  readonly isThere: Uint32Array | undefined
  readonly valueCount: number
  readonly values: Uint8Array
}

/** Reads a chunk into its rows of a column. Throws an Error that says what is wrong. */
export function readChunk(bytes: Uint8Array, chunk: Chunk, column: Values, rowStart: number): void {
  const reader = new ByteReader(bytes, chunk.from, chunk.to)
  let dictionary: Values | undefined
  for (let row = 0; row < chunk.rows;) {
    const header = readStruct(reader)
    const stored = reader.take(countOf(header, 3))
    const type = countOf(header, 1)
    const sizeBytes = countOf(header, 2)
    if (sizeBytes > Math.min(PAGE_BYTES_MAX, SNAPPY_RATIO_MAX * stored.length + 64)) {
      throw new Error('a page is larger than its bytes can make it')
    }
    if (type === DICTIONARY_PAGE) {
      if (dictionary !== undefined) throw new Error('a column has two dictionaries')
      dictionary = dictionaryOf(chunk, structOf(header, 7), unpacked(chunk, stored, sizeBytes))
      continue
    }
    if (type !== DATA_PAGE && type !== DATA_PAGE_V2) throw new Error(`a page is of the unknown type ${type}`)
    const page =
      type === DATA_PAGE ? pageOf(chunk, header, stored, sizeBytes) : pageV2Of(chunk, header, stored, sizeBytes)
    if (page.rows > chunk.rows - row) throw new Error('a column has more rows than the table')
    fillRows(page, valuesOf(chunk, page, dictionary), column, rowStart + row)
    row += page.rows
  }
}

function dictionaryOf(chunk: Chunk, header: ThriftStruct, page: Uint8Array): Values {
  const count = countOf(header, 1)
  const encoding = countOf(header, 2)
  if (encoding !== PLAIN && encoding !== PLAIN_DICTIONARY) throw new Error(`a dictionary has encoding ${encoding}`)
  return plainValues(chunk.type, page, count)
}

function pageOf(chunk: Chunk, header: ThriftStruct, stored: Uint8Array, sizeBytes: number): Page {
  const head = structOf(header, 5)
  const rows = rowsOf(head, chunk)
  const page = unpacked(chunk, stored, sizeBytes)
  const encoding = countOf(head, 2)
  if (!chunk.isOptional) return { rows, encoding, isThere: undefined, valueCount: rows, values: page }
  if (countOf(head, 3) !== RLE) throw new Error('a page has levels of an unknown encoding')
  const reader = new ByteReader(page, 0, page.length)
  const levels = reader.take(little32(reader.take(4), 0))
  const isThere = runs(levels, 1, rows)
  return { rows, encoding, isThere, valueCount: countThere(isThere), values: page.subarray(reader.at) }
}

function pageV2Of(chunk: Chunk, header: ThriftStruct, stored: Uint8Array, sizeBytes: number): Page {
  const head = structOf(header, 8)
  const rows = rowsOf(head, chunk)
  const encoding = countOf(head, 4)
  const levelBytes = countOrZero(head, 5)
  if (countOrZero(head, 6) !== 0) throw new Error('a page has repeated values')
  if (levelBytes > Math.min(stored.length, sizeBytes)) throw new Error('a page has more levels than bytes')
  const packed = stored.subarray(levelBytes)
  const isPlain = head.get(7) === false
  const values = isPlain ? packed : unpacked(chunk, packed, sizeBytes - levelBytes)
  if (isPlain && values.length !== sizeBytes - levelBytes) throw new Error('a page has another size than it says')
  const isThere = chunk.isOptional ? runs(stored.subarray(0, levelBytes), 1, rows) : undefined
  const valueCount = isThere === undefined ? rows : countThere(isThere)
  if (valueCount !== rows - countOrZero(head, 2)) throw new Error('a page has other absent values than it says')
  return { rows, encoding, isThere, valueCount, values }
}

/** Rows of a page: that many values, absent ones included, as no value is a list. */
function rowsOf(head: ThriftStruct, chunk: Chunk): number {
  const rows = countOf(head, 1)
  if (rows === 0 || rows > chunk.rows) throw new Error('a page has other rows than the table')
  return rows
}

function countThere(isThere: Uint32Array): number {
  let count = 0
  for (let row = 0; row < isThere.length; row++) count += isThere[row]!
  return count
}

function unpacked({ codec }: Chunk, stored: Uint8Array, sizeBytes: number): Uint8Array {
  if (codec === UNCOMPRESSED) {
    if (stored.length !== sizeBytes) throw new Error('a page has another size than it says')
    return stored
  }
  const page = new Uint8Array(sizeBytes)
  // It looks for a length even where there is nothing.
  if (sizeBytes > 0 || stored.length > 0) snappyUncompress(stored, page)
  return page
}

function valuesOf({ type }: Chunk, page: Page, dictionary: Values | undefined): Values {
  const { encoding, values, valueCount } = page
  if (encoding === PLAIN) return plainValues(type, values, valueCount)
  if (encoding === RLE && type === BOOLEAN) {
    const reader = new ByteReader(values, 0, values.length)
    return Float64Array.from(runs(reader.take(little32(reader.take(4), 0)), 1, valueCount))
  }
  if (encoding !== RLE_DICTIONARY && encoding !== PLAIN_DICTIONARY) {
    throw new Error(`a page has encoding ${encoding}, which this program does not read`)
  }
  if (dictionary === undefined) throw new Error('a page has a dictionary that is missing')
  if (valueCount === 0) return dictionary.slice(0, 0)
  const width = values[0] ?? 0
  if (width > 32) throw new Error('a page has numbers of more than 32 bits in its dictionary')
  const numbers = runs(values.subarray(1), width, valueCount)
  const found: Values = dictionary instanceof Float64Array ? new Float64Array(valueCount) : Array<string>(valueCount)
  for (let i = 0; i < valueCount; i++) {
    const number = numbers[i]!
    if (number >= dictionary.length) throw new Error('a value is not in its dictionary')
    found[i] = dictionary[number]!
  }
  return found
}

function fillRows({ isThere, rows }: Page, values: Values, column: Values, rowStart: number): void {
  let next = 0
  for (let row = 0; row < rows; row++) {
    if (isThere === undefined || isThere[row] === 1) column[rowStart + row] = values[next++]!
  }
}

/** Bytes of a value of a type that has a fixed size. */
const WIDTHS: Readonly<Record<number, number>> = { [INT32]: 4, [INT64]: 8, [FLOAT]: 4, [DOUBLE]: 8 }

function plainValues(type: number, page: Uint8Array, count: number): Values {
  if (type === BYTE_ARRAY) return plainTexts(page, count)
  const width = WIDTHS[type]
  if (page.length !== (width === undefined ? Math.ceil(count / 8) : width * count)) {
    throw new Error('a page has other values than it says')
  }
  const values = new Float64Array(count)
  const view = new DataView(page.buffer, page.byteOffset, page.length)
  for (let i = 0; i < count; i++) {
    if (type === DOUBLE) values[i] = view.getFloat64(8 * i, true)
    else if (type === INT64) values[i] = wholeAt(view, 8 * i)
    else if (type === INT32) values[i] = view.getInt32(4 * i, true)
    else if (type === FLOAT) values[i] = view.getFloat32(4 * i, true)
    else values[i] = (page[i >> 3]! >> (i & 7)) & 1
  }
  return values
}

function wholeAt(view: DataView, at: number): number {
  const value = view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)
  if (!Number.isSafeInteger(value)) throw new Error('an integer is beyond 2^53')
  return value
}

function plainTexts(page: Uint8Array, count: number): string[] {
  // Each has a length of four bytes.
  if (4 * count > page.length) throw new Error('a page has other values than it says')
  const reader = new ByteReader(page, 0, page.length)
  const texts = Array.from({ length: count }, () => decoder.decode(reader.take(little32(reader.take(4), 0))))
  if (reader.at !== page.length) throw new Error('a page has other values than it says')
  return texts
}

/** Numbers of `width` bits in runs: of one that repeats, or of groups of eight packed bits. */
function runs(bytes: Uint8Array, width: number, count: number): Uint32Array {
  const numbers = new Uint32Array(count)
  const reader = new ByteReader(bytes, 0, bytes.length)
  for (let seen = 0; seen < count;) {
    const head = reader.varint()
    const length = head % 2 === 1 ? 8 * Math.floor(head / 2) : head / 2
    if (length === 0) throw new Error('a run has no values')
    const wanted = Math.min(length, count - seen)
    if (head % 2 === 1) {
      // The last group may be cut behind its last value.
      const whole = Math.min((length / 8) * width, bytes.length - reader.at)
      unpack(reader.take(Math.max(whole, Math.ceil((wanted * width) / 8))), width, numbers, seen, wanted)
    } else {
      if (wanted < length) throw new Error('a run has more values than its page')
      const value = reader.take(Math.ceil(width / 8)).reduceRight((sum, byte) => sum * 256 + byte, 0)
      numbers.fill(value, seen, seen + wanted)
    }
    seen += wanted
  }
  return numbers
}

/** Numbers that stand bit behind bit, the lowest bit first. */
function unpack(bytes: Uint8Array, width: number, numbers: Uint32Array, from: number, count: number): void {
  const range = 2 ** width
  // Bits that were read and not used yet, less than 40: as many as a double holds, and more than an int32 does.
  let [bits, have, next] = [0, 0, 0]
  for (let i = 0; i < count; i++) {
    while (have < width) {
      bits += bytes[next++]! * 2 ** have
      have += 8
    }
    const rest = Math.floor(bits / range)
    numbers[from + i] = bits - rest * range
    bits = rest
    have -= width
  }
}

function little32(bytes: Uint8Array, at: number): number {
  return bytes[at]! + bytes[at + 1]! * 2 ** 8 + bytes[at + 2]! * 2 ** 16 + bytes[at + 3]! * 2 ** 24
}
