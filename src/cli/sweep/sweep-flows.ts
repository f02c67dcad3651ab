/**
 * Sweep flows: the flows of every finished point, one Parquet file per point, with Hive partitioning, so that other
 * programs read the folder as one table with a column per parameter:
 *
 *     flows/congestion=dcqcn/workload.0.load=0.3/seed=1/part.parquet
 *
 * Names and values are percent-encoded, as those programs expect.
 * Invariant: a file named part.parquet is complete, and its metadata holds the key of its point.
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
  statSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { inputError } from '../../core/base/issue.ts'
import { fileMistake, writeFailure } from '../files/files.ts'
import { makeFolder } from '../files/folders.ts'
import { inside } from '../files/inside.ts'
import { clearTemporary, isTemporary, temporaryName } from '../files/temporary.ts'
import type { Plan, Point } from '../../lab/advice/sweep/points.ts'

const FOLDER = 'flows'
const PART = 'part.parquet'
/** Files being written have this name behind that of their writer: hidden and without extension, so that readers skip them. */
const UNFINISHED = 'part'
/** Longest file name on common file systems. */
const NAME_BYTES_MAX = 255
/** Footers of parts have some kilobytes. */
const FOOTER_BYTES_MAX = 2 ** 24

type PartPoint = Pick<Point, 'key' | 'values' | 'seed'>

export class SweepFlows {
  readonly #folder: string
  readonly #root: string
  readonly #shown: string

  /** @param folder of the sweep; nothing is created in it before the first part is written. */
  constructor(folder: string, shown: string) {
    this.#folder = folder
    this.#root = inside(folder, shown, FOLDER)
    this.#shown = path.join(shown, FOLDER)
  }

  /** The folder of the flows as shown to the user. */
  get shown(): string {
    return this.#shown
  }

  /** Whether the part of exactly this point exists. */
  holds(point: PartPoint): boolean {
    return isPartOf(this.#locate(partOf(point)), point.key)
  }

  /** Writes a part atomically; once this returns it survives a crash of the machine. */
  write(point: PartPoint, data: Uint8Array): void {
    const part = this.#locate(partOf(point))
    const fresh = path.join(path.dirname(part), temporaryName(UNFINISHED))
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

  /** Parts that belong to no point of the plan: from another sweep, or another version of the program. */
  foreign(plan: Plan): readonly string[] {
    const keys = new Map(plan.points.map((point) => [partOf(point), point.key]))
    return this.#files((name) => name === PART).filter((part) => {
      const key = keys.get(part)
      return key === undefined || !isPartOf(this.#locate(part), key)
    })
  }

  /** Removes these parts, files that dead processes of this machine left unfinished, and folders that are then empty. */
  remove(parts: readonly string[]): void {
    for (const name of parts) rmSync(path.join(this.#root, name), { force: true })
    const folders = new Set([...parts, ...this.#files(isTemporary)].map((name) => path.dirname(name)))
    for (const folder of folders) {
      clearTemporary(path.join(this.#root, folder), UNFINISHED)
      for (let at = folder; at !== '.' && isEmpty(path.join(this.#root, at)); at = path.dirname(at)) {
        rmdirSync(path.join(this.#root, at))
      }
    }
  }

  /** Path of a file below the folder. Throws InputError for a link that leads out. */
  #locate(name: string): string {
    return inside(this.#folder, path.dirname(this.#shown), path.join(FOLDER, name).replaceAll(path.sep, '/'))
  }

  /** Files below the folder whose base name is wanted, relative to it. */
  #files(isWanted: (name: string) => boolean): string[] {
    if (!existsSync(this.#root)) return []
    try {
      return filesBelow(this.#root, '').filter((name) => isWanted(path.basename(name)))
    } catch (error) {
      throw fileMistake(error, this.#shown, 'a folder of flows')
    }
  }
}

/** Regular files below a folder; links are not followed. */
function filesBelow(root: string, at: string): string[] {
  return readdirSync(path.join(root, at), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(at, entry.name)
    return entry.isDirectory() ? filesBelow(root, name) : entry.isFile() ? [name] : []
  })
}

/** Checks that every value fits a folder name. Throws InputError. */
export function expectFileNames(plan: Plan): void {
  for (const { path: name, values } of plan.axes) {
    for (const value of values) {
      const bytes = segment(name, value).length
      if (bytes <= NAME_BYTES_MAX) continue
      throw inputError(
        `--param ${name}`,
        `values that fit a folder name (${NAME_BYTES_MAX} bytes) with --keep flows`,
        `a value of ${bytes} bytes, percent-encoded`,
        'use a shorter value, or omit --keep',
      )
    }
  }
}

function partOf({ values, seed }: PartPoint): string {
  const segments = Object.entries(values).map(([name, value]) => segment(name, value))
  return path.join(...segments, `seed=${seed}`, PART)
}

function segment(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
}

/** Searches the key in the Parquet footer: metadata, its length in four bytes, and PAR1. */
function isPartOf(file: string, key: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const end = Buffer.alloc(8)
    if (size < end.length || readSync(descriptor, end, 0, 8, size - 8) < 8) return false
    const length = end.readUInt32LE(0)
    if (end.toString('latin1', 4) !== 'PAR1' || length > Math.min(size - 8, FOOTER_BYTES_MAX)) return false
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
