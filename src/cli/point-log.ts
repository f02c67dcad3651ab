/**
 * Point log: finished points of a sweep, a JSON line each, safe on the disk before the next one counts.
 * One program at a time has it: each knows its length and cuts off what is behind.
 * A line that was cut off by a crash is no line: it is left out when read and taken away before the next is written.
 */
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { InputError } from '../base/issue.ts'
import { writeFailure } from './files.ts'
import { lockFolder, lockName } from './folder-lock.ts'
import { makeFolder } from './folders.ts'

const FILE = 'points.jsonl'

export class PointLog<T extends { readonly key: string }> {
  /** Whatever was finished before, by key; the last one counts. */
  readonly finished: ReadonlyMap<string, T>
  readonly #descriptor: number
  readonly #shown: string
  readonly #unlock: () => void
  #length: number

  /** Opens or starts the log in a folder. Throws InputError when it holds something else or is being written. */
  constructor(folder: string, shown: string) {
    this.#shown = path.join(shown, FILE)
    const file = path.join(folder, FILE)
    let unlock = (): void => {}
    try {
      const isOther = (name: string): boolean => !name.startsWith(lockName('sweep'))
      if (!existsSync(file) && existsSync(folder) && readdirSync(folder).some(isOther)) {
        const expected = 'a new folder, or one of a sweep'
        throw new InputError([{ path: '--out', expected, received: `something else in ${shown}`, hint: '' }])
      }
      makeFolder(folder)
      unlock = lockFolder(folder, shown, 'sweep')
      const text = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
      this.#length = text.lastIndexOf(0x0a) + 1
      this.finished = readLines<T>(text.subarray(0, this.#length).toString('utf8'))
      this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o644)
      this.#unlock = unlock
    } catch (error) {
      unlock()
      throw writeFailure(error, shown, 'a folder that can be written')
    }
  }

  /** Adds a point. When this returns it survives a crash of the machine. Throws a Failure for a full disk. */
  add(point: T): void {
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
    this.#unlock()
  }
}

function readLines<T extends { readonly key: string }>(text: string): Map<string, T> {
  const points = new Map<string, T>()
  for (const line of text.split('\n')) {
    try {
      const point = JSON.parse(line) as T
      if (typeof point.key === 'string') points.set(point.key, point)
    } catch {
      // What cannot be read was not finished.
    }
  }
  return points
}
