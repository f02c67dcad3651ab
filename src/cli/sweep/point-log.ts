/**
 * Point log: finished points of a sweep, one JSON line each, synced to the disk one by one. finished-points.ts decides
 * whether a line is a complete point.
 * One process at a time has it open.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { inputError } from '../../core/base/issue.ts'
import { namesOf } from '../files/exchange.ts'
import { writeFailure } from '../files/files.ts'
import { type FolderLock, lockFolder } from '../files/folder-lock.ts'
import { makeFolder } from '../files/folders.ts'
import { LineFile, readLines } from '../files/line-file.ts'

export const POINTS_FILE = 'points.jsonl'

export class PointLog {
  /** The lines found when opened, parsed; undefined for a line that is not JSON. */
  readonly lines: readonly unknown[]
  readonly #file: LineFile
  readonly #lock: FolderLock

  /** Opens or creates the log in a folder. Throws InputError if the folder holds something else or is locked. */
  constructor(folder: string, shown: string) {
    const file = path.join(folder, POINTS_FILE)
    let lock: FolderLock | undefined
    try {
      if (!existsSync(file) && existsSync(folder) && namesOf(folder).length > 0) {
        const expected = 'a new folder, or that of a sweep'
        throw inputError('--out', expected, `something else in ${shown}`)
      }
      makeFolder(folder)
      lock = lockFolder(folder, shown, 'sweep')
      const { lines, length } = readLines(folder, shown, POINTS_FILE)
      this.lines = lines
      this.#file = LineFile.open(folder, shown, POINTS_FILE, length)
      this.#lock = lock
    } catch (error) {
      lock?.release()
      throw writeFailure(error, shown, 'a folder that can be written')
    }
  }

  /** Adds a point, which survives a crash of the machine once this returns. Throws a Failure for a full disk. */
  add(point: unknown): void {
    this.#lock.expectHeld()
    this.#file.add(point)
  }

  close(): void {
    this.#file.close()
    this.#lock.release()
  }
}
