/**
 * Line file: JSON lines that one process adds to, synced to the disk one by one.
 * The writer knows the length of what is complete; bytes beyond, left by a failed write, are truncated. A line without a
 * line end, cut off by a crash or still being written, is ignored when read and removed before the next line is written.
 */
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { parsedJson } from '../../core/base/shape.ts'
import { writeFailure } from './files.ts'
import { readStored } from './input-file.ts'
import { inside } from './inside.ts'

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

  /**
   * Opens or creates a file below a folder whose first `length` bytes are complete lines; `readLines` says how many.
   * Throws errors of the system, and InputError for a link out of the folder.
   */
  static open(folder: string, shown: string, name: string, length: number): LineFile {
    const flags = constants.O_RDWR | constants.O_CREAT
    return new LineFile(openSync(inside(folder, shown, name), flags, 0o644), length, path.join(shown, name))
  }

  /** Creates a file; there is none of this name. Throws like `open`. */
  static create(folder: string, shown: string, name: string): LineFile {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL
    return new LineFile(openSync(inside(folder, shown, name), flags, 0o644), 0, path.join(shown, name))
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

/** Lines end with the text of all of them, whose length V8 limits to half a billion characters. */
const LINES_BYTES_MAX = 500_000_000

/**
 * Complete lines of a file below a folder from a byte on, parsed, undefined for one that is not JSON; and where they end.
 * None for a file that is not there, and for a byte behind the end of a file that is not what it was. Throws InputError for
 * anything but a regular file.
 * @param shown the folder as the user named it
 */
export function readLines(
  folder: string,
  shown: string,
  name: string,
  from = 0,
): { readonly lines: readonly unknown[]; readonly length: number } {
  const bytes = readStored(folder, shown, name, 'a log of this program', { bytesMax: LINES_BYTES_MAX, from })
  if (bytes === undefined) return { lines: [], length: 0 }
  const end = bytes.lastIndexOf(0x0a) + 1
  const texts = Buffer.from(bytes.buffer, 0, end).toString('utf8').split('\n').slice(0, -1)
  return { lines: texts.map(parsedJson), length: from + end }
}
