/**
 * Input files: files that the user names, read with a look at what they are and how large before they fill the memory.
 * A file, a pipe, a terminal or a null device is read up to INPUT_BYTES_MAX; block devices and devices that go on for ever
 * are refused. Texts are UTF-8; those in another encoding are told as such.
 */
import { isUtf8 } from 'node:buffer'
import { closeSync, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs'
import path from 'node:path'
import { isatty } from 'node:tty'
import { InputError } from '../../base/issue.ts'
import { humanBytes } from '../../report/index.ts'
import { fileMistake } from './files.ts'
import { codeOf } from './system-error.ts'

/** Traces of some five million messages, and tables of as many flows; several times what a scenario's own text may have. */
const INPUT_BYTES_MAX: number = 256 * 2 ** 20

const CHUNK_BYTES = 2 ** 20
/** A terminal or a pipe that is not there yet is asked again after so long. */
const RETRY_MS = 20

/** Why something cannot be read. */
interface Reason {
  readonly received: string
  readonly hint: string
  /** Of the first bytes that are no UTF-8, 1-based. */
  readonly line?: number
  readonly column?: number
}

/** Something that is there and cannot be taken. */
class Unreadable extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason.received)
    this.name = 'Unreadable'
    this.reason = reason
  }
}

/** The text of a file; "-" is standard input. Throws InputError when there is none. */
export function readText(directory: string, file: string, what: string): string {
  return read(file, what, () =>
    decoded(file === '-' ? readOpen(0, 'text') : readPath(path.resolve(directory, file), 'text')),
  )
}

/** The same of a file that need not be there: undefined when it is not. */
export function readTextIfThere(directory: string, file: string, what: string): string | undefined {
  const there = path.resolve(directory, file)
  try {
    statSync(there)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw fileMistake(error, file, what)
  }
  return readText(directory, file, what)
}

/** The bytes of a file, whatever they are; `shown` is the file as the user knows it. Throws InputError when there are none. */
export function readBytes(file: string, shown: string, what: string): Uint8Array {
  // A copy: small files come as parts of a larger buffer, and Buffer.slice does not copy.
  return new Uint8Array(read(shown, what, () => readPath(file, 'file')))
}

function read<T>(file: string, what: string, contentOf: () => T): T {
  try {
    return contentOf()
  } catch (error) {
    if (!(error instanceof Unreadable)) throw fileMistake(error, file, what)
    throw new InputError([{ path: '', file, expected: what, ...error.reason }])
  }
}

/** What is read, as messages call it. */
type Kind = 'text' | 'file'

function readPath(file: string, kind: Kind): Buffer {
  // Before it is opened: that alone may rewind a tape, or wait for a line.
  refuseKind(statSync(file))
  const descriptor = openSync(file, 'r')
  try {
    return readOpen(descriptor, kind)
  } finally {
    closeSync(descriptor)
  }
}

function readOpen(descriptor: number, kind: Kind): Buffer {
  const stats = fstatSync(descriptor)
  refuseKind(stats)
  if (stats.isFile() && stats.size > INPUT_BYTES_MAX) throw tooLarge(`a file of ${humanBytes(stats.size)}`, kind)
  const isDevice = stats.isCharacterDevice() && !isatty(descriptor)
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const chunk = readChunk(descriptor)
    if (chunk.length === 0) break
    if (isDevice) throw new Unreadable({ received: 'a device without an end', hint: '' })
    chunks.push(chunk)
    length += chunk.length
    // Files of /proc say that they have no bytes, and pipes say nothing.
    if (length > INPUT_BYTES_MAX) throw tooLarge(`more than ${humanBytes(INPUT_BYTES_MAX)}`, kind)
  }
  return Buffer.concat(chunks, length)
}

function refuseKind(stats: Stats): void {
  if (stats.isDirectory()) throw new Unreadable({ received: 'a folder', hint: '' })
  if (stats.isBlockDevice()) throw new Unreadable({ received: 'a block device', hint: '' })
}

/** What is there to read, at most CHUNK_BYTES; empty at the end. */
function readChunk(descriptor: number): Buffer {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (;;) {
    try {
      return chunk.subarray(0, readSync(descriptor, chunk))
    } catch (error) {
      // Standard input may have been left without blocking by whoever had it before.
      if (codeOf(error) !== 'EAGAIN') {
        // So does the end of a pipe say on Windows.
        if (codeOf(error) === 'EOF') return chunk.subarray(0, 0)
        throw error
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
    }
  }
}

function tooLarge(received: string, kind: Kind): Unreadable {
  return new Unreadable({ received, hint: `a ${kind} may have at most ${humanBytes(INPUT_BYTES_MAX)}` })
}

/** Bytes as text. Throws Unreadable for what is no UTF-8. */
function decoded(bytes: Buffer): string {
  const coding = otherCoding(bytes)
  if (coding !== undefined) throw new Unreadable(coding)
  return bytes.toString('utf8')
}

/** Bytes at the front by which an encoding is told. */
const LOOKED_AT = 4096

/** What else than UTF-8 these bytes seem to be; undefined: they are UTF-8. */
function otherCoding(bytes: Buffer): Reason | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return seemsTo('UTF-16LE')
  if (first === 0xfe && second === 0xff) return seemsTo('UTF-16BE')
  const nulAt = bytes.indexOf(0)
  if (nulAt < 0) return isUtf8(bytes) ? undefined : foreign(bytes)
  // Letters of the West have a zero byte each in UTF-16: the second in the little-endian one.
  const front = bytes.subarray(0, LOOKED_AT)
  const zeros = [0, 0]
  front.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2]!++
  })
  const [even = 0, odd = 0] = zeros
  const most = front.length / 2
  if (odd > 0.8 * most && even < 0.1 * most) return seemsTo('UTF-16LE')
  if (even > 0.8 * most && odd < 0.1 * most) return seemsTo('UTF-16BE')
  return { received: 'a file that is no text', hint: '', ...locationOf(bytes, nulAt) }
}

function seemsTo(coding: string): Reason {
  return { received: 'text that is not UTF-8', hint: `looks like ${coding}; save it as UTF-8` }
}

/** Bytes that are no UTF-8, and have no zeros among them. */
function foreign(bytes: Buffer): Reason {
  const at = firstBad(bytes)
  const byte = `0x${bytes[at]!.toString(16).toUpperCase()}`
  // Texts have no control characters but tabs and line ends; 0x80 to 0x9F are letters of Windows-1252.
  const isText = bytes
    .subarray(Math.max(0, at - LOOKED_AT), at + LOOKED_AT)
    .every((b) => b >= 32 || (b >= 9 && b <= 13))
  if (!isText) return { received: 'a file that is no text', hint: '', ...locationOf(bytes, at) }
  return {
    received: `text that is not UTF-8: the byte ${byte}`,
    hint: 'looks like Latin-1 (ISO 8859-1, Windows-1252); save it as UTF-8',
    ...locationOf(bytes, at),
  }
}

/** Where the first character begins that is no UTF-8; there is one. */
function firstBad(bytes: Buffer): number {
  // No character of several bytes has a line end in it, so that a line can be judged alone.
  let at = 0
  for (let end = bytes.indexOf(10); end >= 0 && isUtf8(bytes.subarray(at, end)); end = bytes.indexOf(10, at))
    at = end + 1
  for (;;) {
    const length = charBytes(bytes[at]!)
    if (length === 0 || !isUtf8(bytes.subarray(at, at + length))) return at
    at += length
  }
}

/** How many bytes a character has that begins with this one; 0: none does. */
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
