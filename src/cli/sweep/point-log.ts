/**
 * Point log: finished points of a sweep, one JSON line each, synced to the disk one by one. finished-points.ts decides
 * whether a line is a complete point.
 * One process at a time has it open and knows its length; bytes beyond are truncated.
 * A line without a line end, cut off by a crash, is ignored when read and removed before the next line is written.
 */
import { closeSync, constants, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { InputError } from '../../base/issue.ts'
import { writeFailure } from '../files/files.ts'
import { namesOf } from '../files/exchange.ts'
import { type FolderLock, lockFolder } from '../files/folder-lock.ts'
import { makeFolder } from '../files/folders.ts'

const FILE = 'points.jsonl'

export class PointLog {
  /** The lines found when opened, parsed; undefined for a line that is not JSON. */
  readonly lines: readonly unknown[]
  readonly #descriptor: number
  readonly #shown: string
  readonly #lock: FolderLock
  #length: number

  /** Opens or creates the log in a folder. Throws InputError if the folder holds something else or is locked. */
  constructor(folder: string, shown: string) {
    this.#shown = path.join(shown, FILE)
    const file = path.join(folder, FILE)
    let lock: FolderLock | undefined
    try {
      if (!existsSync(file) && existsSync(folder) && namesOf(folder).length > 0) {
        const expected = 'a new folder, or that of a sweep'
        throw new InputError([{ path: '--out', expected, received: `something else in ${shown}`, hint: '' }])
      }
      makeFolder(folder)
      lock = lockFolder(folder, shown, 'sweep')
      const text = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
      this.#length = text.lastIndexOf(0x0a) + 1
      this.lines = readLines(text.subarray(0, this.#length).toString('utf8'))
      this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o644)
      this.#lock = lock
    } catch (error) {
      lock?.release()
      throw writeFailure(error, shown, 'a folder that can be written')
    }
  }

  /** Adds a point, which survives a crash of the machine once this returns. Throws a Failure for a full disk. */
  add(point: unknown): void {
    this.#lock.expectHeld()
    const line = Buffer.from(`${JSON.stringify(point)}\n`)
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
    this.#lock.release()
  }
}

function readLines(text: string): unknown[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line): unknown => {
    try {
      return JSON.parse(line)
    } catch {
      return undefined
    }
  })
}
