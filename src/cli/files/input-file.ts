/**
 * Input files: files that the user names, checked for kind and size before they fill the memory.
 * A file, a pipe, a terminal or a null device is read up to INPUT_BYTES_MAX; block devices and endless devices are refused.
 * Texts are UTF-8; another encoding is reported by name.
 * Stored files are those below a folder that the program has written: regular files, or they are refused.
 */
import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs'
import path from 'node:path'
import { isatty } from 'node:tty'
import { gunzipSync } from 'node:zlib'
import { InputError } from '../../core/base/issue.ts'
import { humanBytes } from '../../show/index.ts'
import { fileMistake } from './files.ts'
import { inside } from './inside.ts'
import { codeOf } from './system-error.ts'

/** Room for a trace of about five million messages, or a table of as many flows. */
const INPUT_BYTES_MAX: number = 256 * 2 ** 20

const CHUNK_BYTES = 2 ** 20
/** Wait before a non-blocking standard input is read again. */
const RETRY_MS = 20

/** Reason why an input cannot be read. */
interface Reason {
  readonly received: string
  readonly hint: string
  /** Position of the first bytes that are not UTF-8, 1-based. */
  readonly line?: number
  readonly column?: number
  /** Name of the encoding that they seem to have, as decoders know it. */
  readonly coding?: string
}
const LATIN = 'windows-1252'

/** An existing input that cannot be used. */
class Unreadable extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason.received)
    this.name = 'Unreadable'
    this.reason = reason
  }
}

/** The text of a file; "-" is standard input. Throws InputError if it cannot be read. */
export function readText(directory: string, file: string, what: string): string {
  return read(file, what, () => decoded(file === '-' ? readOpen(0) : readPath(path.resolve(directory, file))))
}

/** The text of a file that need not exist: undefined if it does not. */
export function readTextIfThere(directory: string, file: string, what: string): string | undefined {
  return isThere(directory, file, what) ? readText(directory, file, what) : undefined
}

/** The bytes of a file that need not exist, at most as many as a text may have: undefined if it does not. Gzip is unpacked. */
export function readBytesIfThere(directory: string, file: string, what: string): Uint8Array | undefined {
  if (!isThere(directory, file, what)) return undefined
  return read(file, what, () => unpacked(readPath(path.resolve(directory, file))))
}

function unpacked(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: INPUT_BYTES_MAX })
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(`gzip of more than ${humanBytes(INPUT_BYTES_MAX)}`, 'file', INPUT_BYTES_MAX)
    throw new Unreadable({ received: 'gzip that cannot be unpacked', hint: 'is the file whole?' })
  }
}

function isThere(directory: string, file: string, what: string): boolean {
  try {
    statSync(path.resolve(directory, file))
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false
    throw fileMistake(error, file, what)
  }
}

/** Which part of a stored file to read. */
interface StoredPart {
  readonly bytesMax?: number
  /** First byte. */
  readonly from?: number
}

/**
 * The bytes of a file below a folder; undefined if there is none. Throws InputError for anything but a regular file.
 * @param shown the folder as the user named it @param name with forward slashes
 */
export function readStored(
  folder: string,
  shown: string,
  name: string,
  what: string,
  { bytesMax = INPUT_BYTES_MAX, from = 0 }: StoredPart = {},
): Uint8Array<ArrayBuffer> | undefined {
  const file = inside(folder, shown, name)
  return read(path.join(shown, name), what, () => readRegular(file, bytesMax, from))
}

/** The text of a file below a folder; undefined if there is none. Throws InputError like `readStored`, or if it is no text. */
export function readStoredText(folder: string, shown: string, name: string, what: string): string | undefined {
  const bytes = readStored(folder, shown, name, what)
  return bytes === undefined ? undefined : read(path.join(shown, name), what, () => decoded(Buffer.from(bytes.buffer)))
}

/**
 * Bytes that somebody has collected, as text: UTF-8, UTF-16 with a mark or without, or else Windows-1252, line by line.
 * Throws InputError if they are none. @param file that they are from, for the message
 */
export function collectedText(file: string, bytes: Uint8Array): string {
  return read(file, 'a text', () => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const lines = lineCount(buffer)
    if (lines > LINES_MAX)
      throw new Unreadable({ received: `a text of ${lines} lines`, hint: `one may have ${LINES_MAX}` })
    const other = otherCoding(buffer)
    if (other === undefined) return buffer.toString('utf8')
    if (other.coding === undefined) throw new Unreadable(other)
    return other.coding === LATIN ? mixedText(buffer) : new TextDecoder(other.coding).decode(buffer)
  })
}

/** Lines of a text that was collected: each is an object while it is read. */
export const LINES_MAX = 500_000

export function lineCount(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++
  return count
}

/** Lines in UTF-8, and those that are not in Windows-1252. */
function mixedText(bytes: Buffer): string {
  const latin = new TextDecoder(LATIN)
  const lines: string[] = []
  for (let at = 0; at <= bytes.length;) {
    const found = bytes.indexOf(10, at)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(at, end)
    lines.push(isUtf8(line) ? line.toString('utf8') : latin.decode(line))
    at = end + 1
  }
  return lines.join('\n')
}

/** The bytes of a regular file from `from` on; undefined if there is none. */
function readRegular(file: string, bytesMax: number, from: number): Uint8Array<ArrayBuffer> | undefined {
  const there = statIfThere(file)
  if (there === undefined) return undefined
  expectRegular(there)
  // Another program may put a pipe in its place, whose opening waits for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(descriptor)
    expectRegular(stats)
    const size = Math.max(0, stats.size - from)
    if (size > bytesMax) throw tooLarge(`a file of ${humanBytes(stats.size)}`, 'file', bytesMax)
    // A copy of its own, since small buffers are views into a larger one that Node shares.
    const bytes = new Uint8Array(size)
    let length = 0
    while (length < size) {
      const count = readSync(descriptor, bytes, length, size - length, from + length)
      if (count === 0) break
      length += count
    }
    return length < size ? bytes.slice(0, length) : bytes
  } finally {
    closeSync(descriptor)
  }
}

function statIfThere(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function expectRegular(stats: Stats): void {
  if (stats.isFile()) return
  const received = stats.isDirectory() ? 'a folder' : stats.isFIFO() ? 'a named pipe' : 'a device or socket'
  throw new Unreadable({ received, hint: 'remove it' })
}

function read<T>(file: string, what: string, contentOf: () => T): T {
  try {
    return contentOf()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw fileMistake(error, file, what)
    const { coding: _coding, ...reason } = error.reason
    throw new InputError([{ path: '', file, expected: what, ...reason }])
  }
}

/** Noun for the input in messages. */
type Kind = 'text' | 'file'

function readPath(file: string): Buffer {
  // Checked before opening, which may have side effects on devices: rewind a tape, wait for a carrier.
  refuseKind(statSync(file))
  const descriptor = openSync(file, 'r')
  try {
    return readOpen(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function readOpen(descriptor: number): Buffer {
  const stats = fstatSync(descriptor)
  refuseKind(stats)
  if (stats.isFile() && stats.size > INPUT_BYTES_MAX)
    throw tooLarge(`a file of ${humanBytes(stats.size)}`, 'text', INPUT_BYTES_MAX)
  const isDevice = stats.isCharacterDevice() && !isatty(descriptor)
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const chunk = readChunk(descriptor)
    if (chunk.length === 0) break
    if (isDevice) throw new Unreadable({ received: 'an endless device', hint: '' })
    chunks.push(chunk)
    length += chunk.length
    // Checked here too, since files of /proc report size 0 and pipes none.
    if (length > INPUT_BYTES_MAX) throw tooLarge(`more than ${humanBytes(INPUT_BYTES_MAX)}`, 'text', INPUT_BYTES_MAX)
  }
  return Buffer.concat(chunks, length)
}

function refuseKind(stats: Stats): void {
  if (stats.isDirectory()) throw new Unreadable({ received: 'a folder', hint: '' })
  if (stats.isBlockDevice()) throw new Unreadable({ received: 'a block device', hint: '' })
}

/** The next bytes, at most CHUNK_BYTES; empty at the end. */
function readChunk(descriptor: number): Buffer {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  return chunk.subarray(0, readInto(descriptor, chunk))
}

/** Reads the next bytes, and returns how many; 0 at the end. */
export function readInto(descriptor: number, chunk: Uint8Array): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk)
    } catch (error) {
      // EAGAIN: another process has set standard input to non-blocking.
      if (codeOf(error) !== 'EAGAIN') {
        // EOF: end of a pipe on Windows.
        if (codeOf(error) === 'EOF') return 0
        throw error
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}

function tooLarge(received: string, kind: Kind, bytesMax: number): Unreadable {
  return new Unreadable({ received, hint: `a ${kind} may have at most ${humanBytes(bytesMax)}` })
}

/** Decodes UTF-8. Throws Unreadable for anything else. */
function decoded(bytes: Buffer): string {
  const coding = otherCoding(bytes)
  if (coding !== undefined) throw new Unreadable(coding)
  return bytes.toString('utf8')
}

/** Number of bytes from which an encoding is guessed. */
const SAMPLE_BYTES = 4096

/** Reason why the bytes are not UTF-8, with a guess at their encoding; undefined if they are UTF-8. */
function otherCoding(bytes: Buffer): Reason | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return seemsTo('UTF-16LE')
  if (first === 0xfe && second === 0xff) return seemsTo('UTF-16BE')
  const nulAt = bytes.indexOf(0)
  if (nulAt < 0) return isUtf8(bytes) ? undefined : foreign(bytes)
  // Latin letters have a zero byte each in UTF-16: the second byte in little-endian order.
  const front = bytes.subarray(0, SAMPLE_BYTES)
  const zeros = [0, 0]
  front.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2]!++
  })
  const [even = 0, odd = 0] = zeros
  const most = front.length / 2
  if (odd > 0.8 * most && even < 0.1 * most) return seemsTo('UTF-16LE')
  if (even > 0.8 * most && odd < 0.1 * most) return seemsTo('UTF-16BE')
  return { received: 'a file that is not text', hint: '', ...locationOf(bytes, nulAt) }
}

function seemsTo(coding: string): Reason {
  const hint = `looks like ${coding}; save it as UTF-8`
  return { received: 'text that is not UTF-8', hint, coding: coding.toLowerCase() }
}

/** Reason for bytes that are not UTF-8 and contain no zero. */
function foreign(bytes: Buffer): Reason {
  const at = firstBad(bytes)
  const byte = `0x${bytes[at]!.toString(16).toUpperCase()}`
  // Text has no control characters except tabs and line ends; 0x80 to 0x9F are printable in Windows-1252.
  const isText = bytes
    .subarray(Math.max(0, at - SAMPLE_BYTES), at + SAMPLE_BYTES)
    .every((b) => b >= 32 || (b >= 9 && b <= 13))
  if (!isText) return { received: 'a file that is not text', hint: '', ...locationOf(bytes, at) }
  return {
    received: `text that is not UTF-8: byte ${byte}`,
    hint: 'looks like Latin-1 (ISO 8859-1, Windows-1252); save it as UTF-8',
    coding: LATIN,
    ...locationOf(bytes, at),
  }
}

/** Offset of the first character that is not valid UTF-8, which has to exist. */
function firstBad(bytes: Buffer): number {
  // No multi-byte character contains a line end, so each line can be checked separately.
  let at = 0
  for (let end = bytes.indexOf(10); end >= 0 && isUtf8(bytes.subarray(at, end)); end = bytes.indexOf(10, at))
    at = end + 1
  for (;;) {
    const length = charBytes(bytes[at]!)
    if (length === 0 || !isUtf8(bytes.subarray(at, at + length))) return at
    at += length
  }
}

/** Length in bytes of a character by its first byte; 0 if no character begins with it. */
function charBytes(first: number): number {
  if (first < 0x80) return 1
  if (first < 0xc0) return 0
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

function locationOf(bytes: Buffer, at: number): { readonly line: number; readonly column: number } {
  const start = bytes.lastIndexOf(10, at) + 1
  let line = 1
  for (let end = bytes.indexOf(10); end >= 0 && end < start; end = bytes.indexOf(10, end + 1)) line++
  return { line, column: bytes.toString('utf8', start, at).length + 1 }
}
