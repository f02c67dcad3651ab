/**
 * Sweep flows: the flows of every finished point, a Parquet file each, partitioned in the way of Hive, so that other
 * programs read the folder as one table with a column for each parameter:
 *
 *     flows/congestion=dcqcn/workload.0.load=0.3/seed=1/part.parquet
 *
 * Names and values are percent-encoded, as those programs expect.
 * Invariant: a file under the name of a part is whole, and its metadata names the key of its point.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { inputError } from '../../base/issue.ts'
import { fileMistake, writeFailure } from '../files/files.ts'
import { makeFolder } from '../files/folders.ts'
import type { Plan, Point } from '../../advice/sweep/points.ts'

const FOLDER = 'flows'
const PART = 'part.parquet'
/** Unfinished files: neither Parquet nor visible to programs that read the folder. */
const UNFINISHED = /^\.tmp-\d+-part$/
/** Of a file's name, on every usual file system. */
const NAME_BYTES_MAX = 255

export class SweepFlows {
  readonly #root: string
  readonly #shown: string

  /** Flows below the folder of a sweep; nothing is made before the first part is written. */
  constructor(folder: string, shown: string) {
    this.#root = path.join(folder, FOLDER)
    this.#shown = path.join(shown, FOLDER)
  }

  /** The folder as the user knows it. */
  get shown(): string {
    return this.#shown
  }

  /** Whether the flows of this very point are there. */
  holds(point: Point): boolean {
    return isPartOf(path.join(this.#root, partOf(point)), point.key)
  }

  /** Writes a part whole or not at all; when this returns it survives a crash of the machine. */
  write(point: Point, data: Uint8Array): void {
    const part = path.join(this.#root, partOf(point))
    const fresh = path.join(path.dirname(part), `.tmp-${process.pid}-part`)
    try {
      makeFolder(path.dirname(part))
      try {
        const descriptor = openSync(fresh, 'w')
        try {
          for (let at = 0; at < data.length;) at += writeSync(descriptor, data, at)
          fsyncSync(descriptor)
        } finally {
          closeSync(descriptor)
        }
        renameSync(fresh, part)
      } catch (error) {
        rmSync(fresh, { force: true })
        throw error
      }
    } catch (error) {
      throw writeFailure(error, path.join(this.#shown, partOf(point)), 'a file that can be written')
    }
  }

  /** Parts that are of no point of the plan: of another sweep, or of another version of the program. */
  foreign(plan: Plan): readonly string[] {
    const keys = new Map(plan.points.map((point) => [partOf(point), point.key]))
    return this.#files((name) => name === PART).filter((part) => {
      const key = keys.get(part)
      return key === undefined || !isPartOf(path.join(this.#root, part), key)
    })
  }

  /** Takes these parts away, and with them what a sweep that was killed left unfinished and folders that are then empty. */
  remove(parts: readonly string[]): void {
    for (const name of [...parts, ...this.#files((each) => UNFINISHED.test(each))]) {
      rmSync(path.join(this.#root, name), { force: true })
      for (let at = path.dirname(name); at !== '.' && isEmpty(path.join(this.#root, at)); at = path.dirname(at)) {
        rmdirSync(path.join(this.#root, at))
      }
    }
  }

  /** Files below the folder by their names, relative to it. */
  #files(isWanted: (name: string) => boolean): string[] {
    if (!existsSync(this.#root)) return []
    try {
      const names = readdirSync(this.#root, { recursive: true, encoding: 'utf8' })
      return names.filter((name) => isWanted(path.basename(name)))
    } catch (error) {
      throw fileMistake(error, this.#shown, 'a folder of flows')
    }
  }
}

/** Makes sure that every point has a name of its own among files. Throws InputError. */
export function expectFileNames(plan: Plan): void {
  for (const { path: name, values } of plan.axes) {
    for (const value of values) {
      const bytes = segment(name, value).length
      if (bytes <= NAME_BYTES_MAX) continue
      throw inputError(
        `--param ${name}`,
        `values that fit into the name of a folder (${NAME_BYTES_MAX} bytes) with --keep flows`,
        `one of ${bytes} bytes, percent-encoded`,
        'give a shorter value, or leave --keep out',
      )
    }
  }
}

function partOf({ values, seed }: Point): string {
  const segments = Object.entries(values).map(([name, value]) => segment(name, value))
  return path.join(...segments, `seed=${seed}`, PART)
}

function segment(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
}

/** Reads the end of a file: a footer of metadata, its length in four bytes, and PAR1. */
function isPartOf(file: string, key: string): boolean {
  if (!existsSync(file)) return false
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const end = Buffer.alloc(8)
    if (size < end.length || readSync(descriptor, end, 0, 8, size - 8) < 8) return false
    const length = end.readUInt32LE(0)
    if (end.toString('latin1', 4) !== 'PAR1' || length > size - 8) return false
    const footer = Buffer.alloc(length)
    readSync(descriptor, footer, 0, length, size - 8 - length)
    return footer.includes(key)
  } finally {
    closeSync(descriptor)
  }
}

function isEmpty(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length === 0
}
