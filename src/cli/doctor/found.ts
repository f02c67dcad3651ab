/**
 * Found files: what a folder or an archive holds, in one form, with limits for all of it together.
 */
import { inputError } from '../../base/issue.ts'
import { humanBytes } from '../../report/index.ts'

export interface FoundFile {
  /** Below the folder, with forward slashes; files in an archive stand below the name of the archive. */
  readonly file: string
  /** Throws InputError, also for what is no text. */
  text(): string
}

/** Something that is not read, and why. */
export interface Skipped {
  readonly file: string
  readonly why: string
}

export interface Found {
  /** In the order of their names. */
  readonly files: readonly FoundFile[]
  /** Folders, with those that hold no files. */
  readonly folders: readonly string[]
  readonly skipped: readonly Skipped[]
}

/** Limits of all files together. */
export interface Limits {
  readonly files: number
  readonly bytes: number
}
export const LIMITS: Limits = { files: 200_000, bytes: 2 ** 30 }
/** Folders in each other. */
export const DEPTH_MAX = 20

/** The rest of the limits. */
export class Budget {
  readonly #shown: string
  readonly #limits: Limits
  #files = 0
  #bytes = 0

  /** @param shown the input as the user named it */
  constructor(shown: string, limits: Limits) {
    this.#shown = shown
    this.#limits = limits
  }

  file(): void {
    this.#files++
    this.#check()
  }

  bytes(count: number): void {
    this.#bytes += count
    this.#check()
  }

  #check(): void {
    const { files, bytes } = this.#limits
    if (this.#files > files || this.#bytes > bytes)
      throw inputError(this.#shown, `at most ${files} files and ${humanBytes(bytes)}`, 'more', 'split the folder')
  }
}

const ARCHIVE = /\.(?:tar|tar\.gz|tgz)$/i

export const isArchive = (file: string): boolean => ARCHIVE.test(file)

/** "leaf1" of "leaf1.tar.gz". */
export const withoutEnding = (file: string): string => file.replace(ARCHIVE, '')

/** In the order of a listing that goes into each folder as it meets it. */
export function inOrder<T extends { readonly file: string }>(files: readonly T[]): T[] {
  return files
    .map((each) => ({ each, names: each.file.split('/') }))
    .sort((a, b) => compareNames(a.names, b.names))
    .map(({ each }) => each)
}

function compareNames(a: readonly string[], b: readonly string[]): number {
  for (const [i, name] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    if (name !== other) return name < other ? -1 : 1
  }
  return a.length - b.length
}
