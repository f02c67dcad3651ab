/**
 * Line file: JSON lines that one process adds to, synced to the disk one by one.
 * The writer knows the length of what is complete; bytes beyond, left by a failed write, are truncated. A line without a
 * line end, cut off by a crash or still being written, is ignored when read and removed before the next line is written.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs'
import { writeFailure } from './files.ts'

export class LineFile {
  readonly #shown: string
  readonly #descriptor: number
  #length: number

  /**
   * @param descriptor of a file that is open for reading and writing
   * @param length bytes of it that are complete lines
   * @param shown its name for people
   */
  private constructor(descriptor: number, length: number, shown: string) {
    this.#descriptor = descriptor
    this.#length = length
    this.#shown = shown
  }

  /** Opens or creates a file whose first `length` bytes are complete lines. Throws errors of the system. */
  static open(file: string, length: number, shown: string): LineFile {
    return new LineFile(openSync(file, constants.O_RDWR | constants.O_CREAT, 0o644), length, shown)
  }

  /** Creates a file; there is none of this name. Throws errors of the system. */
  static create(file: string, shown: string): LineFile {
    return new LineFile(openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o644), 0, shown)
  }

  /** Adds a line, which survives a crash of the machine once this returns. Throws a Failure for a full disk. */
  add(value: unknown): void {
    const line = Buffer.from(`${JSON.stringify(value)}\n`)
    try {
      ftruncateSync(this.#descriptor, this.#length)
      for (let at = 0; at < line.length;)
        at += writeSync(this.#descriptor, line, at, line.length - at, this.#length + at)
      fsyncSync(this.#descriptor)
    } catch (error) {
      throw writeFailure(error, this.#shown, 'a file that can be written')
    }
    this.#length += line.length
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

/**
 * Complete lines of a file from a byte on, parsed, undefined for one that is not JSON; and where they end. A byte behind the
 * end, of a file that is not what it was, gives none. Throws errors of the system.
 */
export function readLines(file: string, from = 0): { readonly lines: readonly unknown[]; readonly length: number } {
  const bytes = bytesFrom(file, from)
  const end = bytes.lastIndexOf(0x0a) + 1
  const texts = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1)
  return { lines: texts.map(parsed), length: from + end }
}

function bytesFrom(file: string, from: number): Buffer {
  if (from === 0) return readFileSync(file)
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - from))
    let length = 0
    while (length < bytes.length) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, from + length)
      if (count === 0) break
      length += count
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
