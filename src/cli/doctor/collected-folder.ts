/**
 * Collected folder: a folder per device with the files that were collected from it, and beside them edges.csv (the links)
 * and collected.tsv (the time and command of each file), both of which may be left out. Links that lead out are not followed.
 */
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { InputError, inputError, type Issue, issuesIn } from '../../base/issue.ts'
import { type DeviceFile, type Edge, readCollected, readEdges } from '../../ops/index.ts'
import { humanBytes } from '../../report/index.ts'
import { fileMistake } from '../files/files.ts'
import { readStoredText } from '../files/input-file.ts'

const EDGES = 'edges.csv'
const COLLECTED = 'collected.tsv'
/** Limits of all files together. */
interface Limits {
  readonly files: number
  readonly bytes: number
}
const LIMITS: Limits = { files: 200_000, bytes: 2 ** 30 }
const DEPTH_MAX = 20

export interface CollectedFolder {
  readonly edges: readonly Edge[]
  /** Devices in the order of their names. Files are read when they are asked for. */
  readonly devices: readonly string[]
  files(): Iterable<readonly [string, readonly DeviceFile[]]>
  /** Files that are no texts. */
  readonly unreadable: readonly string[]
}

/** Throws InputError with all mistakes of the lists, or if there is no such folder. */
export function collectedFolder(directory: string, folder: string, limits: Limits = LIMITS): CollectedFolder {
  const root = path.resolve(directory, folder)
  const devices = new Listing(root, folder, limits).devices()
  const issues: Issue[] = []
  const read = <T>(name: string, parse: (file: string, text: string) => T, none: T): T => {
    const file = path.join(folder, name)
    try {
      const text = readStoredText(root, folder, name, 'a table')
      return text === undefined ? none : parse(file, text)
    } catch (error) {
      issues.push(...issuesIn(error, file))
      return none
    }
  }
  const edges = read(EDGES, readEdges, [])
  const collected = read(COLLECTED, readCollected, new Map())
  if (issues.length > 0) throw new InputError(issues)
  const unreadable: string[] = []
  return {
    edges,
    devices: devices.map(({ name }) => name),
    unreadable,
    *files() {
      for (const { name, files } of devices)
        yield [
          name,
          files.flatMap((file): DeviceFile[] => {
            const text = textOf(root, folder, file, unreadable)
            const { command = '', timeNs = NaN } = collected.get(file) ?? {}
            return text === undefined ? [] : [{ file, text, command, timeNs }]
          }),
        ]
    },
  }
}

/** Undefined, and noted: it is no text. */
function textOf(root: string, folder: string, file: string, unreadable: string[]): string | undefined {
  try {
    return readStoredText(root, folder, file, 'a text that was collected')
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    unreadable.push(file)
    return undefined
  }
}

/** Files below a folder, with their sizes bounded. */
class Listing {
  readonly #root: string
  readonly #shown: string
  readonly #limits: Limits
  #bytes = 0
  #files = 0

  constructor(root: string, shown: string, limits: Limits) {
    this.#limits = limits
    this.#root = root
    this.#shown = shown
  }

  devices(): { name: string; files: string[] }[] {
    const entries = this.#entries('')
    const folders = entries.filter(({ isFolder }) => isFolder).map(({ name }) => name)
    const own = entries.filter(({ name, isFolder }) => !isFolder && name !== EDGES && name !== COLLECTED)
    if (folders.length > 0) return folders.map((name) => ({ name, files: [...this.#below(name, 1)] }))
    if (own.length === 0)
      throw inputError(this.#shown, 'a folder per device', 'no files', 'see rocelab doctor --help for what to collect')
    // One device alone: the folder is its own.
    return [{ name: path.basename(this.#root), files: own.map(({ name }) => this.#counted(name)) }]
  }

  *#below(folder: string, depth: number): Generator<string> {
    if (depth > DEPTH_MAX) return
    for (const { name, isFolder } of this.#entries(folder)) {
      const file = `${folder}/${name}`
      if (isFolder) yield* this.#below(file, depth + 1)
      else yield this.#counted(file)
    }
  }

  #entries(folder: string): { name: string; isFolder: boolean }[] {
    const at = path.join(this.#root, folder)
    try {
      return readdirSync(at, { withFileTypes: true })
        .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isFile()))
        .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    } catch (error) {
      throw fileMistake(error, path.join(this.#shown, folder), 'a folder with the files of devices')
    }
  }

  #counted(file: string): string {
    this.#files++
    this.#bytes += lstatSync(path.join(this.#root, file)).size
    const { files, bytes } = this.#limits
    if (this.#files > files || this.#bytes > bytes)
      throw inputError(this.#shown, `at most ${files} files and ${humanBytes(bytes)}`, 'more', 'split the folder')
    return file
  }
}
